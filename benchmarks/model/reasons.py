"""Why the model is far off for a rung at its timed size, as far as that is known. A new outlier needs a line here."""

REASONS: dict[tuple[str, str], str] = {  # by task and rung
    (
        "column_sum",
        "1_one_thread",
    ): "one block waits for row after row. nvcc 13.0 unrolls the loop by 16, the model by 4.",
    (
        "row_sum",
        "4_shuffles",
    ): "its loop has eight rounds, and the model takes loops as short as that to load round after round; nvcc 13.0 "
    "unrolls it by four.",
    (
        "column_sum",
        "4_shared_rows",
    ): "nvcc 13.0 does not unroll its loop (one LDG in the machine code): a load waits for "
    "the one before it, and the model has four on their way.",
    (
        "sum",
        "2_every_block",
    ): "warps wait for each other's turns at the ten barriers of a block, which the model counts "
    "by machine code alone.",
    ("sum", "3_shuffles"): "262,144 blocks of 1,024 threads: shuffles are not among the instructions that are "
    "estimated, nor what a block does before its first load.",
    (
        "log_bmm",
        "5_factored",
    ): "its machine code has 2.6 times the instructions that are estimated, by Nsight Compute's count at a small size.",
    (
        "attention_backward",
        "1_thread_a_row",
    ): "its inner loops have a constant length and are unrolled in full: more than four loads are on their way.",
    (
        "attention_backward",
        "2_shared_tiles",
    ): "255 registers are too few for it: nvcc 13.0 spills 900 bytes a thread to "
    "local memory and back, which the model does not know.",
    (
        "matmul_bf16",
        "2_shared_tile",
    ): "not known: with nvcc's code it is 0.72. That wmma loads through generic addresses is no reason: in a loop of "
    "nothing else they come as fast as loads from shared memory.",
    (
        "attention_bf16",
        "1_registers",
    ): "nvcc 13.0 asks after each load of a tile whether the thread has a row left, and begins no other before that "
    "one lies in shared memory: a warp waits sixteen times a tile. The model has four loads on their way.",
    ("attention_bf16", "2_ldmatrix"): "as rung 1.",
}

REASONS_OF_CODE: dict[tuple[str, str], str] = {  # the same where nvcc's machine code is known
    (
        "attention",
        "2_online",
    ): "all lanes load one word at a time: such a load takes 2.5 clocks of a multiprocessor on an H200, the model "
    "has one. No other rung does so for all that it loads, and no micro-kernel has measured it.",
    (
        "attention_backward",
        "2_shared_tiles",
    ): "nvcc 13.0 spills 900 bytes a thread: there is room for them in L1, but that they "
    "push out what else it held is not in the model.",
}
