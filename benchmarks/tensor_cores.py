"""Lesson 09's rungs, torch's functions and mma.sync alone, timed in one run on this machine's GPU.

    python -m benchmarks.tensor_cores benchmarks/results/h200/tensor_cores.json

A short run, for a card that is there for some minutes: `ladder bench 09` measures more (memory, CUDA graphs, other
ceilings, the L2 cache flushed) and judges every output. The file has that command's form, so that tables and markers
of numbers read it. benchmarks/mma_sync.cu is what mma.sync does with nothing else to do.
"""

from __future__ import annotations

import ctypes
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from grader.course.call import Call
from grader.course.catalog import Entry, find
from grader.course.lesson import Case, Task
from grader.course.prototype import evaluate_shape
from grader.devices.cuda import own_code
from grader.devices.cuda.card import Card, find_card, state_of
from grader.devices.cuda.toolkit import cuda_home
from grader.faces.bench import SCHEMA, versions
from grader.judge.compare import Output, compare, expect
from grader.judge.inputs import Draw

ROOT = Path(__file__).parents[1]
CEILING = Path(__file__).with_name("mma_sync.cu")
SIZES = {
    "matmul_bf16": ["m n k", (4096, 4096, 4096), (8192, 8192, 8192), (4095, 4097, 4099), (4000, 4100, 4200),
                    (4097, 4095, 4100), (1024, 1024, 1024), (16384, 128, 4096)],
    "attention_bf16": ["heads n d causal", (64, 4096, 128, 0), (64, 4096, 128, 1), (32, 1024, 128, 0),
                       (64, 4096, 64, 0), (64, 4096, 64, 1), (32, 1024, 64, 0)],
}  # fmt: skip
FRAGMENTS = ((2, 4), (2, 8), (4, 4), (4, 8))  # of a and of b, that a warp of the ceiling holds
ROUNDS, SPIN = 40, 30000  # runs of each contender, the first to warm up; clock cycles that the GPU waits before one
METHOD = {
    "median_us": "CUDA events around one run, all contenders and mma.sync in random order, in one process, two sets of "
    "inputs in turns; the L2 cache is not flushed; the median of `samples` runs",
    "noise": "the median's distance from the shortest run, over the median",
    "status": "every case of the lesson, against the reference in float64, before the timing",
    "FLASH, cuDNN": "torch's scaled_dot_product_attention through that backend: an output in bfloat16, and no lse",
    "mma.sync": "the fastest of four shapes, 132 blocks of 256 threads, as many products as the matrices have; "
    "where it was not timed, that of the first case",
}

Run = Callable[[int], Any]  # with the round's number, which chooses the inputs


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("tensor_cores: name the file to write: python -m benchmarks.tensor_cores FILE.json")
    card, reason = find_card()
    if card is None:
        sys.exit(f"tensor_cores: this needs an NVIDIA GPU ({reason})")
    entry, before = find("09", ROOT), state_of(card)
    with tempfile.TemporaryDirectory() as folder:
        libraries = own_code.build_all(entry.rungs, Path(folder), card.architecture)
        ceilings = build_ceilings(Path(folder), card)
        tasks = limited([measure(task, entry, libraries, ceilings) for task in entry.lesson.tasks])
    about = {"schema": SCHEMA, "lesson": entry.name, "title": entry.lesson.title, "device": card.to_json()}
    when = {"date": date.today().isoformat(), "versions": versions(ROOT)}
    state = {"before": before, "after": state_of(card)}
    found = {**about, **when, "state": state, "method": METHOD, "tasks": tasks}
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1) + "\n")


# ---- who takes part ----


def build_ceilings(folder: Path, card: Card) -> dict[tuple[int, int], Any]:
    """benchmarks/mma_sync.cu for each shape, as a function (from, to, blocks, threads, rounds, stream)."""
    home, found = cuda_home(), {}
    assert home, "build_all has found nvcc"
    for down, across in FRAGMENTS:
        library = folder / f"mma_sync_{down}_{across}.so"
        shape = [f"-DDOWN={down}", f"-DACROSS={across}", f"-arch=sm_{card.architecture}"]
        command = [home / "bin/nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", *shape, "-o", library, CEILING]
        subprocess.run(command, check=True)
        found[down, across] = ctypes.CDLL(str(library)).run
    return found


def right(task: Task, kernel: own_code.Call, device: str) -> str:
    """The status of a kernel's outputs over the lesson's small cases: "passed", or that of the first that is wrong."""
    for case in task.cases:
        call = Call(task, case)
        inputs = task.make_inputs(Draw(7), case.sizes.get("variant"), **call.scalars)
        outputs = {
            each.name: torch.full(call.shapes[each.name], float("nan"), device=device)
            for each in task.signature.outputs
        }
        kernel(**{name: each.to(device) for name, each in inputs.items()}, **outputs, **call.scalars)
        written = {name: Output(each.cpu(), ~each.cpu().isnan()) for name, each in outputs.items()}
        if (status := compare(expect(call, inputs), written).status) != "passed":
            return status
    return "passed"


