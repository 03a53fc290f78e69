"""Where emulator and hardware may disagree, and why: each with what the machine code shows.

The tests hold this list to account: a difference that is not here fails, and so does one here that is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """`opcodes`: how many of these stand in the case's machine code, in place of what the source says."""

    case: str
    titles: tuple[str, ...]  # of agreement.EXACT
    opcodes: Mapping[str, int]
    why: str


LOADS = ("global load requests", "global load sectors")
STORES = ("global store requests", "global store sectors")
WAVEFRONTS = ("shared load wavefronts",)
CONFLICTS = ("shared load bank conflicts",)
STORED = ("shared store wavefronts",)
STORE_CONFLICTS = ("shared store bank conflicts",)
MERGED = "nvcc loads four neighbouring floats of a tile in one instruction"
KEPT = (
    "nvcc keeps in a register what does not change in the loop; the emulator loads it in every turn, as it is written"
)
# By its addresses (memory_l1_wavefronts_shared) such a kernel has no conflict at all.
LOST = "the hardware also counts turns that a warp loses to another one as conflicts; their number is up to chance"
SIZED = "the kernel chooses its {} by the number of multiprocessors: 132, and 16 on the emulator"
COPIED = "what asynchronous copies put into shared memory is no store to the hardware, and one to the emulator"
WHERE_TO = "of copies that pass by the L1 cache the hardware counts the sectors of shared memory that they fill"

# Of a cuda::barrier. Its words are 8 bytes of shared memory, its operations SYNCS.ARRIVE and SYNCS.PHASECHK.
BARRIER = ("shared store wavefronts", "shared atomic requests")
COPIES = ("asynchronous copies",)
OWN = "a barrier's operations are instructions of their own on an H200, and loads, stores and atomics on the emulator"
BULK = "nvcc makes bulk copies of it (UBLKCP), which these metrics leave out"

TABLE = "nvcc keeps the coefficients of this function's polynomials in memory, and loads them"

