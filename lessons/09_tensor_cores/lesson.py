"""Lesson 09: tensor cores multiply matrices of bfloat16 and add in float32, fifteen times as fast as floats are."""

import math

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance

# ---- inputs ----


def product_inputs(draw, variant, m, n, k):
    a, b = (draw.plant_outliers(draw.normal(rows, k), scale=100.0) for rows in (m, n))
    return {"a": _narrow(a), "b": _narrow(b)}


def attention_inputs(draw, variant, heads, n, d, causal):
    q, k, v = (draw.normal(heads, n, d) for _ in range(3))
    match variant:
        case "growing":  # each key scores higher than the one before, so that the maximum is a new one at each step
            k += draw.uniform(0, 1, heads, n, 1).cumsum(1)
            q += 0.5
            for first in range(0, n, 16):  # but for the upper rows of a fragment each key scores lower
                q[:, first : first + 8] -= 1
        case "falling":  # the first key is the largest: the others round to little, or to nothing
            k -= draw.uniform(0, 1, heads, n, 1).cumsum(1)
            q += 0.5
        case "far below":  # scores of some thousands below 0: exp of all of them is 0
            q, k = 40 * q.abs(), -40 * k.abs()
        case (
            "flat"
        ):  # all keys weigh about the same: what rounds the output shows, and what rounds a weight averages out
            q *= 0.05
        case _:
            draw.plant_outliers(q, scale=20.0)
            draw.plant_outliers(k, scale=20.0)
    return {"q": _narrow(q), "k": _narrow(k), "v": _narrow(v)}


def _narrow(values):
    """To bfloat16. Inputs are what the task is about, so the reference computes with what is left of them."""
    return values.bfloat16()


# ---- matmul_bf16 ----


def product(a, b, m, n, k):
    return {"c": a @ b.mT}


def product_magnitude(a, b, m, n, k):
    """What an error of c is relative to, (m, n), if `terms` is k: the sum of |terms|, and what tensor cores cut off.

    The products are exact in float32. A tensor core adds 8 or 16 of them at a time to a sum and cuts off the last bits
    instead of rounding: up to 2 units of 2^-24 an addition, all of one sign, on a sum that is half of all on average.
    So the share is 4 sqrt(k) + k / 8, with the square root for what is rounded: docs/numerics.md.
    """
    return {"c": a.abs() @ b.abs().mT * (1 + math.sqrt(k) / 32)}


def cublas(a, b, c, m, n, k):
    """torch.mm through cuBLAS, with sums in float32 that are never bfloat16."""
    import torch

    torch.mm(a, b.mT, out_dtype=torch.float32, out=c)


# ---- attention_bf16: one head after the other, in double precision ----


def softmax(q, k, causal):
    """Weights (n, n) and lse (n) of one head. Query i sees the keys 0 ... i if causal, all of them otherwise."""
    scores = q @ k.mT / math.sqrt(q.shape[1])
    if causal:
        scores.masked_fill_(scores.new_ones(scores.shape).triu_(1).bool(), -math.inf)
    lse = scores.logsumexp(1)
    return scores.sub_(lse[:, None]).exp_(), lse


def attention(q, k, v, heads, n, d, causal):
    out, lse = v.new_empty(heads, n, d), v.new_empty(heads, n)
    for head in range(heads):
        weights, lse[head] = softmax(q[head], k[head], causal)
        out[head] = weights @ v[head]
    return {"out": out, "lse": lse}


def attention_magnitude(q, k, v, heads, n, d, causal):
    """What an error is relative to, of out (heads, n, d) and lse (heads, n).

    Two parts. Weights p are rounded to bfloat16 for the product with v, each by up to 2^-8 of itself, up or down:
    together sqrt(sum of p^2 v^2) 2^-8. All else is in float32: lesson 08's magnitude, times sqrt(n + d) and what tensor
    cores cut off. A sum in bfloat16 is off by 2^-8 of the output, which is more, where many keys have some weight.
    """
    out, lse = v.new_empty(heads, n, d), v.new_empty(heads, n)
    narrow, share = 2.0**24 / 2.0**8, math.sqrt(n + d) + (n + d) / 32
    for head in range(heads):
        weights, total = softmax(q[head], k[head], causal)
        off = (1 + q[head].abs() @ k[head].abs().mT / math.sqrt(d)).mul_(weights)
        result = weights @ v[head]
        wide = off @ v[head].abs() + off.sum(1, keepdim=True) * result.abs()
        out[head] = narrow * (weights.square() @ v[head].square()).sqrt() + share * wide
        lse[head] = share * (off.sum(1) + total.abs())
    return {"out": out, "lse": lse}


