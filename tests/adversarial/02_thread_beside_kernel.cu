// The kernel writes zeros and takes its time; while it runs, device memory is open, and a host thread puts the sums there.
// Emulator: host_access
// Says: host code touches z
// GPU: not applicable: host code cannot reach the memory of a GPU

#include <thread>
#include <unistd.h>

__global__ void decoy(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 0;
    for (volatile int wait = 0; i == 0 && wait < 300000; ++wait) {
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    std::thread helper([=] {
        int ends[2];
        pipe(ends);
        while (write(ends[1], z, 4) < 0) {  // refused while the page is shut
        }
        usleep(5000);
        for (int i = 0; i < n; ++i) z[i] = x[i] + y[i];
    });
    decoy<<<(n + 255) / 256, 256, 0, stream>>>(z, n);
    helper.join();
}
