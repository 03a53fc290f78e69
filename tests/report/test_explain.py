"""`ladder explain`: what it prints about counted lines, as text and as JSON, and its exit codes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from grades import BROKEN, PASSED, failed
from rich.console import Console

from grader.devices.emulator.counted import ZERO
from grader.devices.nvidia.profile import Profile
from grader.faces import cli
from grader.judge.verdict import CaseGrade, Grade, TargetResult, TaskGrade
from grader.report.explain import could_run, show_explanation, to_json

SOURCE = """// row sums

#include <cuda_runtime.h>

constexpr int kBlock = 256;

__global__ void sums(const float* x, float* out, int cols) {
    float sum = 0;
    for (int k = 0; k < cols; ++k) {
\tsum += x[(blockIdx.x * kBlock + threadIdx.x) * cols + k];  // far apart \x1b[2J
    }
    out[blockIdx.x * kBlock + threadIdx.x] = sum;
}

void launch() {}

int unused;
"""


def counted(line: int, kernel: str = "sums", **counters: int) -> dict:
    return {"kernel": kernel, "line": line} | ZERO | counters


def loads(line: int, requests: int, sectors: int, kernel: str = "sums") -> dict:
    """A line that loads 32 floats a request, in so many sectors in all."""
    counts = {"requests": requests, "sectors": sectors, "threads": 32 * requests, "useful_bytes": 128 * requests}
    return counted(line, kernel, **{f"global_load_{name}": count for name, count in counts.items()})


STORES = counted(
    12, global_store_requests=10, global_store_sectors=40, global_store_threads=320, global_store_useful_bytes=1280
)
BUSY = counted(8, warp_instructions=40, thread_instructions=40 * 32)


def grade_of(*lines: dict, grade: Grade = PASSED, **task) -> Grade:
    kernels = [{"name": name, "blocks": 8, "threads": 2048} for name in sorted({line["kernel"] for line in lines})]
    return replace(grade, tasks=[replace(grade.tasks[0], lines=list(lines), kernels=kernels, counters={}, **task)])


SLOW = grade_of(BUSY, loads(10, 100, 3200), STORES)


def test_only_the_costliest_lines_are_shown_if_that_is_asked_for():
    shown = {}
    for most in (None, 1):
        console = Console(width=100, highlight=False)
        with console.capture() as capture:
            show_explanation(console, SLOW, SOURCE, most=most)
        lines = [line.partition("│") for line in capture.get().splitlines() if "│" in line]
        shown[most] = [int(head.split()[-1]) for head, _, _ in lines if len(head.replace("❱", "").split()) > 1]
    assert shown == {None: [10, 12], 1: [10]}


def text_of(grade: Grade, source: str = SOURCE, width: int = 80) -> str:
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as capture:
        show_explanation(console, grade, source)
    return capture.get()


def words(text: str) -> str:
    return " ".join(text.split())


def shown(text: str, line: int) -> str:
    """The row of a source line."""
    return next(row for row in text.splitlines() if f" {line:>2} │" in row)


# ---- text ----


def test_the_verdict_then_the_worst_line_then_the_listing():
    text = text_of(SLOW)
    rows = text.splitlines()
    assert rows[0] == "✓ 01_vector_add: passed  work/01_vector_add.cu"
    assert rows[2] == "vector_add(n=31)"
    assert rows[3].startswith("  line 10: 32 sectors a request, 4 would do: ")
    assert text.count("  line ") == 1
    assert text.index("line 10") < text.index("traffic") < text.index("sum += x")
    assert "no times" in rows[-1]


def test_counts_stand_beside_their_lines():
    text = text_of(SLOW)
    assert shown(text, 10).split()[:5] == ["32/4", "99%", "❱", "10", "│"]
    assert shown(text, 12).split()[:4] == ["4/4", "1%", "12", "│"]
    assert shown(text, 8).split()[:2] == ["8", "│"]  # instructions with all lanes are nothing to talk about
    assert shown(text, 11).split() == ["11", "│", "}"]


def test_only_columns_in_use_are_there_and_explained():
    text = text_of(SLOW)
    assert {"loads:", "stores:", "traffic:"} <= set(text.split())
    assert not {"shared:", "atomics:", "lanes:", "local:"} & set(text.split())
    conflict = counted(10, shared_load_requests=4, shared_load_wavefronts=64, shared_load_ideal_wavefronts=4)
    atomic = {"global_atomic_requests": 9, "global_atomic_threads": 288, "global_atomic_max_multiplicity": 32}
    lanes = {"warp_instructions": 8, "thread_instructions": 128, "local_requests": 5}
    text = text_of(grade_of(conflict, counted(12, **atomic, **lanes)))
    assert shown(text, 10).split()[0] == "16×"
    assert shown(text, 12).split()[:3] == ["9×32", "5", "16"]
    assert {"shared:", "atomics:", "lanes:", "local:"} <= set(text.split()) and "loads:" not in text


def test_three_lines_at_most_and_the_same_sentence_once():
    text = text_of(grade_of(*(loads(line, 10, 320 - line) for line in (8, 9, 10, 11))))
    assert sum(row.startswith("  line ") for row in text.splitlines()) == 3
    text = text_of(grade_of(loads(10, 10, 320), loads(12, 10, 320)))
    assert "  lines 10, 12: 32 sectors" in text and text.count("sectors a request, 4 would do") == 1


def test_a_kernel_without_waste_is_told_so_in_one_line():
    text = text_of(grade_of(BUSY, loads(10, 100, 400), STORES))
    assert "  No line wastes sectors, wavefronts or lanes.\n" in text and "❱" not in text


def test_lines_far_from_any_count_are_left_out():
    text = text_of(grade_of(loads(10, 1, 4)))
    assert "⋮" in text and "#include" not in text and "int unused" not in text
    assert "__global__" in text and shown(text, 13)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_it_fits_the_terminal_and_a_wider_one_shows_more(width):
    text = text_of(SLOW, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert ("far apart" in shown(text, 10)) == (width == 140)


def test_nothing_in_the_source_reaches_the_terminal_as_a_command():
    text = text_of(SLOW, width=200)
    assert "\x1b" not in text and "[2J" in text


def test_a_line_of_several_kernels_shows_their_sum():
    text = text_of(grade_of(loads(10, 1, 4, "sums<true>"), loads(10, 1, 32, "sums<false>")))
    assert shown(text, 10).split()[0] == "18/4"


def test_a_wrong_kernel_is_explained_after_the_sentence_on_what_is_wrong():
    wrong = failed("race", CaseGrade("n=31", "race", "Two threads write out[0]."))
    text = text_of(grade_of(loads(10, 100, 3200), grade=wrong))
    assert text.startswith("✗ 01_vector_add: data race  work/01_vector_add.cu\nvector_add: Two threads write out[0].\n")
    assert "32 sectors a request" in text


def test_a_task_that_could_not_run_says_why_beside_one_that_could():
    crashed = TaskGrade("other", "crash", 0, "It ended with exit code 3.")
    grade = replace(SLOW, status="crash", tasks=[*SLOW.tasks, crashed])
    assert "other: It ended with exit code 3." in text_of(grade) and "line 10" in text_of(grade)
    assert could_run(SLOW) and not could_run(grade)


# ---- beside a GPU ----

COUNTED = {"global_load_requests": 100, "global_load_sectors": 3200, "warp_instructions": 50, "shared_load_requests": 0}
ON_GPU = Profile(
    counters={
        "global_load_requests": 100,
        "global_load_sectors": 1600,
        "warp_instructions": None,
        "global_store_requests": 4,
        "shared_load_requests": 0,
    },
    launches=[{"kernel": "sums", "registers": 32, "occupancy_pct": 81.2, "l1_hit_pct": None, "dram_read_bytes": 4096}],
    lines=[{"line": 10, "global_sectors": 300}, {"line": 9, "global_sectors": 100}, {"line": 12, "global_sectors": 0}],
)


def profiled() -> Grade:
    return replace(SLOW, tasks=[replace(SLOW.tasks[0], counters=COUNTED)])


def test_the_gpus_counters_stand_beside_the_emulators():
    console = Console(width=80, highlight=False, markup=False, emoji=False)
    with console.capture() as capture:
        show_explanation(console, profiled(), SOURCE, {"vector_add": ON_GPU})
    rows = [row.split() for row in capture.get().splitlines()]
    assert ["counted", "emulator", "GPU", "GPU/emulator"] in rows
    assert ["global", "load", "requests", "100", "100", "1.00"] in rows
    assert ["global", "load", "sectors", "3,200", "1,600", "0.50"] in rows
    assert ["warp", "instructions", "50", "–", "–"] in rows  # the card does not tell
    assert ["global", "store", "requests", "0", "4", "–"] in rows
    assert "shared" not in capture.get()  # 0 on both sides
    assert shown(capture.get(), 10).split()[:4] == ["32/4", "99%", "75%", "❱"]
    assert shown(capture.get(), 9).split()[:2] == ["25%", "9"]  # where nvcc put the load
    assert "sums: 32 registers, occupancy 81 %, 4,096 bytes read from memory" in capture.get()


def test_json_has_both_too():
    (task,) = to_json(profiled(), SOURCE, {"vector_add": ON_GPU})["tasks"]
    assert task["gpu"]["counters"]["global_load_sectors"] == {"emulator": 3200, "gpu": 1600}
    assert task["gpu"]["launches"][0]["registers"] == 32
    assert "gpu" not in to_json(SLOW, SOURCE)["tasks"][0]


# ---- JSON ----


def test_json_has_the_lines_and_all_advice():
    data = to_json(grade_of(BUSY, loads(10, 100, 3200), loads(12, 100, 800)), SOURCE)
    assert json.loads(json.dumps(data)) == data
    assert (data["schema"], data["lesson"], data["status"]) == (1, "01_vector_add", "passed")
    (task,) = data["tasks"]
    assert (task["name"], task["case"], task["message"], task["reuse"]) == ("vector_add", "n=31", "", "")
    assert [line["line"] for line in task["lines"]] == [8, 10, 12] and task["lines"][1]["global_load_sectors"] == 3200
    assert [(each["line"], each["kind"], each["cycles"]) for each in task["advice"]] == [
        (10, "load", 2800),
        (12, "load", 400),
    ]


# ---- the command ----


@pytest.fixture
def explain(monkeypatch, capsys, tmp_path):
    """Runs `ladder explain` on a file, with the grade given or a real one; exit code, stdout and stderr."""
    file = tmp_path / "sums.cu"
    file.write_text(SOURCE)

    def run(*arguments: str, grade: Grade | None = None, file: Path = file):
        if grade:
            result = replace(grade, kernel=str(file))
            monkeypatch.setattr("grader.grade.grade", lambda *args, **options: result)
        return cli.run(["explain", "02", str(file), *arguments]), *capsys.readouterr()

    return run


def test_the_exit_code_says_whether_it_could_be_explained(explain):
    code, out, err = explain(grade=SLOW)
    assert (code, err) == (0, "") and "line 10" in out and "\x1b" not in out
    code, out, _ = explain("--json", grade=SLOW)
    assert code == 0 and json.loads(out)["tasks"][0]["advice"][0]["line"] == 10


def test_a_file_that_does_not_build_is_shown_as_check_shows_it(explain):
    code, out, _ = explain(grade=BROKEN)
    assert code == 1 and out.startswith("✗ 01_vector_add: does not compile") and "expected ';'" in out
    code, out, _ = explain("--json", grade=BROKEN)
    assert code == 1 and json.loads(out)["tasks"][0]["lines"] == []


def test_wrong_usage_is_one_sentence(explain, tmp_path):
    for arguments, hint in [
        (["--reference"], "either a file or --reference"),
        (["--case", "n=4"], "has no case 'n=4': type --case and one of 'n=1', 'n=3'"),
        (["--task", "nothing"], "type --task polar"),
    ]:
        code, out, err = explain(*arguments)
        assert (code, out) == (2, "") and err.count("\n") == 1 and hint in err
    code, _, err = explain(file=tmp_path / "nothing.cu")
    assert code == 2 and "there is no file" in err


def test_a_real_kernel(explain):
    rung = Path(__file__).parents[2] / "kernels" / "02_warp_divergence" / "1_even_odd.cu"
    code, out, _ = explain("--case", "n=257", file=rung)
    assert code == 0 and "polar(n=257)" in out
    assert "line 14: half of the lanes idle" in out and "❱ 14 │         if (i % 2 == 0) {" in out
    assert "Warps load each byte 2 times" in words(out)


def test_a_missed_target_names_its_line_and_its_reason():
    target = TargetResult("sectors_per_load", 4.0, ">= 12", 3, False, "load sixteen bytes a thread")
    elsewhere = replace(target, value=None, case="n=99")  # only the counted case has run
    narrow = grade_of(BUSY, loads(10, 100, 400), STORES, targets=[target, replace(target, met=True), elsewhere])
    text = words(text_of(narrow))
    assert "✗ sectors per load request 4, >= 12, line 10: 4 sectors a request, for 128 bytes" in text
    assert text.count("load sixteen bytes") == 1
    (task,) = to_json(narrow, SOURCE)["tasks"]
    assert [(each["metric"], each["line"]) for each in task["missed_targets"]] == [("sectors_per_load", 10)]


def test_a_little_waste_is_not_called_none():
    text = words(text_of(grade_of(BUSY, loads(10, 10000, 40000), loads(12, 10, 320))))
    assert "What lines waste is less than 2 % of what all cost." in text and "No line wastes" not in text
