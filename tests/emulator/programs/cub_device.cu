// cub's algorithms for the whole device, beyond sums and scans.
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

template <class T> T* on_device(const std::vector<T>& values) {
    T* to;
    cudaMalloc(&to, values.size() * sizeof(T));
    cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

template <class T> void print(const char* name, const T* from, int n) {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s:", name);
    for (T value : values) printf(" %g", double(value));
    printf("\n");
}

// Asks `f` for its temporary memory, and lets it run.
template <class F> void with_memory(F f) {
    void* temporary = nullptr;
    size_t bytes = 0;
    f(temporary, bytes);
    cudaMalloc(&temporary, bytes);
    f(temporary, bytes);
    cudaFree(temporary);
}

struct IsOdd {
    __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};
struct Less {
    template <class T> __host__ __device__ bool operator()(const T& a, const T& b) const { return a < b; }
};
struct Twice {
    __device__ void operator()(int& value) const { value *= 2; }
};
struct Ones {
    int* to;
    __device__ void operator()(int i) const { to[i] = 1; }
};

int main() {
    const std::vector<int> numbers = {7, 7, 2, 9, 9, 9, 4, 1, 1, 8};
    const int n = static_cast<int>(numbers.size());
    int* const in = on_device(numbers);
    int* const out = on_device(std::vector<int>(n, 0));
    int* const other = on_device(std::vector<int>(n, 0));
    int* const count = on_device(std::vector<int>{0});
    char* const flags = on_device(std::vector<char>{1, 0, 0, 1, 1, 0, 0, 0, 1, 1});

    with_memory([&](void* t, size_t& b) { cub::DeviceSelect::Flagged(t, b, in, flags, out, count, n); });
    print("flagged", count, 1), print("flagged", out, 5);
    with_memory([&](void* t, size_t& b) { cub::DeviceSelect::If(t, b, in, out, count, n, IsOdd()); });
    print("odd", count, 1), print("odd", out, 7);
    with_memory([&](void* t, size_t& b) { cub::DeviceSelect::Unique(t, b, in, out, count, n); });
    print("unique", count, 1), print("unique", out, 6);
    with_memory([&](void* t, size_t& b) { cub::DevicePartition::Flagged(t, b, in, flags, out, count, n); });
    print("partition", count, 1), print("partition", out, n);
    with_memory([&](void* t, size_t& b) { cub::DevicePartition::If(t, b, in, out, count, n, IsOdd()); });
    print("odd first", count, 1), print("odd first", out, n);
    with_memory([&](void* t, size_t& b) { cub::DeviceRunLengthEncode::Encode(t, b, in, out, other, count, n); });
    print("runs", count, 1), print("runs", out, 6), print("lengths", other, 6);

    int* const bins = on_device(std::vector<int>(5, 77));
    with_memory([&](void* t, size_t& b) { cub::DeviceHistogram::HistogramEven(t, b, in, bins, 6, 0, 10, n); });
    print("even", bins, 5);
    const std::vector<float> samples = {0.1f, 2.5f, 2.6f, -1.0f, 9.9f, 10.0f, 5.0f};
    float* const floats = on_device(samples);
    with_memory([&](void* t, size_t& b) { cub::DeviceHistogram::HistogramEven(t, b, floats, bins, 5, 0.0f, 10.0f, 7); });
    print("even", bins, 4);
    float* const levels = on_device(std::vector<float>{0, 1, 2.55f, 10.5f});
    with_memory([&](void* t, size_t& b) { cub::DeviceHistogram::HistogramRange(t, b, floats, bins, 4, levels, 7); });
    print("range", bins, 3);

    unsigned char* const pixels = on_device(std::vector<unsigned char>{1, 9, 0, 77, 2, 9, 0, 77, 3, 5, 8, 77});   // of 4 samples each
    int* of_channels[] = {bins, out, other};
    int edges[] = {5, 3, 3};
    unsigned lowest[] = {0, 4, 0}, beyond[] = {4, 10, 8};
    with_memory([&](void* t, size_t& b) {
        cub::DeviceHistogram::MultiHistogramEven<4, 3>(t, b, pixels, of_channels, edges, lowest, beyond, 3);
    });
    print("channels", bins, 4), print("channels", out, 2), print("channels", other, 2);

    int* const offsets = on_device(std::vector<int>{0, 3, 3, 10});
    with_memory([&](void* t, size_t& b) { cub::DeviceSegmentedReduce::Sum(t, b, in, out, 3, offsets, offsets + 1); });
    print("sums", out, 3);
    with_memory([&](void* t, size_t& b) { cub::DeviceSegmentedReduce::Max(t, b, in, out, 3, offsets, offsets + 1); });
    print("maxima", out, 3);

    const std::vector<int> mixed = {300, -1, 17, 258, -300, 5};
    int* const keys = on_device(mixed);
    int* const values = on_device(std::vector<int>{0, 1, 2, 3, 4, 5});
    with_memory([&](void* t, size_t& b) { cub::DeviceRadixSort::SortPairs(t, b, keys, out, values, other, 6, 0, 8); });
    print("low byte", out, 6), print("low byte", other, 6);
    with_memory([&](void* t, size_t& b) { cub::DeviceRadixSort::SortKeysDescending(t, b, keys, out, 6, 24, 32); });
    print("high byte", out, 6);
    with_memory([&](void* t, size_t& b) { cub::DeviceRadixSort::SortKeys(t, b, floats, reinterpret_cast<float*>(other), 7); });
    print("floats", reinterpret_cast<float*>(other), 7);
    with_memory([&](void* t, size_t& b) { cub::DeviceRadixSort::SortKeys(t, b, floats, reinterpret_cast<float*>(other), 7, 16, 32); });
    print("their halves", reinterpret_cast<float*>(other), 7);
    with_memory([&](void* t, size_t& b) { cub::DeviceMergeSort::SortPairs(t, b, keys, values, 6, Less()); });
    print("merged", keys, 6), print("merged", values, 6);

    cub::DeviceFor::ForEachN(in, n, Twice());
    cub::DeviceFor::Bulk(3, Ones{in});
    print("each", in, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
