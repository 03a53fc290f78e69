// Copies of host memory: those that leave it, in lines that say so, and those beside them that do not.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct Pair {
    float a[8], b[8];
};
struct Flexible {
    int n;
    float x[1];
};
__device__ float numbers[256];
__constant__ float table[64];
__managed__ float both[256];
float global[100];
float* d;

static void up(const void* from, std::size_t bytes) { cudaMemcpy(d, from, bytes, cudaMemcpyHostToDevice); }

void right() {
    std::vector<float> grows(10);
    for (int i = 0; i < 3000; ++i) grows.push_back(i);
    up(grows.data() + 2000, 4000), up(&grows[3009], 4);
    std::array<float, 100> array{};
    up(&array, sizeof array), up(global, sizeof global);
    std::string text;
    for (int i = 0; i < 5000; ++i) text += 'x';
    up(text.data(), 4000);
    char* copied = strdup(text.c_str());
    up(copied + 1001, 4000);
    free(copied);
    for (int i = 0; i < 100; ++i) {
        char* p = static_cast<char*>(std::calloc(100 + i, 1));
        p = static_cast<char*>(std::realloc(p, 4000 + i));
        std::memset(p, 0, 4000 + i);
        up(p, 4000);
        std::free(p);
    }
    auto* flexible = static_cast<Flexible*>(std::calloc(1, sizeof(Flexible) + 99 * sizeof(float)));
    up(flexible->x, 400);
    std::free(flexible);
    Pair pair{};
    up(pair.a, sizeof pair), up(&pair.b[7], 4);
    int many = grows.size() / 10;
    float as_many[many];
    std::memset(as_many, 0, sizeof as_many);
    up(as_many, many * sizeof(float));
    cudaMemcpyToSymbol(numbers, grows.data(), sizeof numbers);
    cudaMemcpyToSymbol(table, grows.data(), sizeof table);
    cudaMemcpy(both, grows.data(), sizeof both, cudaMemcpyDefault);
    float rows[4][100] = {};
    cudaMemcpy2D(d, 400, rows, 400, 400, 4, cudaMemcpyHostToDevice);
}

int main() {
    cudaMalloc(&d, 4000), cudaMemset(d, 0, 4000);
    right();
    auto* few = static_cast<float*>(std::malloc(1000));
    auto* zeroes = static_cast<float*>(std::calloc(100, 1));
    auto larger = std::make_unique<float[]>(100);
    std::vector<float> v(500), whole(1000);
    float local[100], sum;
    float* pointer = few;
    cudaMemcpy(few, d, 4000, cudaMemcpyDeviceToHost);  // wrong: writes past the end of its destination, which is host memory of 1,000 bytes
    cudaMemcpy(few + 50, d, 804, cudaMemcpyDeviceToHost);  // wrong: host memory of 800 bytes from there on
    up(zeroes, 104);
    cudaMemcpy(larger.get(), d, 4000, cudaMemcpyDeviceToHost);  // wrong: of 400 bytes
    cudaMemcpyAsync(v.data(), d, 4000, cudaMemcpyDeviceToHost, nullptr);  // wrong: of 2,000 bytes
    cudaMemcpy(&whole, d, 4000, cudaMemcpyDeviceToHost);  // wrong: hand over v.data(), not &v
    cudaMemcpy(&pointer, d, 4000, cudaMemcpyDeviceToHost);  // wrong: handed over as p, not as &p
    cudaMemcpy(local, d, 4000, cudaMemcpyDeviceToHost);  // wrong: of 400 bytes
    cudaMemcpy(&sum, d, 4000, cudaMemcpyDeviceToHost);  // wrong: of 4 bytes
    cudaMemcpy(d, global, 1000, cudaMemcpyHostToDevice);  // wrong: reads past the end of its source, which is host memory of 400 bytes
    cudaMemcpyFromSymbol(few, numbers, 1024);  // wrong: of 1,000 bytes
    std::free(few), std::free(zeroes);
    cudaFree(d);
}
