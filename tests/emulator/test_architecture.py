"""What `__CUDA_ARCH__` and the device say: 9.0, and which way a file goes that has what is not emulated of it."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.emulator.first_lines import architecture

SOURCE = """
#include <cuda_runtime.h>
__global__ void kernel(float* z, int of_device) {
#if __CUDA_ARCH__ >= 900
    z[0] = 90 + of_device;
    WAY_OF_9
#else
    z[0] = 80 + of_device;
#endif
}
extern "C" void entry(float* z, cudaStream_t stream) {
    cudaDeviceProp its;
    cudaGetDeviceProperties(&its, 0);
    kernel<<<1, 1, 0, stream>>>(z, its.major);
}
"""
PROTOTYPE = "void entry(float* z, cudaStream_t stream)"


@pytest.mark.parametrize(
    ("way", "said"),
    [("", 99), ('asm volatile("wgmma.fence.sync.aligned;" ::: "memory");', 89), ("cuda::ptx::cp_async_bulk();", 89)],
)
def test_a_file_that_has_what_is_not_emulated_goes_its_other_way(run_kernel, way, said):
    outputs, case = run_kernel(SOURCE.replace("WAY_OF_9", way), PROTOTYPE, z=np.zeros(1, np.float32))
    assert not case.findings
    assert outputs["z"][0] == said


@pytest.mark.parametrize("text", ["cp.async.ca.shared.global", "my_wgmma", "// of a cluster", "cp.async.commit_group"])
def test_other_words_change_nothing(text):
    assert architecture(text) == 900
