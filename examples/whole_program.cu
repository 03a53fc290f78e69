// A whole CUDA program: vector addition with everything around it, as one writes it without this course.
//
//     nvcc -O3 -arch=native -o whole_program whole_program.cu && ./whole_program
//
// h_ names the host's memory, d_ the device's. Each call that can fail is asked whether it did.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Prints where a call failed and why, and ends the program. A launch returns nothing: cudaGetLastError() tells of it.
#define CHECK(call)                                                                                    \
    do {                                                                                               \
        cudaError_t error = (call);                                                                    \
        if (error != cudaSuccess) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));        \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (false)

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

// Milliseconds of one launch, by the GPU's own clock: an event notes the time when the stream reaches it.
// Before it, the L2 cache is filled with something else, so that x and y come from memory.
float time_once(const float* d_x, const float* d_y, float* d_z, int n, char* d_flush, size_t flush_bytes) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemset(d_flush, 0, flush_bytes));
    CHECK(cudaEventRecord(start));
    add<<<(n - 1) / 256 + 1, 256>>>(d_x, d_y, d_z, n);
    CHECK(cudaGetLastError());           // was the launch refused?
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));   // the host waits here; a fault inside the kernel shows here, too
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return milliseconds;
}

float median_time(const float* d_x, const float* d_y, float* d_z, int n) {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    size_t flush_bytes = std::max<size_t>(2 * size_t(gpu.l2CacheSize), 1 << 20);
    char* d_flush;
    CHECK(cudaMalloc(&d_flush, flush_bytes));
    std::vector<float> times;
    for (int run = 0; run < 24; ++run) {
        float milliseconds = time_once(d_x, d_y, d_z, n, d_flush, flush_bytes);
        if (run >= 3) times.push_back(milliseconds);  // the first runs load code, and the clocks still rise
    }
    CHECK(cudaFree(d_flush));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main(int argc, char** argv) {
    int n = argc > 1 ? std::atoi(argv[1]) : 10'000'000;
    size_t bytes = n * sizeof(float), before, after, total;
    std::vector<float> h_x(n), h_y(n), h_z(n);
    for (int i = 0; i < n; ++i) {
        h_x[i] = i % 1000;
        h_y[i] = 0.5f;
    }

    CHECK(cudaMemGetInfo(&before, &total));
    float *d_x, *d_y, *d_z;
    CHECK(cudaMalloc(&d_x, bytes));  // 1. room in device memory
    CHECK(cudaMalloc(&d_y, bytes));
    CHECK(cudaMalloc(&d_z, bytes));
    CHECK(cudaMemGetInfo(&after, &total));
    CHECK(cudaMemcpy(d_x, h_x.data(), bytes, cudaMemcpyHostToDevice));  // 2. the inputs go there
    CHECK(cudaMemcpy(d_y, h_y.data(), bytes, cudaMemcpyHostToDevice));

    float milliseconds = median_time(d_x, d_y, d_z, n);  // 3. the kernel

    CHECK(cudaMemcpy(h_z.data(), d_z, bytes, cudaMemcpyDeviceToHost));  // 4. the result; this waits for step 3
    CHECK(cudaFree(d_x));                                               // 5. what was taken is given back
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_z));

    for (int i = 0; i < n; ++i) {
        if (h_z[i] != h_x[i] + h_y[i]) {
            std::fprintf(stderr, "z[%d] is %g\n", i, h_z[i]);
            return 1;
        }
    }
    std::printf("%d additions are right\n", n);
    std::printf("%.1f us a launch, %.0f GB/s\n", 1e3f * milliseconds, 3 * bytes / (1e6 * milliseconds));
    std::printf("%.0f MB of device memory taken\n", (before - after) / 1e6);
}
