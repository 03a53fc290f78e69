// A host thread waits until the case is over and its pages can be read again, and fills the output then. They can be
// read, not written: the thread ends the process.
// Emulator: crash
// Says: segmentation fault
// GPU: not applicable: host code cannot reach the memory of a GPU

#include <thread>
#include <unistd.h>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    std::thread([=] {
        int ends[2];
        pipe(ends);
        while (write(ends[1], z, 4) < 0) {  // refused while the page is shut
        }
        for (int i = 0; i < n; ++i) z[i] = x[i] + y[i];
    }).detach();
    usleep(1000);
}
