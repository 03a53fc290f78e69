"""What a CUDA error code means for a learner: the finding it leads to, in a sentence."""

from __future__ import annotations

from typing import Any

from grader.devices.evidence import Finding

# cudaError_t of CUDA 11 to 13 (CUDA Runtime API, "Error handling") -> kind of finding and what to say.
_FAULTS = {
    700: ("out_of_bounds", "a thread read or wrote an address that belongs to no buffer"),
    716: ("misaligned", "a thread read or wrote at an address that is no multiple of the access's size"),
    717: ("out_of_bounds", "a thread read or wrote an address that belongs to no buffer, far away from all of them"),
    710: ("assert", "an assert in the kernel failed"),
    719: ("crash", "the kernel failed while it ran (a trap, or a shared or local access out of its bounds)"),
    714: ("stack_overflow", "a thread's stack overflowed"),
    715: ("crash", "the kernel ran into an illegal instruction"),
    718: ("crash", "the kernel jumped to an address that holds no code"),
    702: ("timeout", "the kernel ran longer than this card's watchdog allows"),
}
_REFUSALS = {
    1: "a launch asks for the impossible, such as more than 1024 threads a block, or a call has an invalid argument",
    2: "a cudaMalloc of the submission found no memory",
    9: "the launch has an impossible configuration: a block or grid of size 0, or of more threads than the card takes",
    98: "a function was launched that is no kernel, or is not compiled for this card",
    209: "the kernel is not compiled for this card",
    701: "the launch asks for more registers or shared memory than a block can have",
    720: "a cooperative launch has more blocks than fit on the card at once",
}


def finding_of(code: int, name: str, text: str) -> Finding:
    """The finding for a failed launch or call: `name` and `text` are CUDA's own."""
    if code in _FAULTS:
        kind, said = _FAULTS[code]
    else:
        kind, said = "launch_error", _REFUSALS.get(code, f"the GPU reports: {text}")
    details: dict[str, Any] = {"cuda_error": code, "cuda_name": name}
    return Finding(kind, f"{said} ({name})", details=details)


def ends_the_context(code: int) -> bool:
    """Whether nothing more can run in this process after such an error (a fault on the device is "sticky")."""
    return code in _FAULTS
