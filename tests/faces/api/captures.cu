// Captures of several streams, and what breaks one.
#include "said.h"

__global__ void k(int* x){ x[0] += 1; }

int main() {
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    int* d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaEvent_t v;
    cudaEventCreate(&v);
    int h = 0;
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));       // Success
    k<<<1, 1, 0, s>>>(d);
    SAY(cudaEventRecord(v, s));                                        // Success
    SAY(cudaStreamWaitEvent(t, v, 0));                                 // Success
    k<<<1, 1, 0, t>>>(d);
    SAY(cudaStreamEndCapture(s, &g)); LAST();                          // StreamCaptureUnjoined StreamCaptureUnjoined
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));       // Success
    SAY(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));         // Success
    SAY(cudaEventRecord(v, s));                                        // Success
    SAY(cudaEventQuery(v)); LAST();                                    // CapturedEvent CapturedEvent
    SAY(cudaStreamEndCapture(s, &g)); LAST();                          // StreamCaptureInvalidated StreamCaptureInvalidated
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));       // Success
    k<<<1, 1>>>(d); LAST();                                            // StreamCaptureImplicit
    SAY(cudaStreamEndCapture(s, &g)); LAST();                          // StreamCaptureInvalidated StreamCaptureInvalidated
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));       // Success
    SAY(cudaDeviceSynchronize());                                      // StreamCaptureUnsupported
    SAY(cudaStreamEndCapture(s, &g)); LAST();                          // StreamCaptureInvalidated StreamCaptureInvalidated
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));       // Success
    k<<<1, 5000, 0, s>>>(d); LAST();                                   // InvalidValue
    SAY(cudaStreamEndCapture(s, &g)); LAST();                          // StreamCaptureInvalidated StreamCaptureInvalidated
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));       // Success
    SAY(cudaStreamEndCapture(t, &g));                                  // IllegalState
    SAY(cudaStreamEndCapture(s, &g)); LAST();                          // Success IllegalState
    size_t n = 9;
    SAY(cudaGraphGetNodes(g, nullptr, &n)); SHOW("%zu", n);            // Success 0
    SAY(cudaGraphInstantiate(&e, g, 0));                               // Success
    SAY(cudaGraphLaunch(e, s));                                        // Success
    SAY(cudaStreamSynchronize(s));                                     // Success
    SAY(cudaGraphExecUpdate(e, g, nullptr));                           // Success
    SAY(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost)); SHOW("%d", h);  // Success 0
}
