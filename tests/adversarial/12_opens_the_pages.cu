// Takes the protection off the pages of device memory, and adds on the host.
// Emulator: build_error
// Says: a kernel file may not use `mprotect`
// GPU: build_error

#include <sys/mman.h>

static void open_pages(const void* buffer, size_t bytes) {
    size_t first = (size_t)buffer & ~4095ul;
    mprotect((void*)first, (size_t)buffer + bytes - first, PROT_READ | PROT_WRITE);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (const float* buffer : {x, y, (const float*)z}) open_pages(buffer, n * sizeof(float));
    for (int i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
