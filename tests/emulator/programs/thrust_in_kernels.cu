// thrust's algorithms, called by one thread of a kernel: on global, shared and local arrays.
#include <cstdio>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

constexpr int kCount = 21;

// What stands in `x` in the end: 0, ..., 20, and in `y`: their sums.
template <class It> __device__ float all(It x, It y) {
    const It end = x + kCount;
    thrust::transform(thrust::seq, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(kCount), x,
                      [](int i) { return static_cast<float>(i * 13 % kCount); });
    thrust::sort(thrust::seq, x, end, thrust::greater<float>());
    thrust::stable_sort(thrust::seq, x, end, [](float a, float b) { return a / 4 < b / 4; });
    thrust::for_each(thrust::seq, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(kCount), [=](int i) { y[i] = 1; });
    thrust::sort(thrust::seq, x, end);
    thrust::fill(thrust::seq, y, y + kCount, 2.0f);
    thrust::inclusive_scan(thrust::seq, x, end, y);
    return y[kCount - 1] + 1000 * (thrust::lower_bound(thrust::seq, x, end, 9.5f) - x) + thrust::reduce(thrust::seq, x, end) / 1024;
}

__global__ void right(float* x, float* y, float* z) {
    __shared__ float s[kCount], t[kCount];
    if (threadIdx.x > 0) return;
    float a[kCount], b[kCount];
    z[0] = all(x, y);
    z[1] = all(s, t);
    z[2] = all(a, b);
    z[3] = all(thrust::device_pointer_cast(x), thrust::device_pointer_cast(y));
    const auto ends = thrust::minmax_element(thrust::device, x, x + kCount);
    const float *least = ends.first, *most = ends.second;
    z[4] = most - least;
    thrust::copy(thrust::seq, a, a + kCount, x);
}
// Sorted by its tens, and within these in the order as before.
__global__ void by_key(int* keys, float* values) {
    for (int i = 0; i < kCount; ++i) keys[i] = i * 13 % kCount / 10, values[i] = static_cast<float>(i);
    thrust::sort_by_key(thrust::seq, keys, keys + kCount, values);
}
__global__ void wrong(float* x) {
    thrust::sort(thrust::seq, x, x + kCount + 1);  // past the end
}

int main() {
    float *x, *y, *z, result[5], values[kCount];
    int *keys, sorted[kCount];
    cudaMalloc(&x, sizeof values), cudaMalloc(&y, sizeof values), cudaMalloc(&z, sizeof result), cudaMalloc(&keys, sizeof sorted);
    right<<<1, 32>>>(x, y, z);
    cudaMemcpy(result, z, sizeof result, cudaMemcpyDeviceToHost);
    for (const float each : result) printf("%.9g ", each);
    by_key<<<1, 1>>>(keys, y);
    cudaMemcpy(sorted, keys, sizeof sorted, cudaMemcpyDeviceToHost);
    cudaMemcpy(values, y, sizeof values, cudaMemcpyDeviceToHost);
    bool is_right = true;
    for (int i = 1; i < kCount; ++i) is_right &= sorted[i - 1] < sorted[i] || (sorted[i - 1] == sorted[i] && values[i - 1] < values[i]);
    int host[kCount];
    thrust::for_each(thrust::host, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(kCount), [&](int i) { host[i] = 2 * i; });
    printf("\n%d %g %d\n", is_right, values[kCount - 1], host[kCount - 1]);
    wrong<<<1, 1>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
