"""How far mma.sync goes in NVIDIA's own library: the kernels with it that cuBLASLt lists for a bfloat16 product.

    python -m benchmarks.cublaslt > benchmarks/results/h200/cublaslt.json

cuBLASLt is asked for its algorithms, and for each for the tiles, stages and options that it has. Those configurations
are tried that it accepts without a workspace; none splits k. The first one of each algorithm is captured in a CUDA
graph, whose node names the kernel: those for sm_80 use `mma.sync`, as lesson 09 does; those for sm_90 use `wgmma` and
are left out. Each is timed three times, the best ones again in turns with the ceiling `mma` (mma.sync with nothing to
load) and with the course's rungs: the median of 20 runs each.
"""

from __future__ import annotations

import ctypes
import json
import random
import re
import statistics
import sys
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import torch

from grader.devices.cuda.ceilings import mma
from grader.faces.notebook import load

SIZES = (4096, 8192)
RUNGS = ("matmul_bf16/7_registers_ahead", "matmul_bf16/8_any_row")
BEST, RUNS = 3, 20
WAIT = 1_000_000  # clocks
MOST_IDS, MOST_OPTIONS = 400, 40
OLD = re.compile(r"(sm80|ampere|cutlass_80|s16816)")
NEW = re.compile(r"(sm90|sm100|nvjet|hopper)")

# cublasLt.h: types, attributes of a description, capabilities of an algorithm, and what a configuration sets
FLOAT, BFLOAT, COMPUTE_FLOAT, TRANSPOSED = 0, 14, 68, 1
TRANSPOSES_A = 3
TILES, OPTIONS, STAGES = 6, 7, 13
TILE, OPTION, STAGE = 1, 5, 6

Algorithm = ctypes.c_uint64 * 8
Word = ctypes.c_int32
library = ctypes.CDLL("libcublasLt.so.13") if torch.version.cuda else None


def asked(function: str, *arguments: Any) -> bool:
    """Calls cuBLASLt: whether it agrees."""
    return int(getattr(library, function)(*arguments)) == 0


class Product:
    """c = a bᵀ of size³, as lesson 09 has it: for cuBLASLt, which counts down the columns, cᵀ = b aᵀ with b across."""

    def __init__(self, size: int):
        self.a, self.b = (torch.randn(size, size, device="cuda").bfloat16() for _ in range(2))
        self.c = torch.empty(size, size, device="cuda")
        self.handle, self.description = ctypes.c_void_p(), ctypes.c_void_p()
        self.inputs, self.result = ctypes.c_void_p(), ctypes.c_void_p()
        side = ctypes.c_uint64(size)
        made = (
            asked("cublasLtCreate", ctypes.byref(self.handle))
            and asked("cublasLtMatmulDescCreate", ctypes.byref(self.description), COMPUTE_FLOAT, FLOAT)
            and asked("cublasLtMatmulDescSetAttribute", self.description, TRANSPOSES_A,
                      ctypes.byref(Word(TRANSPOSED)), ctypes.c_size_t(4))
            and asked("cublasLtMatrixLayoutCreate", ctypes.byref(self.inputs), BFLOAT, side, side, ctypes.c_int64(size))
            and asked("cublasLtMatrixLayoutCreate", ctypes.byref(self.result), FLOAT, side, side, ctypes.c_int64(size))
        )  # fmt: skip
        if not made:
            sys.exit("cublaslt: cuBLASLt refuses to describe the product")
        self.layouts = (self.inputs, self.inputs, self.result, self.result)

    def algorithms(self) -> Iterator[tuple[int, Any]]:
        """Every configuration that cuBLASLt accepts, with its algorithm's number."""
        ids, found = (ctypes.c_int * MOST_IDS)(), ctypes.c_int()
        types = (COMPUTE_FLOAT, FLOAT, BFLOAT, BFLOAT, FLOAT, FLOAT)
        asked("cublasLtMatmulAlgoGetIds", self.handle, *types, MOST_IDS, ids, ctypes.byref(found))
        for number in ids[: found.value]:
            first = Algorithm()
            if not asked("cublasLtMatmulAlgoInit", self.handle, *types, number, ctypes.byref(first)):
                continue
            most = min(max(numbers(first, OPTIONS) or [0]), MOST_OPTIONS)
            for tile in numbers(first, TILES) or [0]:
                for stage in numbers(first, STAGES) or [0]:
                    for option in range(most + 1):
                        algorithm = Algorithm(*first)
                        for what, value in ((TILE, tile), (STAGE, stage), (OPTION, option)):
                            word = ctypes.byref(Word(value))
                            asked("cublasLtMatmulAlgoConfigSetAttribute", ctypes.byref(algorithm), what, word,
                                  ctypes.c_size_t(4))  # fmt: skip
                        if self.accepts(algorithm):
                            yield number, algorithm

    def accepts(self, algorithm: Any) -> bool:
        """Without a workspace, which no rung has either."""
        told = (ctypes.c_uint64 * 16)()  # a cublasLtMatmulHeuristicResult_t: the algorithm, then the workspace's bytes
        what = (self.handle, self.description, *self.layouts, ctypes.byref(algorithm), ctypes.byref(told))
        return asked("cublasLtMatmulAlgoCheck", *what) and told[8] == 0

    def run(self, algorithm: Any) -> None:
        one, zero = ctypes.byref(ctypes.c_float(1)), ctypes.byref(ctypes.c_float(0))
        b, a, c = (ctypes.c_void_p(each.data_ptr()) for each in (self.b, self.a, self.c))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        left, right, result, _ = self.layouts
        what = (self.handle, self.description, one, b, left, a, right, zero, c, result, c, result)
        if not asked("cublasLtMatmul", *what, ctypes.byref(algorithm), None, ctypes.c_size_t(0), stream):
            raise RuntimeError("cuBLASLt accepts a configuration and does not run it")

    def kernels(self, algorithm: Any) -> list[str]:
        """The names of what it launches."""
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(graph):
            self.run(algorithm)
        driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_size_t(8)
        nodes, names = (ctypes.c_void_p * 8)(), []
        driver.cuGraphGetNodes(ctypes.c_void_p(graph.raw_cuda_graph()), nodes, ctypes.byref(count))
        for node in nodes[: count.value]:
            parameters, name = (ctypes.c_void_p * 32)(), ctypes.c_char_p()  # a CUDA_KERNEL_NODE_PARAMS: function first
            if driver.cuGraphKernelNodeGetParams_v2(ctypes.c_void_p(node), parameters) == 0:
                driver.cuFuncGetName(ctypes.byref(name), ctypes.c_void_p(parameters[0]))
                names.append((name.value or b"").decode())
        return names


