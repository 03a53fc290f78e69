// Says: no thread comes to a line that stores in z. Is there one, `z[i] = ...;`
// Lesson 01: z[i] = x[i] + y[i] for every i, with one GPU thread for each i.
//
//   x, y     n floats each, in the GPU's memory: read them only
//   z        n floats in the GPU's memory: write every one of them
//   n        1 or more, any number
//   stream   give it to every launch: kernel<<<blocks, threads, 0, stream>>>(...)
//
// `ladder check 01` says how far you are, `ladder hint 01` helps.

// >>> write your kernel here

__global__ void add(const float* x, const float* y, float* z, int n) {
    // Which i is this thread's? threadIdx.x, blockIdx.x and blockDim.x tell. And is there such an element?
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int threads = 256;  // in a block
    int blocks = 1;     // how many blocks do n elements need?
    add<<<blocks, threads, 0, stream>>>(x, y, z, n);
}

// <<<
