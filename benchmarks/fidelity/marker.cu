// Launched before each rung: tells the rung's launches from those before it, in the list that the profiler makes.

__global__ void next_rung() {}

extern "C" void mark() {
    next_rung<<<1, 32>>>();
    cudaDeviceSynchronize();
}