def numbers(algorithm: Any, capability: int) -> list[int]:
    """What an algorithm says of itself."""
    room, written = (ctypes.c_int32 * 256)(), ctypes.c_size_t()
    what = (ctypes.byref(algorithm), capability, room, ctypes.c_size_t(ctypes.sizeof(room)), ctypes.byref(written))
    return list(room[: written.value // 4]) if asked("cublasLtMatmulAlgoCapGetAttribute", *what) else []


def median_us(contenders: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Microseconds of each, in turns in random order, after one run that is not counted."""
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(runs + 1):
        for name in random.sample(list(contenders), len(contenders)):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(WAIT)  # so that all is queued before the first event
            start.record()
            contenders[name]()
            stop.record()
            stop.synchronize()
            if number:
                found[name].append(1000 * start.elapsed_time(stop))
    return {name: round(statistics.median(times), 2) for name, times in found.items()}


def measure(size: int) -> dict[str, Any]:
    """All configurations at a size: how many there are, and the best beside the ceiling and the rungs, in flop/s."""
    product = Product(size)
    old: dict[int, bool] = {}  # algorithms whose kernels are for sm_80; all configurations of one are for the same
    tried: list[tuple[float, Any]] = []
    for number, algorithm in product.algorithms():
        if number not in old:
            names = " ".join(product.kernels(algorithm))
            old[number] = bool(OLD.search(names)) and not NEW.search(names)
        if old[number]:
            tried.append((median_us({"it": partial(product.run, algorithm)}, 3)["it"], algorithm))
    if not tried:
        sys.exit("cublaslt: no kernel with mma.sync is listed here")
    tried.sort(key=lambda each: each[0])
    best = {f"{place}: {' + '.join(product.kernels(each))}": each for place, (_, each) in enumerate(tried[:BEST], 1)}
    check(product, tried[0][1])
    contenders: dict[str, Callable[[], object]] = {
        name: partial(product.run, algorithm) for name, algorithm in best.items()
    }
    for rung in RUNGS:
        given = (product.a, product.b, product.c, size, size, size)
        contenders[rung] = partial(load("09", rung).matmul_bf16, *given)
    ceiling = mma(0)
    contenders["mma"] = ceiling.call
    work = dict.fromkeys(contenders, 2 * size**3) | {"mma": ceiling.work}
    times = median_us(contenders, RUNS)
    rates = {name: round(1e6 * work[name] / us) for name, us in times.items()}
    top = max(rates[name] for name in best)
    return {
        "size": size,
        "configurations": len(tried),
        "best_flops": top,
        "mma_flops": rates["mma"],
        "share": round(top / rates["mma"], 3),
        "flops": rates,
    }


def check(product: Product, algorithm: Any) -> None:
    """What is timed is the product."""
    product.run(algorithm)
    right = product.a[:64].double() @ product.b.double().T
    off = (product.c[:64] - right).abs().max().item()
    if off > 1e-2 * right.abs().max().item():
        sys.exit(f"cuBLASLt's result is off by {off:g}")


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("cublaslt: there is no GPU here")
    rows = [measure(size) for size in SIZES]
    device = torch.cuda.get_device_name()
    versions = {"torch": torch.__version__, "cublaslt": library.cublasLtGetVersion() if library else 0}
    print(
        json.dumps({"device": device, "date": date.today().isoformat(), "versions": versions, "sizes": rows}, indent=1)
    )


if __name__ == "__main__":
    main()
