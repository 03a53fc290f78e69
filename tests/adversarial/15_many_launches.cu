// Launches an empty kernel 300,000 times: the record of its launches must not fill the judge's line.
// Emulator: timeout
// Says: launch it once, without the loop
// GPU: not_written
// Slow: 300,000 launches

__global__ void nothing_with_a_name_that_takes_room_in_a_list_of_launches() {}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (int i = 0; i < 300'000 && n == 100'003; ++i)
        nothing_with_a_name_that_takes_room_in_a_list_of_launches<<<1, 1, 0, stream>>>();
}
