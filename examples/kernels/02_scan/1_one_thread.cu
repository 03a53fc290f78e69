// Rung 1 of 5: one thread does it all.
//
// A running sum seems to be made for one thread: each output is the one before it and one element more. This is the
// program that everyone would write for a CPU. It is right, and on a GPU it leaves all of it idle but one lane.
//
// Measured on an H200 at 2^24 elements: 837 ms; torch.cumsum 59 us.

__global__ void scan_all(const int* x, int* y, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i];
        y[i] = sum;
    }
}

extern "C" void scan(const int* x, int* y, unsigned long long* scratch, int n, cudaStream_t stream) {
    scan_all<<<1, 1, 0, stream>>>(x, y, n);
}
