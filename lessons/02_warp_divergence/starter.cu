// Lesson 02: from angles to points on the circle, xy[2 i] = cos(phi[i]) and xy[2 i + 1] = sin(phi[i]).
//
//   phi      n angles in the GPU's memory, from -pi to pi: read them only
//   xy       n pairs, 2 n floats, in the GPU's memory: write every one of them
//   n        1 or more, any number
//   stream   give it to every launch: kernel<<<blocks, threads, 0, stream>>>(...)
//
// `ladder check 02` says how far you are, `ladder hint 02` helps.

// >>> write your kernel here

__global__ void points(const float* phi, float* xy, int n) {
    // A thread for each number, or one for each angle? In the first case, what do the lanes of a warp do?
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    int threads = 256;
    int blocks = (n - 1) / threads + 1;
    points<<<blocks, threads, 0, stream>>>(phi, xy, n);
}

// <<<
