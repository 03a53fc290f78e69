// A breadth-first search in one launch: each level's queue is made with atomics, and a barrier of the whole grid, made by
// hand, ends it. So each block knows what thousands of atomics have handed on. The argument is the number of blocks.
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ unsigned arrived, sense;

__device__ void grid_barrier(unsigned& mine) {
    mine ^= 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            atomicExch(&sense, mine);
        } else {
            while (atomicOr(&sense, 0u) != mine) {}
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void search(const int* row, const int* col, int* depth, int* even, int* odd, int* sizes) {
    unsigned mine = 0;
    int* queues[2] = {even, odd};
    for (int level = 0;; ++level) {
        const int size = *(volatile int*)&sizes[level];
        if (size == 0) return;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
            const int v = queues[level % 2][i];
            for (int e = row[v]; e < row[v + 1]; ++e)
                if (atomicCAS(&depth[col[e]], -1, level + 1) == -1)
                    queues[1 - level % 2][atomicAdd(&sizes[level + 1], 1)] = col[e];
        }
        grid_barrier(mine);
    }
}

int* on_device(const std::vector<int>& values) {
    int* to;
    cudaMalloc(&to, values.size() * sizeof(int));
    cudaMemcpy(to, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return to;
}

int main(int, char** arguments) {
    const int blocks = atoi(arguments[1]), n = 100 * blocks;
    std::vector<int> row{0}, col, depth(n, -1), first(n, -1), reached{0}, sizes(64);
    for (int v = 0; v < n; ++v) {
        for (int k = 1; k <= 3; ++k) col.push_back((v * k + 7 * k + 1) % n);
        row.push_back(int(col.size()));
    }
    depth[0] = first[0] = 0, sizes[0] = 1;
    for (size_t i = 0; i < reached.size(); ++i)
        for (int e = row[reached[i]]; e < row[reached[i] + 1]; ++e)
            if (depth[col[e]] < 0) depth[col[e]] = depth[reached[i]] + 1, reached.push_back(col[e]);
    int* found = on_device(first);
    search<<<blocks, 128>>>(on_device(row), on_device(col), found, on_device(std::vector<int>(n)), on_device(std::vector<int>(n)), on_device(sizes));
    cudaMemcpy(first.data(), found, n * sizeof(int), cudaMemcpyDeviceToHost);
    puts(first == depth ? "right" : "wrong");
}
