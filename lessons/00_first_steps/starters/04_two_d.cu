// Puzzle 4 of 16, two_d: rows and columns.
//
// A block may have two dimensions. Here it has a thread for each element of a matrix of `rows` by `cols`,
// and the thread (threadIdx.x, threadIdx.y) negates the element in column threadIdx.x of row threadIdx.y.
// Memory has no rows: they lie one after the other, each `cols` elements long.
//
//            col 0  col 1  col 2  col 3
//   row 0      0      1      2      3       the index i
//   row 1      4      5      6      7       of each element
//   row 2      8      9     10     11       in memory
//
// `ladder check 00` says how far you are, `ladder hint 00` helps.

__global__ void negate(const float* x, float* z, int cols) {
    int row = threadIdx.y, col = threadIdx.x;
    // your turn: before this row come `row` whole rows, before this element `col` elements of its own row
    int i = row + col;
    z[i] = -x[i];
}

extern "C" void two_d(const float* x, float* z, int rows, int cols, cudaStream_t stream) {
    negate<<<1, dim3(cols, rows), 0, stream>>>(x, z, cols);
}
