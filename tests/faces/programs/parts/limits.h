#pragma once
#define COUNT 100
void fill(float* x);
#define CHECK(call)                                                                                    \
    do {                                                                                               \
        if (const cudaError_t error = (call)) {                                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                      \
            exit(STATUS);                                                                              \
        }                                                                                              \
    } while (0)
