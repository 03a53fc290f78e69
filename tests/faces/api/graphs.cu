// Graphs, captured and built.
#include "said.h"

__global__ void k(int* x, int a){ x[0] = x[0]*10+a; }

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int* d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamCaptureStatus st;
    SAY(cudaStreamIsCapturing(s, &st)); SHOW("%d", (int)st);              // Success 0
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));          // Success
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));          // IllegalState
    SAY(cudaStreamIsCapturing(s, &st)); SHOW("%d", (int)st);              // Success 1
    k<<<1, 1, 0, s>>>(d, 1);
    k<<<1, 1, 0, s>>>(d, 2);
    SAY(cudaStreamEndCapture(s, &g)); LAST();                             // Success IllegalState
    size_t n = 0;
    SAY(cudaGraphGetNodes(g, nullptr, &n)); SHOW("%zu", n);               // Success 2
    SAY(cudaGraphInstantiate(&e, g, 0));                                  // Success
    SAY(cudaGraphLaunch(e, s));                                           // Success
    SAY(cudaGraphLaunch(e, s));                                           // Success
    SAY(cudaStreamSynchronize(s));                                        // Success
    int h;
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); SHOW("%d", h);          // 1212
    SAY(cudaStreamEndCapture(s, &g)); LAST();                             // IllegalState IllegalState
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));          // Success
    SAY(cudaStreamSynchronize(s));                                        // StreamCaptureUnsupported
    SAY(cudaStreamEndCapture(s, &g)); LAST(); LAST();                     // StreamCaptureInvalidated StreamCaptureInvalidated Success
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));         // Success
    SAY(cudaStreamQuery(s));                                              // StreamCaptureUnsupported
    SAY(cudaStreamEndCapture(s, &g)); LAST();                             // StreamCaptureInvalidated StreamCaptureInvalidated
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));     // Success
    void* p;
    SAY(cudaMalloc(&p, 4));                                               // StreamCaptureUnsupported
    SAY(cudaStreamEndCapture(s, &g)); LAST();                             // StreamCaptureInvalidated StreamCaptureInvalidated
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)); LAST();  // StreamCaptureUnsupported StreamCaptureUnsupported
    SAY(cudaGraphCreate(&g, 0));                                          // Success
    cudaGraphNode_t a, b;
    cudaKernelNodeParams kp = {};
    int one = 7;
    void* args[] = {&d, &one};
    kp.func = (void*)k;
    kp.gridDim = 1;
    kp.blockDim = 1;
    kp.kernelParams = args;
    SAY(cudaGraphAddKernelNode(&a, g, nullptr, 0, &kp));                  // Success
    SAY(cudaGraphAddEmptyNode(&b, g, &a, 1));                             // Success
    SAY(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));                 // Success
    cudaGraphExec_t e2;
    SAY(cudaGraphInstantiate(&e2, g, 0)); LAST();                         // InvalidValue InvalidValue
    SAY(cudaGraphDestroy(g));                                             // Success
    SAY(cudaGraphExecDestroy(e));                                         // Success
    SAY(cudaGraphExecDestroy(nullptr)); LAST();                           // InvalidValue InvalidValue
    SAY(cudaGraphDestroy(nullptr)); LAST();                               // InvalidValue InvalidValue
    SAY(cudaGraphLaunch(nullptr, s)); LAST();                             // InvalidValue InvalidValue
}
