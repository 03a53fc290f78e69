// Puzzle 5 of 16, broadcast: one element for many threads.
//
// x has an element for each row of z, y has one for each column. The thread in row r and column c writes
// x[r] + y[c]. So all threads of a row read the same x, and all threads of a column the same y.
//
//             y0     y1     y2
//   x0      x0+y0  x0+y1  x0+y2
//   x1      x1+y0  x1+y1  x1+y2
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void add_outer(const float* x, const float* y, float* z, int cols) {
    int row = threadIdx.y, col = threadIdx.x;
    // your turn: which x, and which y?
    float sum = x[0] + y[0];
    z[row * cols + col] = sum;
}

extern "C" void broadcast(const float* x, const float* y, float* z, int rows, int cols, cudaStream_t stream) {
    add_outer<<<1, dim3(cols, rows), 0, stream>>>(x, y, z, cols);
}
