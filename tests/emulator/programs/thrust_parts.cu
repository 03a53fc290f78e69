// thrust: what parts a range, keeps elements by a stencil, scans by keys or brings two ranges together; last, an output that is too small.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <cstdio>
#include <vector>

struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct IsSet {
    __host__ __device__ bool operator()(int x) const { return x != 0; }
};

template <class V, class End> void show(const char* before, const V& values, End end) {
    printf("%s", before);
    for (auto each = values.begin(); each != end; ++each) printf(each == values.begin() ? "%d" : " %d", (int)*each);
}

int main() {
    const std::vector<int> numbers{3, 4, 8, 5, 2, 7, 6, 1}, flags{1, 0, 0, 1, 1, 0, 0, 1}, groups{0, 0, 1, 1, 1, 3, 3, 4};
    thrust::device_vector<int> x(numbers.begin(), numbers.end()), stencil(flags.begin(), flags.end()), out(8), other(8);
    thrust::device_vector<int> keys(groups.begin(), groups.end()), y = x;
    const auto raw = [](thrust::device_vector<int>& of) { return thrust::raw_pointer_cast(of.data()); };

    show("stencil: ", out, thrust::copy_if(x.begin(), x.end(), stencil.begin(), out.begin(), IsSet()));
    const auto made = thrust::copy_if(thrust::device, raw(x), raw(x) + 8, raw(stencil), raw(out), IsSet());
    show("; ", out, out.begin() + (made - raw(out)));
    show("; ", y, thrust::remove_if(y.begin(), y.end(), stencil.begin(), IsSet()));
    show("\nodd: ", out, thrust::remove_copy_if(x.begin(), x.end(), out.begin(), IsEven()));

    y = x;
    int many = thrust::stable_partition(y.begin(), y.end(), IsEven()) - y.begin();
    show("\nparted: ", y, y.end()), printf(", %d", many);
    y = x;
    many = thrust::stable_partition(thrust::device, y.begin(), y.end(), stencil.begin(), IsSet()) - y.begin();
    show("; ", y, y.end()), printf(", %d", many);
    y = x;
    many = thrust::partition(y.begin(), y.end(), IsEven()) - y.begin();
    printf("; %d %d", many, (int)(thrust::partition_point(y.begin(), y.end(), IsEven()) - y.begin()));
    const auto both = thrust::partition_copy(x.begin(), x.end(), out.begin(), other.begin(), IsEven());
    show("\ncopied: ", out, both.first), show("; ", other, both.second);

    show("\nby key: ", out, thrust::inclusive_scan_by_key(keys.begin(), keys.end(), x.begin(), out.begin()));
    show("; ", out, thrust::exclusive_scan_by_key(keys.begin(), keys.end(), x.begin(), out.begin()));
    show("; ", out, thrust::exclusive_scan_by_key(thrust::device, keys.begin(), keys.end(), x.begin(), out.begin(), 10));

    show("\nunique: ", out, thrust::unique_copy(keys.begin(), keys.end(), out.begin()));
    y = x;
    const auto ends = thrust::unique_by_key(keys.begin(), keys.end(), y.begin());
    show("; ", keys, ends.first), show("; ", y, ends.second);

    const std::vector<int> some{1, 3, 5}, more{1, 2, 5, 9};
    thrust::device_vector<int> a(some.begin(), some.end()), b(more.begin(), more.end());
    show("\ntogether: ", out, thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("; ", out, thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("; ", out, thrust::set_intersection(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("; ", out, thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("; ", out, thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()));

    thrust::shuffle_copy(thrust::device, x.begin(), x.end(), out.begin(), thrust::default_random_engine(7));
    thrust::shuffle(out.begin(), out.end(), thrust::default_random_engine(3));
    thrust::sort(out.begin(), out.end());
    show("\nshuffled: ", out, out.end());

    using namespace thrust::placeholders;
    thrust::transform(x.begin(), x.end(), stencil.begin(), out.begin(), 2 * _1 - (_2 & 1));
    show("\nplaceholders: ", out, out.end());
    thrust::sort(out.begin(), out.end(), _1 > _2);
    show("; ", out, thrust::remove_if(out.begin(), out.end(), _1 % 2 == 0 || !(_1 < 13)));

    b = a;
    const thrust::host_vector<int> host = b;
    const bool are_equal = a == b && !(a != b) && a == host && host == b;
    b[1] = 7;
    printf("\nequal: %d; %d", are_equal, a != b && b != a && host != b && !(b == host));

    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
    const thrust::tuple<int, int> first = *zipped;
    zipped[1] = thrust::make_tuple(9, 5);
    printf("\nzipped: %d %d %d %d", thrust::get<0>(first), int(a[1]), int(b[1]), int(thrust::get<1>(zipped[1])));

    int* room;
    cudaMalloc(&room, 3 * sizeof(int));
    thrust::copy_if(x.begin(), x.end(), stencil.begin(), thrust::device_pointer_cast(room), IsSet());   // past the end
    printf("\n%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
