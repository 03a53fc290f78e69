// A texture: four numbers that are read at places between them. `ladder run examples/texture.cu` runs it without a GPU,
// `nvcc -o texture examples/texture.cu && ./texture` with one.

#include <cstdio>
#include <cstdlib>

// An error of CUDA ends the program, with the place where it was noticed.
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::fprintf(stderr, "%s, line %d: %s\n", #call, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

constexpr int kPlaces = 11;

__global__ void look(cudaTextureObject_t texture, float* out) {
    int i = threadIdx.x;
    if (i < kPlaces) out[i] = tex1D<float>(texture, 0.5f * i);  // element e is centred at e + 0.5
}

int main() {
    const float numbers[] = {0, 10, 20, 40};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;  // not a pointer: how its elements lie is the hardware's business
    CHECK(cudaMallocArray(&array, &format, 4));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, numbers, sizeof numbers, sizeof numbers, 1, cudaMemcpyHostToDevice));

    cudaResourceDesc source = {};
    source.resType = cudaResourceTypeArray;
    source.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = cudaAddressModeClamp;  // beyond an end: the last number
    how.filterMode = cudaFilterModeLinear;      // between two numbers: between their values
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &source, &how, nullptr));

    float *d_out, h_out[kPlaces];
    CHECK(cudaMalloc(&d_out, sizeof h_out));
    look<<<1, 32>>>(texture, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kPlaces; ++i) std::printf("at %.1f: %4.1f\n", 0.5 * i, h_out[i]);

    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_out));
}
