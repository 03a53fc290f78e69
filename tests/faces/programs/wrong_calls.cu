// Calls of CUDA that fail, or that are undefined, each beside one that is right.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int ROWS = 4, COLUMNS = 40;
constexpr size_t WIDTH = COLUMNS * sizeof(float);
__device__ int* given;
float* total;

__global__ void fill(float* x, float by) { x[threadIdx.x] = by; }
__global__ void take(int* x) {
    given = new int[4];
    for (int i = 0; i < 4; ++i) given[i] = i;
    memcpy(x, given, 4 * sizeof(int));
}
void CUDART_CB hears(void* done) { *static_cast<bool*>(done) = true; }
void CUDART_CB clears(void* bytes) { cudaMemset(total, 0, *static_cast<size_t*>(bytes)); }  // wrong: in a host function

void rows(float* x, size_t pitch) {
    std::vector<float> host(ROWS * COLUMNS);
    cudaMemset2D(x, pitch, 0, WIDTH, ROWS);
    cudaMemset2D(x, 0, 0, WIDTH, 1);
    cudaMemcpy2D(host.data(), WIDTH, x, pitch, WIDTH, ROWS, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(host.data(), COLUMNS, x, pitch, WIDTH, ROWS, cudaMemcpyDeviceToHost);  // wrong: elements for bytes
    if (cudaGetLastError() == cudaErrorInvalidPitchValue) puts("a pitch");
    cudaMemset2DAsync(x, COLUMNS, 0, WIDTH, ROWS);  // wrong: elements for bytes again
    cudaMemcpy(x, x + COLUMNS, WIDTH, cudaMemcpyDeviceToDevice);
    cudaMemcpy(x + 1, x, WIDTH, cudaMemcpyDeviceToDevice);  // wrong: they overlap
}

void streams() {
    bool done = false;
    size_t bytes = sizeof(float);
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    fill<<<1, 32, 0, first>>>(total, 1);
    cudaLaunchHostFunc(first, hears, &done);
    cudaStreamAddCallback(first, [](cudaStream_t, cudaError_t, void* flag) { hears(flag); }, &done, 0);
    cudaLaunchHostFunc(first, clears, &bytes);
    cudaStreamDestroy(first);
    fill<<<1, 32, 0, first>>>(total, 2);  // wrong: after its end
    if (cudaMemsetAsync(total, 0, bytes, first) == cudaErrorInvalidResourceHandle) puts("a handle");  // wrong: the same
    cudaStreamCreate(&second);
    fill<<<1, 32, 0, second>>>(total, 3);
    cudaStreamSynchronize(second);
    cudaStreamDestroy(second);
}

int main() {
    float* x;
    int* z;
    size_t pitch;
    cudaMallocPitch(&x, &pitch, WIDTH, ROWS);
    cudaMalloc(&total, 32 * sizeof(float));
    cudaMalloc(&z, 4 * sizeof(int));
    rows(x, pitch);
    streams();
    take<<<1, 1>>>(z);
    int host[4], *inside;
    cudaMemcpy(host, z, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&inside, given, sizeof inside);
    cudaMemcpyFromSymbol(&inside, &given, sizeof inside);  // wrong: the variable itself is meant
    cudaMemcpyFromSymbol(&inside, "given", sizeof inside);  // wrong: and not its name
    cudaMemcpy(host, inside, sizeof host, cudaMemcpyDeviceToHost);  // wrong: a kernel's memory
    float first;
    cudaMemcpy(&first, total, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g %d\n", first, host[3]);
    for (void* each : {(void*)x, (void*)total, (void*)z}) cudaFree(each);
}
