"""What each status is called, and what a teacher says about it. The one place for these words."""

from __future__ import annotations

TITLES = {
    "passed": "passed",
    "build_error": "does not compile",
    "missing_entry_point": "entry point missing",
    "not_emulated": "not emulated",
    "crash": "crash",
    "timeout": "time is up",
    "launch_error": "launch failed",
    "host_access": "host code touched device memory",
    "out_of_bounds": "out of bounds",
    "misaligned": "misaligned access",
    "barrier_divergence": "divergent barrier",
    "deadlock": "deadlock",
    "input_modified": "input modified",
    "race": "data race",
    "uninitialized_read": "uninitialised read",
    "leak": "memory leak",
    "not_written": "output not written",
    "wrong_result": "wrong result",
    "impossible_speed": "impossible speed",
    "below_target": "right, but below target",
}

ADVICE = {
    "passed": "",
    "build_error": "Mend the first message first: those after it often follow from it.",
    "missing_entry_point": "The name and the parameters must be exactly these; what happens inside is up to you.",
    "not_emulated": "This may be right on a GPU, but the emulator lacks it: do without it, or grade the file there, "
    "with `--device cuda --no-emulator`.",
    "crash": "The program ended before it had an answer. Look at the host code first: "
    "a pointer to device memory used on the host, an endless recursion, an exit() or a failed assert.",
    "timeout": "The kernel did not come to an end in time. "
    "Does every loop move towards its end, for every thread and at every size, n = 1 too?",
    "launch_error": "The kernel never ran. A block has at most 1024 threads and 48 KB of shared memory, "
    "unless you ask for more, and a grid has at least one block.",
    "host_access": "The pointers you are given point to device memory, which only kernels can reach. "
    "Do this work inside a kernel, or copy the data with cudaMemcpy.",
    "out_of_bounds": "Threads come in whole blocks, so some have no element to work on: let those do nothing, "
    "`if (i < n)` with the size of this very array. If it is an early thread, a loop goes too far: "
    "`<=` where `<` belongs?",
    "misaligned": "A vector of k bytes can only lie at an address that is a multiple of k: "
    "vector i of x is `reinterpret_cast<float4*>(x)[i]`, four floats further on than vector i - 1. "
    "Go back to single elements where the start or the tail of a row is not aligned.",
    "barrier_divergence": "All threads of a block that are still running must reach the same __syncthreads(). "
    "Move it out of the branch, and keep the branch for the work.",
    "deadlock": "Some threads wait for others that will never come. "
    "Every lane named in a mask, and every thread at a barrier, must get there.",
    "input_modified": "A `const` pointer is a promise. Write to the output, or to memory of your own.",
    "race": "Two threads use the same place, at least one writes, and nothing orders them. "
    "Put a barrier between the two (among the lanes of one warp, `__syncwarp()` will do), use an atomic, "
    "or give each thread its own place.",
    "uninitialized_read": "Memory holds nothing you can rely on before it is written: "
    "shared memory is not zeroed, and neither are outputs.",
    "leak": "Every cudaMalloc needs its cudaFree, every cudaMallocAsync its cudaFreeAsync and every cudaStreamCreate "
    "its cudaStreamDestroy, on every way out of the function.",
    "not_written": "The output starts with rubbish on purpose, and some of it is still there. "
    "Does the grid have enough threads, rounded up, and does each of them write?",
    "wrong_result": "Work through the element above by hand: which threads compute it, and which inputs do they read?",
    "impossible_speed": "A time like this cannot be that of the whole work, so it does not count. "
    "Everything must be computed from the inputs of this very call, and be done when the stream is.",
    "below_target": "The answer is right. What is missing stands in the targets above.",
}

# Where the notebooks explain it: (lesson, heading). A test checks that these headings are there.
READ = {
    "build_error": ("00_setup", "What nvcc does"),
    "missing_entry_point": ("00_setup", "The contract"),
    "not_emulated": ("00_setup", "What nvcc does"),
    "crash": ("01_vector_add", "Two memories"),
    "timeout": ("02_warp_divergence", "When the data decides: loops"),
    "launch_error": ("01_vector_add", "How many blocks"),
    "host_access": ("01_vector_add", "Two memories"),
    "out_of_bounds": ("01_vector_add", "The guard"),
    "misaligned": ("01_vector_add", "Rung 3: sixteen bytes a load"),
    "barrier_divergence": ("05_atomics", "Each step needs a barrier"),
    "deadlock": ("05_atomics", "The sum, rungs 3 to 5"),
    "input_modified": ("00_setup", "The contract"),
    "race": ("05_atomics", "A race, step by step"),
    "uninitialized_read": ("05_atomics", "One more thing that is not done for you"),
    "leak": ("01_vector_add", "Two memories"),
    "not_written": ("01_vector_add", "How many blocks"),
    "wrong_result": ("01_vector_add", "Which thread does what"),
    "impossible_speed": ("01_vector_add", "How fast it is, and how fast it could be"),
    "below_target": ("04_tiled_matmul", "How to make a kernel faster, in general"),
}
READ_ON_TARGETS = {
    "global_load_efficiency": ("03_coalescing", "What memory sends"),
    "global_store_efficiency": ("03_coalescing", "What memory sends"),
    "sectors_per_load": ("01_vector_add", "Rung 3: sixteen bytes a load"),
    "loads_per_byte": ("04_tiled_matmul", "Intuition: who else needs what you load?"),
    "loads_per_input_byte": ("04_tiled_matmul", "Intuition: who else needs what you load?"),
    "active_lanes": ("02_warp_divergence", "How a lane is switched off"),
    "branch_uniformity": ("02_warp_divergence", "How a lane is switched off"),
    "shared_bank_conflicts": ("03_coalescing", "Banks"),
    "shared_load_efficiency": ("03_coalescing", "Banks"),
    "shared_load_wavefronts_per_output": ("04_tiled_matmul", "Rung 4: a tile of its own for each thread"),
    "global_atomics_per_input": ("05_atomics", "Serialisation: taking turns"),
    "global_atomics_per_output": ("05_atomics", "Serialisation: taking turns"),
    "shared_atomics_per_input": ("05_atomics", "The histogram: privatisation"),
    "shared_atomic_max_multiplicity": ("05_atomics", "Serialisation: taking turns"),
    "busy_blocks": ("01_vector_add", "How many blocks"),
    "busy_threads": ("01_vector_add", "How many blocks"),
}


def read_about(what: str) -> str:
    """`notebooks/01_vector_add.ipynb#The-guard` for a status or a target's metric; "" where no text is about it.

    The anchor is as Jupyter makes it of a heading.
    """
    if what not in (places := READ | READ_ON_TARGETS):
        return ""
    lesson, heading = places[what]
    return f"notebooks/{lesson}.ipynb#{heading.replace(' ', '-')}"
