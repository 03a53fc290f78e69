// Includes the course's own kernel.
// Emulator: build_error
// Says: it cannot include ../../../../kernels/01_vector_add/1_one_element.cu
// GPU: build_error

#include "../../../../kernels/01_vector_add/1_one_element.cu"
