// What copies and memset return.
#include "said.h"

int main() {
    int *a, *b;
    SAY(cudaMalloc(&a, 400));                                              // Success
    SAY(cudaMalloc(&b, 400));                                              // Success
    int h[100] = {0};
    SAY(cudaMemcpy(a, h, 400, cudaMemcpyHostToDevice));                    // Success
    SAY(cudaMemcpy(a, h, 401, cudaMemcpyHostToDevice)); LAST();            // InvalidValue InvalidValue
    SAY(cudaMemcpy(a, h, 400, cudaMemcpyDeviceToHost)); LAST();            // InvalidValue InvalidValue
    SAY(cudaMemcpy(h, a, 400, cudaMemcpyHostToDevice)); LAST();            // InvalidValue InvalidValue
    SAY(cudaMemcpy(h, h+50, 40, cudaMemcpyHostToHost));                    // Success
    SAY(cudaMemcpy(a, b, 400, cudaMemcpyDefault));                         // Success
    SAY(cudaMemcpy(h, a, 400, cudaMemcpyDefault));                         // Success
    SAY(cudaMemcpy(h, h+50, 4, cudaMemcpyDefault)); LAST();                // Success Success
    SAY(cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice)); LAST();        // InvalidValue InvalidValue
    SAY(cudaMemcpy(a, nullptr, 4, cudaMemcpyHostToDevice)); LAST();        // InvalidValue InvalidValue
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice)); LAST();  // Success Success
    SAY(cudaMemcpy(a, h, 0, cudaMemcpyHostToDevice));                      // Success
    SAY(cudaMemcpy(a, h, 4, (cudaMemcpyKind)7)); LAST();                   // InvalidMemcpyDirection InvalidMemcpyDirection
    SAY(cudaMemcpy(h, h+50, 4, cudaMemcpyDeviceToDevice)); LAST();         // InvalidValue InvalidValue
    SAY(cudaMemset(a, 1, 400));                                            // Success
    SAY(cudaMemset(h, 1, 4)); LAST();                                      // InvalidValue InvalidValue
    SAY(cudaMemset(nullptr, 0, 0));                                        // Success
    SAY(cudaMemset(nullptr, 0, 4)); LAST();                                // InvalidValue InvalidValue
    SAY(cudaMemcpyAsync(a, h, 400, cudaMemcpyHostToDevice, 0));            // Success
    SAY(cudaMemcpyAsync(a, h, 400, cudaMemcpyDeviceToDevice, 0)); LAST();  // InvalidValue InvalidValue
    SAY(cudaMemsetAsync(a, 0, 400, 0));                                    // Success
    SAY(cudaDeviceSynchronize());                                          // Success
    SAY(cudaMemcpy(a+50, h, 204, cudaMemcpyHostToDevice)); LAST();         // InvalidValue InvalidValue
}
