// Launches that leave elements out, each with what is told of it behind `wrong:`, and some like them that mean to.
#include <cstdio>
#include <vector>

#define COUNT 1000

__global__ void twice(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
__global__ void twice_all(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
}
__global__ void count_of_macro(double* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) x[i] += 1;
}
__global__ void fours(float* x, size_t n) {
    size_t i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (size_t k = i; k < i + 4 && k < n; ++k) x[k] = k;
}
__global__ void smooth(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
__global__ void picture(const float* x, float* y, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) y[row * width + column] = x[row * width + column];
}
__global__ void columns(float* y, int width, int height) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) y[row * width + column] = 1;
}
__global__ void halves(float* x, int n) {   // a step of a sum in place
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) x[i] += x[i + n / 2];
}
__global__ void turn_round(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float kept = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = kept;
    }
}
__global__ void sums(const float* x, float* of_blocks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&of_blocks[blockIdx.x], x[i]);
}
__global__ void offsets(int* first, int n) {   // has n + 1, of which host code sets the last
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) first[i] = 3 * i;
}
__global__ void part(float* x, int begin, int n) {
    int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

template <class T> T* managed(size_t n) {
    T* x;
    cudaMallocManaged(&x, n * sizeof(T));
    for (size_t i = 0; i < n; ++i) x[i] = 1;
    return x;
}

int main() {
    const int n = COUNT, threads = 256;
    twice<<<n / threads, threads>>>(managed<float>(n), n);   // wrong: the 768 threads of this launch leave elements 768 to 999 of
    twice<<<1, threads>>>(managed<float>(n), n);   // wrong: leave elements 256 to 999 of
    count_of_macro<<<n / threads, threads>>>(managed<double>(n));   // wrong: leave elements 768 to 999 of
    fours<<<n / 4 / 32, 32>>>(managed<float>(n), n);   // wrong: leave elements 896 to 999 of
    float *x = managed<float>(n), *y = managed<float>(n);
    smooth<<<n / threads, threads>>>(x, y, n);   // wrong: leave elements 768 to 999 of
    const dim3 block(16, 8);
    picture<<<dim3(100 / 16, 10 / 8), block>>>(x, managed<float>(n), 100, 10);   // wrong: the 96 x 8 threads of this launch leave 232 of the 1,000 elements of
    columns<<<dim3(20 / 16, 50 / 8), block>>>(managed<float>(n), 50, 20);   // wrong: leave 232 of the 1,000 elements of

    std::vector<float> host(n, 1.0f);
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n - 1) / threads, threads>>>(d, n);   // wrong: leave elements 768 to 999 of d
    cudaMemcpy(host.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);

    // Right, or meant so.
    twice<<<(n - 1) / threads + 1, threads>>>(managed<float>(n), n);
    twice_all<<<2, 64>>>(managed<float>(n), n);
    halves<<<2, 250>>>(managed<float>(n), n);
    turn_round<<<2, 250>>>(managed<float>(n), n);
    sums<<<4, threads>>>(x, managed<float>(n), n);
    offsets<<<4, threads>>>(managed<int>(1025), 1024);
    twice<<<4, threads>>>(managed<float>(4096), n);   // the others are for later
    twice<<<4, threads>>>(managed<float>(1024 + 32), 1024);   // so are these
    float* z = managed<float>(n);
    for (int begin = 0; begin < n; begin += 250) part<<<1, 250>>>(z, begin, n);
    picture<<<dim3(7, 2), block>>>(x, managed<float>(n), 100, 10);
    float* first = managed<float>(n);
    cudaMemcpy(first, x, n * sizeof(float), cudaMemcpyDefault);
    float* half;
    cudaMalloc(&half, n * sizeof(float));
    cudaMemcpy(half, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<1, threads>>>(half, n);
    cudaMemcpy(host.data(), half, threads * sizeof(float), cudaMemcpyDeviceToHost);   // the others never come back
    cudaDeviceSynchronize();
    printf("%f\n", host[0]);
}