DIFFERENCES = (
    *(Difference(f"functions/of_{name}", LOADS, {"LDG.E.128.CONSTANT": 3}, TABLE) for name in ("sin", "cos")),
    Difference("functions/of_sincos", LOADS, {"LDG.E.128.CONSTANT": 6}, TABLE),
    Difference(
        "functions/for_some_lanes",
        LOADS,
        {"LDG.E": 1, "STG.E": 1},
        "both sides of the condition load the same element: nvcc loads it once, before the condition",
    ),
    *(
        Difference(f"pipeline/{name}", ("shared store wavefronts",), {opcode: count}, COPIED)
        for name, opcode, count in (
            ("copy_4_bytes", "LDGSTS.E", 1),
            ("copy_8_bytes", "LDGSTS.E.64", 1),
            ("copy_16_bytes", "LDGSTS.E.BYPASS.128", 1),
            ("one_stage", "LDGSTS.E", 6),
            ("two_stages", "LDGSTS.E", 6),
            ("four_stages", "LDGSTS.E", 6),
        )
    ),
    *(
        Difference(f"matrix/cp_async_{name}", STORED + more, {opcode: 1}, COPIED)
        for name, opcode, more in (
            ("4", "LDGSTS.E", ()),
            ("8", "LDGSTS.E.64", ()),
            ("16", "LDGSTS.E.128", ()),
            ("16_past_l1", "LDGSTS.E.BYPASS.128", ()),
            ("4_strided", "LDGSTS.E", ()),
            ("16_strided", "LDGSTS.E.BYPASS.128", ()),
            ("4_conflicts", "LDGSTS.E", STORE_CONFLICTS),
            ("16_conflicts", "LDGSTS.E.BYPASS.128", STORE_CONFLICTS),
            ("16_in_part", "LDGSTS.E.BYPASS.128.ZFILL", ()),
        )
    ),
    *(
        Difference(f"matrix/cp_async_{name}", ("global load sectors",), {"LDGSTS.E.BYPASS.128": 1}, WHERE_TO)
        for name in ("16_strided", "16_conflicts")
    ),
    *(
        Difference(
            f"wmma/product_{name}",
            LOADS,
            {opcode: 5},
            "both matrices are made of the same numbers: nvcc loads each once, the emulator once for each matrix",
        )
        for name, opcode in (
            *((name, "LDG.E") for name in ("half", "half_sums", "half_8x32", "half_32x8", "bf16", "s8", "u8", "tf32")),
            ("double", "LDG.E.64"),
        )
    ),
    Difference(
        "global/copy_32_bytes",
        LOADS + STORES,
        {"LDG.E.128": 2, "STG.E.128": 2},
        "nvcc copies a struct of 32 bytes, aligned to 16, in pieces of 16; the emulator, which learns the size of the "
        "copy and not its alignment, in pieces of 4",
    ),
    Difference(
        "control/same_addresses",
        LOADS + STORES,
        {"LDG.E": 1, "STG.E": 1},
        "both sides of the branch load and store the same addresses: nvcc does it once, outside the branch",
    ),
    Difference(
        "control/conditional_addresses",
        ("global load requests", "global store requests"),
        {"LDG.E": 2, "STG.E": 1},
        "both sides do the same at addresses of their own: nvcc chooses addresses, then loads and stores for all lanes",
    ),
    Difference(
        "control/conditional_load",
        ("global load requests",),
        {"LDG.E": 2, "STG.E": 1},
        "nvcc chooses one of two addresses, then loads for all lanes",
    ),
    Difference(
        "control/trips_by_data_unrolled",
        ("global load sectors",),
        {"LDG.E.CONSTANT": 9},
        "nvcc takes four iterations at once and the rest in pairs and singles: lanes with different numbers of "
        "iterations are in different rounds when they meet at a load, and bring different sectors",
    ),
    Difference(
        "control/ballot_compaction",
        LOADS,
        {"LDG.E": 1},
        "nvcc keeps x[i] in a register across __ballot_sync; in the emulator a warp operation is a call, behind which "
        "memory may have changed",
    ),
    Difference(
        "shared/broadcast_in_turn",
        ("shared load wavefronts",),
        {"LDS.128": 8},
        "nvcc loads four neighbouring words in one instruction",
    ),
    Difference(
        "shared/sum_growing_stride",
        ("shared load wavefronts", "shared load bank conflicts"),
        {"LDS.64": 1},
        "in the first step nvcc loads sums[k] and sums[k + 1] in one instruction",
    ),
    Difference(
        "atomics/shared_add_distinct_float",
        ("shared load wavefronts",),
        {"ATOMS.CAST.SPIN": 1, "LDS": 2},
        "the hardware has no addition of floats in shared memory: nvcc loads, adds and compares-and-swaps in a loop",
    ),
    Difference(
        "atomics/add_one_for_all",
        ("global atomic sectors",),
        {"REDG.E.ADD.STRONG.GPU": 1},
        "all lanes add to one address that nvcc knows to be one: it adds their values up first and sends one lane",
    ),
    Difference(
        "atomics/fetch_one_for_all",
        ("global atomic sectors",),
        {"ATOMG.E.ADD.STRONG.GPU": 2},
        "all lanes add to one address that nvcc knows to be one: it adds their values up first and sends one lane",
    ),
    Difference(
        "atomics/shared_fetch_one_for_all",
        ("shared atomic requests",),
        {"ATOMS.ADD": 2},
        "nvcc makes one instruction for converged warps and one for others; this metric counts both, although one of "
        "them runs with all lanes switched off",
    ),
    Difference(
        "02_warp_divergence/1_even_odd",
        LOADS,
        {"LDG.E": 1, "STG.E": 2},
        "both sides of the branch load the same angle: nvcc loads it once, before the branch",
    ),
    Difference("03_coalescing/2_tile/row_sum", WAVEFRONTS + CONFLICTS, {"LDS.128": 8}, MERGED),
    Difference("04_tiled_matmul/3_shared_tile", WAVEFRONTS, {"LDS": 32, "LDS.128": 8}, MERGED),
    Difference("04_tiled_matmul/3_shared_tile", CONFLICTS, {}, LOST),
    Difference("04_tiled_matmul/4_register_tile", WAVEFRONTS + CONFLICTS, {"LDS": 8, "LDS.128": 2}, MERGED),
    Difference(
        "04_tiled_matmul/12_tile_by_size", LOADS + WAVEFRONTS + ("shared store wavefronts",), {}, SIZED.format("tile")
    ),
    Difference(
        "04_tiled_matmul/13_split_k", LOADS + WAVEFRONTS + ("shared store wavefronts",), {}, SIZED.format("tile")
    ),
    *(
        Difference(f"03_coalescing/{rung}/column_sum", LOADS + STORES + WAVEFRONTS + STORED, {}, SIZED.format("blocks"))
        for rung in ("4_shared_rows", "5_wide_loads")
    ),
    Difference("03_coalescing/4_shared_rows/column_sum", CONFLICTS, {}, LOST),
    Difference(
        "03_coalescing/4_vectors/transpose", STORES, {"STG.E": 28}, "nvcc stores the four floats of a vector one by one"
    ),
    Difference("05_atomics/2_every_block/sum", WAVEFRONTS + CONFLICTS, {}, LOST),
    Difference("05_atomics/3_shuffles/sum", WAVEFRONTS + CONFLICTS, {}, LOST),
    Difference("07_log_bmm/5_factored/log_bmm", WAVEFRONTS, {"LDS": 84}, KEPT),
    Difference("07_log_bmm/1_one_thread/log_bmm_backward", LOADS, {"LDG.E": 32}, KEPT),
    Difference("07_log_bmm/2_one_warp/log_bmm_backward", LOADS, {"LDG.E": 32}, KEPT),
    Difference("07_log_bmm/3_shared_tiles/log_bmm_backward", WAVEFRONTS, {"LDS": 26}, KEPT),
    Difference(
        "07_log_bmm/4_register_tiles/log_bmm_backward",
        WAVEFRONTS,
        {"LDS": 96},
        "nvcc loads a number once for the four products that it takes part in",
    ),
    Difference("07_log_bmm/4_register_tiles/log_bmm_backward", STORED + STORE_CONFLICTS, {}, LOST),
    Difference("07_log_bmm/5_factored/log_bmm_backward", WAVEFRONTS + CONFLICTS, {}, LOST),
    *(
        Difference(f"07_log_bmm/{rung}/log_bmm_backward", WAVEFRONTS + CONFLICTS + STORED + STORE_CONFLICTS, {}, LOST)
        for rung in ("6_pipeline", "7_one_launch")
    ),
    Difference("08_flash_attention/3_shared_tiles/attention", WAVEFRONTS + CONFLICTS, {"LDS.128": 520}, MERGED),
    Difference("08_flash_attention/4_register_products/attention", WAVEFRONTS, {"LDS": 95}, KEPT),
    Difference(
        "08_flash_attention/4_register_products/attention",
        STORED + STORE_CONFLICTS,
        {"STS.128": 8},
        "nvcc stores four neighbouring floats of a tile in one instruction",
    ),
    Difference("08_flash_attention/5_own_queries/attention", LOADS + STORED, {}, SIZED.format("queries of a block")),
    *(
        Difference(f"08_flash_attention/{rung}/attention", titles, {}, why)
        for rung in ("6_asynchronous_copies", "7_causal_tiles", "8_rare_rebase")
        for titles, why in (
            ((*LOADS, "asynchronous copies"), SIZED.format("queries of a block")),
            (STORED, COPIED),
        )
    ),
    Difference("08_flash_attention/1_thread_a_row/attention_backward", LOADS, {"LDG.E": 322}, KEPT),
    Difference("08_flash_attention/2_shared_tiles/attention_backward", WAVEFRONTS + CONFLICTS, {"LDS.128": 64}, MERGED),
    Difference("08_flash_attention/3_register_tiles/attention_backward", WAVEFRONTS, {"LDS": 76}, KEPT),
    Difference("08_flash_attention/4_one_kernel/attention_backward", WAVEFRONTS, {"LDS": 8}, KEPT),
    Difference("08_flash_attention/5_asynchronous_copies/attention_backward", WAVEFRONTS, {"LDS": 95}, KEPT),
    *(
        Difference(
            f"08_flash_attention/{rung}/attention_backward",
            ("global atomic requests", "global atomic sectors"),
            {"REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU": 8} if rung < "6" else {},
            "to add four neighbouring floats is one request on an H200, and four on the emulator",
        )
        for rung in ("4_one_kernel", "5_asynchronous_copies", "6_keys_by_size")
    ),
    *(
        Difference(f"08_flash_attention/{rung}/attention_backward", STORED, {}, COPIED)
        for rung in ("5_asynchronous_copies", "6_keys_by_size")
    ),
    Difference(
        "08_flash_attention/5_asynchronous_copies/attention_backward",
        ("global load sectors",),
        {},
        WHERE_TO + ", a tenth more where rows of a tile are padded",
    ),
    Difference(
        "08_flash_attention/6_keys_by_size/attention_backward",
        (*LOADS, *WAVEFRONTS, "asynchronous copies"),
        {},
        SIZED.format("keys of a block"),
    ),
    *(
        Difference(f"libcuxx/own_pipeline_{stages}", STORED, {"LDGSTS.E": 6}, COPIED)
        for stages in ("one_stage", "two_stages", "four_stages")
    ),
    *(
        Difference(f"libcuxx/{name}", BARRIER + more, opcodes, OWN + why)
        for name, more, opcodes, why in (
            ("barrier_six_times", (), {"STS": 3}, ""),
            ("barrier_arrive_wait", (), {"STS": 1}, ""),
            ("barrier_of_a_warp", (), {"STS": 4}, ""),
            ("bound_4_bytes", (), {"LDGSTS.E": 1}, f"; {COPIED}"),
            ("bound_8_bytes", (), {"LDGSTS.E.64": 1}, f"; {COPIED}"),
            ("bound_16_bytes", LOADS + COPIES, {"LDGSTS.E.BYPASS.128": 0}, f"; {BULK}"),
            ("bound_block_16_bytes", LOADS + COPIES, {"LDGSTS.E.BYPASS.128": 0}, f"; {BULK}"),
            ("block_pipeline_one_stage", (), {"LDGSTS.E": 1}, f"; {COPIED}"),
            ("block_pipeline_two_stages", (), {"LDGSTS.E": 1}, f"; {COPIED}"),
            ("pipeline_of_specialists", WAVEFRONTS, {"LDGSTS.E": 1}, f"; {COPIED}"),
        )
    ),
    Difference("09_tensor_cores/5_stages/matmul_bf16", STORED, {"LDGSTS.E.BYPASS.128": 24}, COPIED),
    Difference("09_tensor_cores/6_larger_tile/matmul_bf16", STORED, {"LDGSTS.E.BYPASS.128": 48}, COPIED),
    *(
        Difference(f"09_tensor_cores/{rung}/matmul_bf16", titles, {"LDGSTS.E.BYPASS.LTC128B.128": 48}, why)
        for rung in ("7_registers_ahead", "8_any_row")
        for titles, why in (
            (STORED, COPIED),
            (COPIES, "the hardware counts copies of tiles behind the last one, too, whose lanes are all switched off"),
        )
    ),
    Difference("09_tensor_cores/3_stages/attention_bf16", STORED, {"LDGSTS.E.BYPASS.128": 16}, COPIED),
    *(
        Difference(f"09_tensor_cores/{rung}/attention_bf16", titles, {"LDGSTS.E.BYPASS.128": 24}, why)
        for rung in ("4_more_queries", "5_causal_tiles", "6_rare_rebase")
        for titles, why in (
            (STORED, COPIED),
            (LOADS[:1], "a copy of which no lane reads a byte, only fills with zeros, is no request to the hardware"),
        )
    ),
)
