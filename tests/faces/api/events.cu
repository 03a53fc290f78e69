// Events and streams.
#include "said.h"

__global__ void k(){ }

int main() {
    cudaEvent_t a, b, c;
    SAY(cudaEventCreate(&a));                                                         // Success
    SAY(cudaEventCreate(&b));                                                         // Success
    SAY(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));                        // Success
    float ms = -1;
    SAY(cudaEventElapsedTime(&ms, a, b)); LAST();                                     // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaEventRecord(a));                                                          // Success
    SAY(cudaEventElapsedTime(&ms, a, b)); LAST();                                     // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaEventQuery(b));                                                           // Success
    SAY(cudaEventSynchronize(b));                                                     // Success
    SAY(cudaEventRecord(b));                                                          // Success
    SAY(cudaEventSynchronize(b));                                                     // Success
    SAY(cudaEventElapsedTime(&ms, a, b)); SHOW("%d", ms >= 0);                        // Success 1
    SAY(cudaEventRecord(c));                                                          // Success
    SAY(cudaEventSynchronize(c));                                                     // Success
    SAY(cudaEventElapsedTime(&ms, a, c)); LAST();                                     // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaEventElapsedTime(nullptr, a, b)); LAST();                                 // InvalidValue InvalidValue
    SAY(cudaEventCreateWithFlags(&c, 99)); LAST();                                    // InvalidValue InvalidValue
    SAY(cudaEventCreate(nullptr)); LAST();                                            // InvalidValue InvalidValue
    SAY(cudaEventDestroy(a));                                                         // Success
    SAY(cudaEventRecord(nullptr)); LAST();                                            // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaEventDestroy(nullptr)); LAST();                                           // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaEventQuery(nullptr)); LAST();                                             // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaEventSynchronize(nullptr)); LAST();                                       // InvalidResourceHandle InvalidResourceHandle
    cudaStream_t s;
    SAY(cudaStreamCreate(&s));                                                        // Success
    SAY(cudaStreamWaitEvent(s, b));                                                   // Success
    SAY(cudaStreamWaitEvent(s, nullptr)); LAST();                                     // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaStreamQuery(s));                                                          // Success
    SAY(cudaStreamSynchronize(s));                                                    // Success
    SAY(cudaStreamDestroy(s));                                                        // Success
    SAY(cudaStreamCreateWithFlags(&s, 5)); LAST();                                    // InvalidValue InvalidValue
    SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));                        // Success
    unsigned f = 9;
    SAY(cudaStreamGetFlags(s, &f)); SHOW("%u", f);                                    // Success 1
    int pr = 5;
    SAY(cudaStreamGetPriority(s, &pr)); SHOW("%d", pr);                               // Success 0
    int lo, hi;
    SAY(cudaDeviceGetStreamPriorityRange(&lo, &hi)); SHOW("%d", lo); SHOW("%d", hi);  // Success 0 -5
    SAY(cudaStreamDestroy(s));                                                        // Success
    SAY(cudaStreamCreateWithPriority(&s, 0, -3));                                     // Success
    SAY(cudaStreamGetPriority(s, &pr)); SHOW("%d", pr);                               // Success -3
    SAY(cudaStreamCreateWithPriority(&s, 0, -99));                                    // Success
    SAY(cudaStreamGetPriority(s, &pr)); SHOW("%d", pr);                               // Success -5
    SAY(cudaStreamDestroy(nullptr)); LAST();                                          // InvalidResourceHandle InvalidResourceHandle
    SAY(cudaStreamCreate(nullptr)); LAST();                                           // InvalidValue InvalidValue
    SAY(cudaStreamQuery(0));                                                          // Success
    SAY(cudaStreamSynchronize(cudaStreamPerThread));                                  // Success
    SAY(cudaStreamSynchronize(cudaStreamLegacy));                                     // Success
    SAY(cudaStreamGetFlags(0, &f)); SHOW("%u", f);                                    // Success 0
    SAY(cudaEventRecordWithFlags(b, 0, 0));                                           // Success
    SAY(cudaEventRecordWithFlags(b, 0, 9)); LAST();                                   // InvalidValue InvalidValue
}
