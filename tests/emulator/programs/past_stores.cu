// Reads through caches that stores of the same launch do not reach: first what is right, then a block that writes and reads.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void in_place(const float* __restrict__ x, float* y) {
    const int i = threadIdx.x;
    const float mine = x[i];
    __syncthreads();
    y[i] = mine + 1;
}

__global__ void turned(const float* __restrict__ x, float* same, float* y) {
    const int i = threadIdx.x;
    same[i] = i;
    __syncthreads();
    y[i] = x[63 - i];
}

__global__ void fetched(cudaTextureObject_t texture, float* same, float* y) {
    const int i = threadIdx.x;
    const float before = tex1Dfetch<float>(texture, i);
    __syncthreads();
    same[i] = before + 1;
    __syncthreads();
    y[i] = tex1Dfetch<float>(texture, 63 - i);
}

__global__ void fetched_first(cudaTextureObject_t texture, float* same) {
    const float before = tex1Dfetch<float>(texture, threadIdx.x);
    __syncthreads();
    same[threadIdx.x] = before;
}

__global__ void on_a_surface(cudaSurfaceObject_t surface, float* y) {
    const int i = threadIdx.x;
    surf2Dwrite<float>(i, surface, 4 * i, 0);
    __syncthreads();
    y[i] = surf2Dread<float>(surface, 4 * (63 - i), 0);
}

__global__ void read_next(cudaSurfaceObject_t surface, float* y) {
    y[threadIdx.x] = surf2Dread<float>(surface, 4 * threadIdx.x, 0);
}

int main() {
    float *x, *y, back[64];
    cudaMalloc(&x, sizeof(back)), cudaMalloc(&y, sizeof(back));
    cudaMemset(x, 0, sizeof(back)), cudaMemset(y, 0, sizeof(back));
    in_place<<<1, 64>>>(x, x);
    cudaMemcpy(back, x, sizeof(back), cudaMemcpyDeviceToHost);
    printf("%g ", back[7]);

    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = x;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = sizeof(back);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &linear, &how, nullptr);
    fetched_first<<<1, 64>>>(texture, x);
    in_place<<<1, 64>>>(x, x);
    in_place<<<1, 64>>>(x, y);
    cudaMemcpy(back, y, sizeof(back), cudaMemcpyDeviceToHost);
    printf("%g\n", back[7]);

    cudaArray_t array;
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &floats, 64, 1, cudaArraySurfaceLoadStore);
    cudaResourceDesc of_array = {};
    of_array.resType = cudaResourceTypeArray;
    of_array.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &of_array);

    turned<<<1, 64>>>(x, x, y);
    fetched<<<1, 64>>>(texture, x, y);
    on_a_surface<<<1, 64>>>(surface, y);
    read_next<<<1, 64>>>(surface, y);
    cudaMemcpy(back, y, sizeof(back), cudaMemcpyDeviceToHost);
    printf("2 %g\n", back[63]);
    cudaDestroySurfaceObject(surface), cudaFreeArray(array), cudaDestroyTextureObject(texture), cudaFree(x), cudaFree(y);
}
