// Rows and volumes: pitches, and what their copies return.
#include "said.h"

int main() {
    float* a;
    size_t pitch = 0;
    SAY(cudaMallocPitch(&a, &pitch, 100*4, 10)); SHOW("%zu", pitch);                                 // Success 512
    SAY(cudaMallocPitch(&a, &pitch, 0, 10)); SHOW("%zu", pitch); LAST();                             // Success 0 Success
    SAY(cudaMallocPitch(&a, &pitch, 1000, 10)); SHOW("%zu", pitch);                                  // Success 1024
    static float h[10][250];
    for(int i = 0;i<2500;++i) h[i/250][i%250] = i;
    SAY(cudaMemcpy2D(a, pitch, h, 1000, 1000, 10, cudaMemcpyHostToDevice));                          // Success
    SAY(cudaMemcpy2D(a, 999, h, 1000, 1000, 10, cudaMemcpyHostToDevice)); LAST();                    // InvalidPitchValue InvalidPitchValue
    SAY(cudaMemcpy2D(a, pitch, h, 500, 1000, 10, cudaMemcpyHostToDevice)); LAST();                   // InvalidPitchValue InvalidPitchValue
    SAY(cudaMemcpy2D(a, pitch, h, 1000, 1000, 11, cudaMemcpyHostToDevice)); LAST();                  // InvalidValue InvalidValue
    SAY(cudaMemcpy2D(a, pitch, h, 1000, 0, 10, cudaMemcpyHostToDevice));                             // Success
    SAY(cudaMemcpy2D(a, pitch, h, 1000, 1000, 0, cudaMemcpyHostToDevice)); LAST();                   // Success Success
    SAY(cudaMemset2D(a, pitch, 0, 1000, 10));                                                        // Success
    SAY(cudaMemset2D(a, 100, 0, 1000, 10)); LAST();                                                  // InvalidValue InvalidValue
    SAY(cudaMemset2D(a, pitch, 0, pitch+1, 10)); LAST();                                             // InvalidValue InvalidValue
    SAY(cudaMemcpy2D(a, (size_t)1 << 40, h, 1000, 1000, 1, cudaMemcpyHostToDevice)); LAST();         // Success Success
    static float b[10][250];
    SAY(cudaMemcpy2D(b, 1000, a, pitch, 1000, 10, cudaMemcpyDeviceToHost)); SHOW("%g", b[3][7]);     // Success 0
    cudaPitchedPtr q;
    SAY(cudaMalloc3D(&q, make_cudaExtent(100, 10, 5))); SHOW("%zu", q.pitch); SHOW("%zu", q.xsize);  // Success 512 100
    SHOW("%zu", q.ysize);                                                                            // 10
    SAY(cudaMemset3D(q, 0, make_cudaExtent(100, 10, 5)));                                            // Success
    SAY(cudaMemset3D(q, 0, make_cudaExtent(100, 11, 5))); LAST();                                    // InvalidValue InvalidValue
    SAY(cudaMemset3D(q, 0, make_cudaExtent(1000, 10, 5))); LAST();                                   // InvalidValue InvalidValue
    SAY(cudaMalloc3D(&q, make_cudaExtent(0, 10, 5))); LAST();                                        // Success Success
    cudaMemcpy3DParms c = {};
    SAY(cudaMemcpy3D(&c)); LAST();                                                                   // Success Success
    c.srcPtr = make_cudaPitchedPtr(h, 1000, 250, 10);
    c.dstPtr = make_cudaPitchedPtr(a, pitch, 250, 10);
    c.extent = make_cudaExtent(1000, 10, 1);
    c.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&c)); LAST();                                                                   // Success Success
    c.srcPos = make_cudaPos(4, 0, 0);
    SAY(cudaMemcpy3D(&c)); LAST();                                                                   // InvalidValue InvalidValue
    SAY(cudaMemcpy3D(nullptr)); LAST();                                                              // InvalidValue InvalidValue
}
