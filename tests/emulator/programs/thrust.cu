// thrust: vectors, algorithms on them, on pointers and on computed iterators; what the host waits for; last, a functor that writes past an array.
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <cstdio>

struct Saxpy {
    float a;
    __host__ __device__ float operator()(const float& x, const float& y) const { return a * x + y; }
};
struct Product {
    template <class Tuple> __device__ void operator()(Tuple t) { thrust::get<2>(t) = thrust::get<0>(t) * thrust::get<1>(t); }
};
__global__ void twice(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    thrust::host_vector<int> h(8);
    for (int i = 0; i < 8; ++i) h[i] = 5 * i % 8;
    thrust::device_vector<int> d = h;
    thrust::sort(d.begin(), d.end());
    thrust::copy(d.begin(), d.end(), h.begin());
    for (int each : h) printf("%d ", each);
    const int largest = *thrust::max_element(d.begin(), d.end());
    printf("%d %d\n", thrust::reduce(d.begin(), d.end(), 0, thrust::plus<int>()), largest);

    thrust::device_vector<float> x(1000), y(1000, 1.0f), z(1000);
    thrust::sequence(x.begin(), x.end());
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{2});
    thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), z.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(x.end(), y.end(), z.end())), Product());
    twice<<<4, 256>>>(thrust::raw_pointer_cast(z.data()), 1000);
    const long many = thrust::count_if(x.begin(), x.end(), [] __device__(float value) { return value > 500; });
    printf("%g %g %ld\n", (float)z[10], thrust::inner_product(x.begin(), x.begin() + 10, y.begin(), 0.0f), many);

    thrust::inclusive_scan(d.begin(), d.end(), d.begin());
    const int all = d[7];
    thrust::exclusive_scan(thrust::device, d.begin(), d.end(), d.begin(), 10);
    printf("%d %d %d\n", all, (int)d[0], (int)d[7]);

    float* raw;
    cudaMalloc(&raw, 10 * sizeof(float));
    thrust::fill(thrust::device, raw, raw + 10, 3.0f);
    thrust::device_ptr<float> pointer(raw);
    pointer[2] = 7;
    float* end = thrust::unique(thrust::device, raw, raw + 10);
    int keys[4] = {3, 1, 2, 1};
    char values[4] = {'a', 'b', 'c', 'd'};
    thrust::sort_by_key(keys, keys + 4, values);
    printf("%ld %g %.4s\n", (long)(end - raw), thrust::reduce(pointer, pointer + 3), values);
    printf("%d\n", thrust::transform_reduce(thrust::counting_iterator<int>(1), thrust::counting_iterator<int>(101), thrust::square<int>(), 0,
                                            thrust::plus<int>()));
    thrust::device_vector<int> sorted(6), wanted(4), places(4), there(4);
    const int of_sorted[] = {1, 3, 3, 3, 8, 9}, of_wanted[] = {0, 3, 8, 10};
    thrust::copy(of_sorted, of_sorted + 6, sorted.begin());
    thrust::copy(of_wanted, of_wanted + 4, wanted.begin());
    thrust::lower_bound(sorted.begin(), sorted.end(), wanted.begin(), wanted.end(), places.begin());
    thrust::binary_search(thrust::device, sorted.begin(), sorted.end(), wanted.begin(), wanted.end(), there.begin(), thrust::less<int>());
    for (int i = 0; i < 4; ++i) printf("%d %d ", (int)places[i], (int)there[i]);
    const auto last = thrust::upper_bound(sorted.begin(), sorted.end(), 3);
    const int* const none = thrust::lower_bound(of_sorted, of_sorted + 6, 9, thrust::less<int>());
    printf("%ld %ld %d\n", (long)(last - sorted.begin()), (long)(none - of_sorted), thrust::binary_search(of_sorted, of_sorted + 6, 4));

    int* both;
    cudaStream_t stream;
    cudaMallocManaged(&both, 64 * sizeof(int));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    thrust::fill(thrust::cuda::par.on(stream), both, both + 64, 4);
    both[0] = 5;   // an algorithm's end is waited for
    thrust::fill(thrust::device_ptr<int>(both), thrust::device_ptr<int>(both + 64), 6);
    both[1] += 1;
    thrust::sequence(thrust::cuda::par_nosync.on(stream), both, both + 64);
    both[2] = 8;   // too early
    cudaDeviceSynchronize();
    printf("%d %d\n", both[1], both[63]);

    thrust::device_vector<float> ten(10);
    float* of_ten = thrust::raw_pointer_cast(ten.data());
    thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(4), [=] __device__(int i) {
        of_ten[i + 7] = i;   // the last one past the end
    });
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
