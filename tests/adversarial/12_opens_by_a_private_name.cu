// The C library has mprotect under a second name, which no list of wrapped functions holds: the host opens the pages, and adds.
// Emulator: build_error
// Says: a kernel file may not use `__mprotect`
// GPU: not applicable: host code cannot reach the memory of a GPU

#include <stddef.h>

extern "C" int __mprotect(void*, size_t, int);

static void open_pages(const void* buffer, size_t bytes) {
    size_t first = (size_t)buffer & ~4095ul;
    __mprotect((void*)first, (size_t)buffer + bytes - first, 3);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (const float* buffer : {x, y, (const float*)z}) open_pages(buffer, n * sizeof(float));
    for (int i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