def torch_functions(task: Task, buffers: list[dict[str, torch.Tensor]], sizes: Mapping[str, int]) -> dict[str, Run]:
    """cuBLAS with sums in float32, or the backends of scaled_dot_product_attention, on these inputs."""
    if task.name == "matmul_bf16":
        return {"cuBLAS": lambda i: task.baselines["cuBLAS"](**buffers[i % 2], **sizes)}

    def attend(backend: SDPBackend, i: int) -> Any:
        q, k, v = (buffers[i % 2][name][None] for name in "qkv")
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(sizes["causal"]))

    backends = {"FLASH": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION}
    return {name: partial(attend, backend) for name, backend in backends.items()}


# ---- timing ----


def measure(task: Task, entry: Entry, libraries: Mapping[Path, Any], ceilings: Mapping[Any, Any]) -> dict[str, Any]:
    kernels = {file.stem: own_code.load(libraries[file], task.signature) for file in entry.rungs_of(task.name)}
    status = {name: right(task, kernel, "cuda") for name, kernel in kernels.items()}
    correct = {name: kernel for name, kernel in kernels.items() if status[name] == "passed"}
    names, *sizes = SIZES[task.name]
    cases = [dict(zip(names.split(), each, strict=True)) for each in sizes]
    return {"name": task.name, "cases": [measure_case(task, Case(**each), correct, ceilings) for each in cases]}


def measure_case(task: Task, case: Case, kernels: Mapping[str, Any], ceilings: Mapping[Any, Any]) -> dict[str, Any]:
    call, sizes = Call(task, case), case.sizes
    (flops,) = evaluate_shape(str(task.flops), sizes)
    buffers = [
        {each.name: torch.randn(call.shapes[each.name], device="cuda").to(getattr(torch, each.type.torch))
         for each in task.signature.buffers} for _ in range(2)
    ]  # fmt: skip
    runs: dict[str, Run] = {name: lambda i, f=f: f(**buffers[i % 2], **sizes) for name, f in kernels.items()}
    theirs = torch_functions(task, buffers, sizes)
    square = task.name == "matmul_bf16" and sizes["m"] == sizes["n"] == sizes["k"] >= 4096
    alone = {f"mma.sync {shape}": alone_run(run, shape, flops) for shape, run in ceilings.items()} if square else {}
    times = timed({**runs, **theirs, **alone})
    kinds = {**dict.fromkeys(runs, "rung"), **dict.fromkeys(theirs, "baseline")}
    kinds |= {"cuDNN": "rival"} if "cuDNN" in theirs else {}
    fastest = min((statistics.median(times[name]) for name in alone), default=None)
    return {
        "name": case.name, "sizes": sizes, "is_timed_case": sizes == task.timed_case.sizes,
        "bytes": sum(call.bytes.values()), "flops": flops, "message": "",
        "ceilings": {"mma.sync": {"rate": 1e6 * flops / fastest, "unit": "flop/s"}} if fastest else {},
        "results": [result(name, kind, times[name]) for name, kind in kinds.items()],
    }  # fmt: skip


def limited(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With a limit in every case: mma.sync alone, measured there or else in the first case of the run."""
    cases = [case for task in tasks for case in task["cases"]]
    for case in cases:
        case["ceilings"] = case["ceilings"] or cases[0]["ceilings"]
        ceiling, work = case["ceilings"]["mma.sync"], case["flops"]
        case["limit"] = {"name": "mma.sync", "work": work, "us": 1e6 * work / ceiling["rate"], **ceiling}
    return tasks


def alone_run(run: Any, shape: tuple[int, int], flops: int) -> Run:
    """mma.sync alone, with as many operations as `flops`, or some less."""
    down, across = shape
    blocks, threads = 132, 256
    a_round = 2 * down * across * 4096  # operations of a warp: two sets of fragments, 16 x 8 x 16 products each
    rounds = int(flops / (a_round * blocks * threads / 32))
    numbers = torch.ones(96 * 4096 * 2, device="cuda", dtype=torch.bfloat16)
    to = torch.empty(blocks * threads, device="cuda")
    pointers = [ctypes.c_void_p(each.data_ptr()) for each in (numbers, to)]
    keep = (numbers, to)

    def launch(_: int) -> Any:
        run(*pointers, blocks, threads, rounds, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        return keep

    return launch


def timed(runs: Mapping[str, Run]) -> dict[str, list[float]]:
    """Microseconds of each run after the first one, in rounds of random order."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(ROUNDS):
        events = []
        for name in random.sample(list(runs), len(runs)):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(SPIN)  # so that the launch does not show
            start.record()
            runs[name](number)
            stop.record()
            events.append((name, start, stop))
        torch.cuda.synchronize()
        if number:
            for name, start, stop in events:
                times[name].append(1000 * start.elapsed_time(stop))
    return times


def result(name: str, kind: str, times: list[float]) -> dict[str, Any]:
    """A row as `ladder bench` writes it."""
    median = statistics.median(times)
    noise = (median - min(times)) / median
    return {"name": name, "kind": kind, "status": "passed", "message": "", "median_us": median, "noise": noise,
            "samples": len(times), "graph_us": None, "extra_bytes": None}  # fmt: skip


if __name__ == "__main__":
    main()
