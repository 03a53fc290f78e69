// Rung 3 of 5: a warp adds by shuffles.
//
// The same steps, but within a warp they need neither shared memory nor barriers: `__shfl_up_sync` reads a register of
// the lane that is `distance` places before. Five steps scan the warp's 32 elements. Then the 32 warps hand on
// their sums through shared memory, one warp scans these in the same way, and each adds what came before it. A tile
// takes three barriers, where it took 21.
//
// Measured on an H200 at 2^24 elements: 12.7 ms (rung 2: 22.5 ms).

constexpr int kBlock = 1024;
constexpr int kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes

// The sum of the values of all lanes up to this one.
__device__ int warp_scan(int value) {
    int lane = threadIdx.x % kLanes;
    for (int distance = 1; distance < kLanes; distance *= 2) {
        int before = __shfl_up_sync(kWarp, value, distance);
        value += lane >= distance ? before : 0;
    }
    return value;
}

__global__ void scan_tiles(const int* x, int* y, int n) {
    __shared__ int sums[kBlock / kLanes];
    int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    int carry = 0;
    for (int first = 0; first < n; first += kBlock) {
        int i = first + threadIdx.x;
        int value = warp_scan(i < n ? x[i] : 0);
        if (lane == kLanes - 1) {
            sums[warp] = value;
        }
        __syncthreads();
        if (warp == 0) {
            sums[lane] = warp_scan(sums[lane]);
        }
        __syncthreads();
        if (i < n) {
            y[i] = carry + (warp > 0 ? sums[warp - 1] : 0) + value;
        }
        carry += sums[kBlock / kLanes - 1];
        __syncthreads();  // all have read the sums
    }
}

extern "C" void scan(const int* x, int* y, unsigned long long* scratch, int n, cudaStream_t stream) {
    scan_tiles<<<1, kBlock, 0, stream>>>(x, y, n);
}
