// Would end the processes that grade it: the server that started it, and the judge. It does no harm: it asks whether it
// could.
// Emulator: not_written
// Says: was never written
// Prints: the judge: Operation not permitted
// GPU: not_written

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

static int parent_of(int process) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/stat", process);
    FILE* facts = fopen(name, "r");
    if (!facts) return 1;  // the processes of others are hidden: any of them will do
    int parent = 0;
    fscanf(facts, "%*d %*s %*c %d", &parent);
    fclose(facts);
    return parent;
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    printf("the server: %s\n", kill(getppid(), 0) ? strerror(errno) : "would be gone");
    printf("the judge: %s\n", kill(parent_of(getppid()), 0) ? strerror(errno) : "would be gone");
}