def torch_attention(backend):
    """scaled_dot_product_attention through one backend, named as in torch.nn.attention.SDPBackend. It gives no lse."""

    def run(q, k, v, out, lse, heads, n, d, causal):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(getattr(SDPBackend, backend)):
            q, k, v = (x.unsqueeze(0) for x in (q, k, v))
            result = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))
        out.copy_(result[0])

    return run


# ---- the lesson ----


def size(m, n, k):
    return Case(m=m, n=n, k=k)


def heads(heads, n, d, causal=0, variant=None):
    return Case(heads=heads, n=n, d=d, causal=causal, variant=variant)


ANY_ROW = size(260, 132, 67)  # more than one tile of 256 x 128, and rows that begin anywhere
CAUSAL = heads(2, 320, 64, 1)

WIDE_LOADS = Counted("global_load_efficiency", at_least=0.97, why="neighbouring threads must copy neighbouring pieces")
NO_CONFLICTS = Counted(
    "shared_bank_conflicts", at_most=0, why="rows of a fragment that lie in the same banks are read one after the other"
)
ON_TENSOR_CORES = Counted(
    "float_operations_per_output",
    at_most=8,
    why="the tensor cores multiply, and the threads multiply nothing themselves",
)

matmul = Task(
    prototype="void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k, "
    "cudaStream_t stream)",
    shapes={"a": "m, k", "b": "n, k", "c": "m, n"},
    cases=[
        size(1, 1, 1),
        size(16, 8, 16),  # one mma.m16n8k16
        size(17, 9, 15),  # and around it
        size(1, 130, 72),  # a single row, a single column, a single term
        size(130, 1, 40),
        size(33, 31, 1),
        size(3, 5, 1009),  # a prime, and a long sum
        size(65, 63, 100),  # rows that begin at multiples of 8 bytes
        ANY_ROW,
        size(128, 136, 72),  # multiples of 8: 16 bytes a copy, and no whole tile along k
        size(129, 127, 136),  # around a tile of 128
        size(2049, 129, 8),  # more than eight tiles of 256 rows, and a single row and column in the last ones
    ],
    # Whole tiles of any usual shape, and as many of 128 x 128 as the emulated GPU has multiprocessors.
    counted_case=size(512, 512, 128),
    drawn={"m": range(2, 100), "n": range(2, 100), "k": range(2, 100)},
    timed_case=size(4096, 4096, 4096),
    wide_case=size(2500, 2510, 40),
    bench_cases=[
        *(size(each, each, each) for each in (1024, 2048, 8192)),
        size(4000, 4100, 4200),  # multiples of 4, and of no tile: cp.async needs multiples of 8
        size(4095, 4097, 4099),  # rows that begin anywhere
        size(16384, 128, 4096),  # thin
        size(256, 256, 65536),  # a long sum
    ],
    make_inputs=product_inputs,
    reference=product,
    tolerance=Tolerance(terms="k", magnitude=product_magnitude),
    baselines={"cuBLAS": cublas},
    flops="2 * m * n * k",
    ladder=[
        Rung(
            "wmma",
            "a warp, 2 x 2 tiles of 16 x 16, on the tensor cores",
            [
                ON_TENSOR_CORES,
                Counted(
                    "loads_per_input_byte",
                    at_most=16.5,
                    why="a warp with 2 x 2 tiles of c uses each fragment that it loads for two of them",
                ),
            ],
        ),
        Rung(
            "shared_tile",
            "tiles of a and b that eight warps share",
            [
                WIDE_LOADS,
                Counted("loads_per_input_byte", at_most=4.5, why="a tile of 128 x 128 needs each element 4 times here"),
                Timed("x_cuBLAS", at_least=0.15, why="a tile in shared memory is enough for this"),
            ],
        ),
        Rung(
            "mma_sync",
            "the tensor core's own instruction, with fragments by hand",
            [
                Timed(
                    "x_cuBLAS",
                    at_least=0.3,
                    why="a lane loads its pairs from shared memory, and stores its own outputs",
                )
            ],
        ),
        Rung(
            "swizzle",
            "ldmatrix, and an XOR in place of padding",
            [
                NO_CONFLICTS,
                Counted(
                    "shared_load_requests",
                    at_most=12000,
                    why="ldmatrix brings a fragment of a, or two of b, in one instruction",
                ),
            ],
        ),
        Rung(
            "stages",
            "the next tiles are on their way while this one is used",
            [
                Counted("async_groups_in_flight", at_least=2, why="cp.async copies while the tensor cores multiply"),
                Counted("barriers_per_block", at_most=3, why="with three stages one barrier a step is enough"),
                Timed("x_cuBLAS", at_least=0.44, why="copies belong behind the products"),
            ],
        ),
        Rung(
            "larger_tile",
            "64 x 64 outputs a warp, 256 x 128 a block",
            [
                Counted(
                    "shared_load_wavefronts_per_output",
                    at_most=0.08,
                    why="a warp with 64 x 64 outputs uses each fragment of a for eight products",
                ),
                Counted("loads_per_input_byte", at_most=3.2, why="with tiles of 256 x 128 there is less to load"),
            ],
        ),
        Rung(
            "registers_ahead",
            "read the next fragments while these are multiplied",
            [Timed("x_cuBLAS", at_least=0.56, why="no tensor core waits for ldmatrix")],
        ),
        Rung(
            "any_row",
            "rows that begin anywhere are copied first",
            [
                Counted(
                    "async_bytes_in_flight",
                    at_least=1024,
                    case=ANY_ROW,
                    why="cp.async can copy any matrix, once its rows begin at multiples of 16 bytes",
                ),
            ],
        ),
    ],
    stars={2: "shared_tile", 3: "swizzle"},
)

