"""Every rung on a GPU: right at all cases of its lesson, also at shifted pointers, and timed beside the baselines.

    python3 -m benchmarks.rungs --out FOLDER

Writes FOLDER/rungs.json. Needs nvcc, torch with CUDA and nothing of the grader but `grader.course` and `grader.judge`.
Times are medians in microseconds over interleaved repetitions, the L2 cache flushed before each; `spread` is the
distance between the quartiles over the median.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import subprocess
import tempfile
from datetime import date
from pathlib import Path

import torch

from grader.course import catalog
from grader.course.lesson import Case, Task
from grader.judge.compare import Left, compare, expect
from grader.judge.inputs import Draw

GUARD = 1024  # elements on both sides of every buffer, filled with NaN
REPETITIONS = 30
SHIFTS = (0, 1, 2, 3)  # elements by which pointers leave the alignment of the allocator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    folder = parser.parse_args().out
    results = {
        "device": torch.cuda.get_device_name(),
        "date": date.today().isoformat(),
        "torch": torch.__version__,
        "driver": _driver(),
        "lessons": {entry.name: measure_lesson(entry) for entry in catalog.entries() if entry.rungs},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rungs.json").write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


def _driver() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()


def measure_lesson(entry: catalog.Entry) -> dict:
    libraries = {rung.name: build(rung) for rung in entry.rungs}
    return {
        task.name: {
            "checks": {
                name: check(library, task) for name, library in libraries.items() if hasattr(library, task.name)
            },
            "times": time_task(libraries, task),
        }
        for task in entry.lesson.tasks
    }


def build(source: Path) -> ctypes.CDLL:
    library = Path(tempfile.mkdtemp()) / f"{source.stem}.so"
    major, minor = torch.cuda.get_device_capability()
    command = ["nvcc", "-O3", "-std=c++17", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC"]
    subprocess.run([*command, "-o", str(library), str(source)], check=True)
    return ctypes.CDLL(str(library))


class Call:
    """One call of an entry point, with buffers that lie `shift` elements off and have NaN on both sides."""

    def __init__(self, library: ctypes.CDLL, task: Task, case: Case, shift: int = 0, seed: int = 1):
        drawn = task.make_inputs(Draw(seed, "cuda"), case.variant, **case.sizes)
        self.task, self.case, self.function = task, case, getattr(library, task.name)
        self.wholes, self.buffers = {}, {}
        for parameter in task.signature.buffers:
            shape = task.shape(parameter.name, case)
            whole = torch.full((torch.Size(shape).numel() + 2 * GUARD + shift,), float("nan"), device="cuda")
            view = whole[GUARD + shift : whole.numel() - GUARD].view(shape)
            if parameter.name in drawn:
                view.copy_(drawn[parameter.name].view(shape))
            self.wholes[parameter.name], self.buffers[parameter.name] = whole, view
        self.shift = shift

    def __call__(self) -> None:
        arguments = []
        for parameter in self.task.signature.parameters:
            if parameter.role == "stream":
                arguments.append(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
            elif parameter.role == "scalar":
                arguments.append(parameter.type.ctypes(self.case.sizes[parameter.name]))
            else:
                arguments.append(ctypes.c_void_p(self.buffers[parameter.name].data_ptr()))
        self.function(*arguments)

    def verdict(self) -> tuple[str, float]:
        """The judge's status of what the call left behind, and the largest error as a share of the allowed one."""
        inputs = {parameter.name: self.buffers[parameter.name] for parameter in self.task.signature.inputs}
        expected = expect(self.task, self.case, inputs)
        left = {name: Left(self.buffers[name], ~self.buffers[name].isnan()) for name in expected}
        for whole in self.wholes.values():
            guards = torch.cat([whole[: GUARD + self.shift], whole[whole.numel() - GUARD :]])
            if not guards.isnan().all():
                return "out_of_bounds", 0.0
        comparison = compare(expected, left)
        return comparison.status, (comparison.max_error or 0.0) / (comparison.allowed_error or 1.0)


def check(library: ctypes.CDLL, task: Task) -> dict:
    """Runs all cases at all shifts: how many, how many wrong, the largest error as a share of the allowed."""
    wrong, worst, count = [], 0.0, 0
    for case in task.judged_cases:
        for shift in SHIFTS:
            call = Call(library, task, case, shift, seed=count)
            call()
            torch.cuda.synchronize()
            status, share = call.verdict()
            count, worst = count + 1, max(worst, share)
            if status != "passed":
                wrong.append(f"{case.name} shifted by {shift}: {status}")
    return {"runs": count, "wrong": wrong, "largest_share_of_allowed_error": round(worst, 3)}


def time_task(libraries: dict[str, ctypes.CDLL], task: Task) -> dict:
    """Interleaved times of every rung, every baseline and a plain copy of as many bytes, at the timed case."""
    case = task.timed_case
    calls = {name: Call(library, task, case) for name, library in libraries.items()}
    buffers = next(iter(calls.values())).buffers
    bytes_moved = sum(buffer.numel() * buffer.element_size() for buffer in buffers.values())
    source = torch.empty(bytes_moved // 8, dtype=torch.int32, device="cuda").random_()
    target = torch.empty_like(source)
    runs = {name: call for name, call in calls.items()}
    runs |= {
        name: lambda baseline=baseline: baseline(**buffers, **case.sizes) for name, baseline in task.baselines.items()
    }
    runs["copy of as many bytes"] = lambda: target.copy_(source)
    return {
        "case": case.name,
        "bytes": bytes_moved,
        "microseconds": interleave(runs),
    }


def interleave(runs: dict) -> dict:
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for repetition in range(REPETITIONS + 3):
        for name, run in runs.items():
            flush.zero_()
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            if repetition >= 3:
                samples[name].append(start.elapsed_time(end) * 1000)
    return {name: _summary(values) for name, values in samples.items()}


def _summary(values: list[float]) -> dict:
    low, median, high = statistics.quantiles(values, n=4)
    return {"median": round(median, 1), "spread": round((high - low) / median, 4), "samples": len(values)}


if __name__ == "__main__":
    main()
