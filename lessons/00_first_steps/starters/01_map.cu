// Puzzle 1 of 16, map: each thread has an element of its own.
//
// There are as many threads as elements, and all of them run this one kernel. `threadIdx.x` says which
// thread it is: 0, 1, 2, ... Thread i writes z[i]: ten times x[i].
//
//   thread   0    1    2    3
//            |    |    |    |
//   x        1    2    3    4
//   z       10   20   30   40
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void times_ten(const float* x, float* z) {
    // your turn: which i is this thread's? And then, z[i] is ten times x[i].
}

extern "C" void map(const float* x, float* z, int n, cudaStream_t stream) {
    times_ten<<<1, n, 0, stream>>>(x, z);  // one block of n threads
}