attend = Task(
    prototype="void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, "
    "float* lse, int heads, int n, int d, int causal, cudaStream_t stream)",
    shapes={"q": "heads, n, d", "k": "heads, n, d", "v": "heads, n, d", "out": "heads, n, d", "lse": "heads, n"},
    cases=[
        heads(1, 1, 64),
        heads(2, 17, 128, 1),  # around a fragment
        heads(2, 128, 64),  # whole tiles
        heads(1, 65, 128),  # around a tile of 64
        heads(2, 101, 64, 1),  # a prime
        heads(2, 129, 64, 0, "growing"),
        heads(1, 130, 64, 1, "growing"),
        heads(1, 129, 128, 0, "falling"),
        heads(1, 100, 64, 1, "far below"),
        heads(1, 257, 64, 0, "flat"),
        CAUSAL,
    ],
    counted_case=heads(2, 320, 64),
    drawn={"heads": range(1, 4), "n": range(2, 70), "d": (64, 128), "causal": (0, 1)},
    timed_case=heads(64, 4096, 128),
    wide_case=heads(600, 33, 64),
    bench_cases=[
        *(heads(16, n, 128) for n in (512, 1024, 2048, 8192)),
        heads(64, 4096, 128, 1),  # causal: half the work
        heads(64, 4096, 64),
        heads(64, 4096, 64, 1),
        heads(16, 4001, 128),  # a prime
    ],
    make_inputs=attention_inputs,
    reference=attention,
    tolerance=Tolerance(magnitude=attention_magnitude),
    baselines={"FLASH": torch_attention("FLASH_ATTENTION")},
    rivals={"cuDNN": torch_attention("CUDNN_ATTENTION")},
    flops="2 * heads * n * (n + causal) * d * (2 - causal)",
    specials="heads * n * (n + causal) // (1 + causal)",
    ladder=[
        Rung(
            "registers",
            "both products on tensor cores, and the weights never leave their registers",
            [
                Counted(
                    "float_operations_per_output",
                    at_most=200,
                    why="both products belong on the tensor cores: the threads compute the softmax, and nothing else",
                ),
                Timed("x_FLASH", at_least=0.2, why="both products on tensor cores are enough for this"),
            ],
        ),
        Rung(
            "ldmatrix",
            "ldmatrix, also across",
            [
                NO_CONFLICTS,
                Counted(
                    "shared_load_requests",
                    at_most=15000,
                    why="ldmatrix brings a fragment of k, or one of v transposed, in one instruction",
                ),
            ],
        ),
        Rung(
            "stages",
            "the next tile of k and v is on its way while this one is used",
            [
                Counted("async_bytes_in_flight", at_least=1024, why="cp.async copies while the tensor cores multiply"),
                Timed("x_FLASH", at_least=0.5, why="copies belong behind the products"),
            ],
        ),
        Rung(
            "more_queries",
            "32 queries a warp",
            [
                Counted(
                    "loads_per_input_byte", at_most=2.5, why="a block with 128 queries reads all keys for all of them"
                ),
            ],
        ),
        Rung(
            "causal_tiles",
            "tiles behind the diagonal are skipped, and the longest blocks begin",
            [
                Counted(
                    "loads_per_input_byte",
                    at_most=2.0,
                    case=CAUSAL,
                    why="causal: tiles of keys behind the last query count for nothing, and need not be loaded",
                )
            ],
        ),
        Rung(
            "rare_rebase",
            "powers of two, and a rebase only when it must be",
            [
                Counted(
                    "float_operations_per_output",
                    at_most=50,
                    why="a score needs a multiply-add and a power of two, and most tiles need no new base",
                ),
                Timed("x_FLASH", at_least=0.85, why="what the softmax computes, the tensor cores wait for"),
            ],
        ),
    ],
    stars={2: "registers", 3: "stages"},
)

lesson = Lesson(
    title="Tensor cores",
    summary="matrices of 16 x 16 in one instruction: who holds what, and how to keep it fed",
    tasks=[matmul, attend],
)
