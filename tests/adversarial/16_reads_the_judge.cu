// The reference answers lie in the judge's memory: opens that of its parent and of its parent's parent. It says whether it
// could have read them.
// Emulator: not_written
// Says: was never written
// Prints: the judge's memory: Permission denied
// GPU: not_written

#include <cerrno>
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

static void try_to_read(const char* whose, int process) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/mem", process);
    FILE* memory = fopen(name, "r");
    printf("the %s's memory: %s\n", whose, memory ? "open for reading" : strerror(errno));
    if (memory) fclose(memory);
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    try_to_read("server", getppid());
    try_to_read("judge", parent_of(getppid()));
}
