// When it is loaded, overwrites the code of the function that reads a clock.
// Emulator: build_error
// Says: a kernel file may not use `mprotect`
// GPU: build_error

#include <cstring>
#include <ctime>
#include <sys/mman.h>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

static int no_time(clockid_t, timespec* now) {
    *now = {};
    return 0;
}

__attribute__((constructor)) static void patch() {
    char* code = (char*)&clock_gettime;
    mprotect((void*)((size_t)code & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    unsigned char jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // mov rax, no_time; jmp rax
    void* target = (void*)&no_time;
    memcpy(jump + 2, &target, 8);
    memcpy(code, jump, sizeof jump);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
