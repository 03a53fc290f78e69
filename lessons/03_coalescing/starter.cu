// Lesson 03: sums along the rows and down the columns of a matrix, and its transpose.
//
//   row_sum      out[r]    = sum of x[r][c] over c         x is rows x cols, out has rows elements
//   column_sum   out[b][c] = sum of x[b][r][c] over r      x is batch x rows x cols, out is batch x cols
//   transpose    out[c][r] = x[r][c]                       x is rows x cols, out is cols x rows
//
// All lie in the GPU's memory row by row: x[r][c] is x[r * cols + c]. All sizes are 1 or more, any number.
// Give `stream` to every launch: kernel<<<blocks, threads, 0, stream>>>(...)
//
// `ladder check 03 --task transpose` grades one of them, `ladder hint 03 --task transpose` helps.

// >>> write your kernel here

__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    // Which elements should the 32 threads of a warp read at the same moment?
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<(rows - 1) / 256 + 1, 256, 0, stream>>>(x, out, rows, cols);
}

__global__ void sum_columns(const float* x, float* out, int batch, int rows, int cols) {
    // The same question has another answer here. And if there are only a few columns: who does the rest of the work?
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    sum_columns<<<(batch * cols - 1) / 256 + 1, 256, 0, stream>>>(x, out, batch, rows, cols);
}

__global__ void transpose_tiles(const float* x, float* out, int rows, int cols) {
    // Reading along a row is writing down a column. Where can a block turn a piece of the matrix round?
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    dim3 threads(32, 8), blocks((cols - 1) / 32 + 1, (rows - 1) / 32 + 1);
    transpose_tiles<<<blocks, threads, 0, stream>>>(x, out, rows, cols);
}

// <<<
