// Says: `yIndex + i` has to be less than width here, and is multiplied with width, too
// Task: transpose
#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transposeNoBankConflicts(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (xIndex < width && yIndex + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(yIndex + i) * width + xIndex];
    __syncthreads();
    xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (xIndex < height && yIndex + i < width)
            odata[(size_t)(yIndex + i) * width + xIndex] = tile[threadIdx.x][threadIdx.y + i];
}
extern "C" void transpose(const float *x, float *out, int rows, int cols, cudaStream_t stream)
{
    dim3 grid((cols + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
    transposeNoBankConflicts<<<grid, threads, 0, stream>>>(out, x, cols, rows);
}
