// Asks this machine's GPU for the rows that the emulator promises: one line each, its name and then z.
//
//     nvcc -std=c++17 -arch=native -o rows tests/gpu/rows.cu && ./rows
//
// With the name of a row, that row alone: for Nsight Compute. tests/gpu/test_rows_on_gpu.py compares them with what is
// expected.
#include <cstdio>
#include <cstring>
#include <vector>

struct Row { const char* name; void (*run)(int* z, cudaStream_t stream); };
static std::vector<Row>& rows() {
    static std::vector<Row> all;
    return all;
}
struct Listed {
    Listed(const char* name, void (*run)(int* z, cudaStream_t stream)) { rows().push_back({name, run}); }
};

#define ROW(name)                                          \
    extern "C" void name(int* z, cudaStream_t stream);     \
    static Listed listed_##name(#name, name);              \
    extern "C" void name(int* z, cudaStream_t stream)
#include "../emulator/kernels/hardware.cu"

int main(int count, char** arguments) {
    constexpr int words = 128;
    int *z, host[words];
    cudaStream_t stream;
    if (cudaMalloc(&z, sizeof host) || cudaStreamCreate(&stream)) return 1;
    for (const Row& row : rows()) {
        if (count > 1 && std::strcmp(arguments[1], row.name) != 0) continue;
        cudaMemset(z, 0, sizeof host);
        row.run(z, stream);
        if (const cudaError_t error = cudaStreamSynchronize(stream)) {
            std::printf("%s: %s\n", row.name, cudaGetErrorString(error));
            return 1;
        }
        cudaMemcpy(host, z, sizeof host, cudaMemcpyDeviceToHost);
        std::printf("%s", row.name);
        for (int word : host) std::printf(" %d", word);
        std::printf("\n");
    }
    return cudaDeviceSynchronize();
}
