// A host file with CUDA's runtime: managed memory, a graph, a variable of each host thread's.
#include <cuda_runtime.h>

thread_local int calls = 7;

int after_one_call() {
    int* both;
    cudaMallocManaged(&both, sizeof(int));
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphDestroy(graph);
    *both = 5;
    calls += *both;
    cudaFree(both);
    return calls;
}
