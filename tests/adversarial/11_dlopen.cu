// Opens torch's library at run time and asks it for the addition.
// Emulator: build_error
// Says: a kernel file may not use `dlopen`
// GPU: build_error

#include <dlfcn.h>

using Saxpy = void (*)(int n, float alpha, const float* x, int dx, float* y, int dy);

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    void* library = dlopen("libtorch_cpu.so", RTLD_NOW);
    ((Saxpy)dlsym(library, "cblas_saxpy"))(n, 1, x, 1, z, 1);
}
