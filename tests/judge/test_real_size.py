"""Elements that a few blocks of the timed case have written, held against the reference of their rows and columns."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest
import torch

from grader.course import catalog
from grader.course.call import Call
from grader.course.lesson import Case
from grader.devices.emulator.entry import TILE_BYTES
from grader.devices.evidence import Evidence
from grader.judge import one_block
from grader.judge.compare import results
from grader.judge.inputs import Draw, case_seed, draw_into
from grader.judge.one_block import mixed
from grader.judge.outside_world import asked_outside
from grader.judge.real_size import Tiled, cut_along, drawn, repeats_in_one, wrong_at, wrong_of
from grader.model.times import example_of
from tests.shared import long_tail

SEED = 7


class Nowhere:
    def fill(self, name, values):
        pass


def calls_of(lesson, task):
    task = next(each for each in catalog.find(lesson).lesson.tasks if each.name == task)
    return Call(task, task.timed_case), example_of(task, task.timed_case)


def inputs_at(real, example):
    drawn = draw_into(example, Nowhere(), Draw(case_seed(SEED, real.signature.name, example.name)))
    return {name: Tiled.of(values, TILE_BYTES) for name, values in drawn.items()}


def told(flat, value):
    return [(flat, struct.pack("<f", value).hex())]


def one_of_vector_add(real, inputs):
    flat = 200_000_003
    x, y = (inputs[name].at(torch.tensor(flat)) for name in ("x", "y"))
    return "z", flat, float(x + y)


def one_of_matmul(real, inputs):
    row, column, k = 4000, 77, torch.arange(4096)
    a, b = inputs["a"].at(row * 4096 + k).double(), inputs["b"].at(k * 4096 + column).double()
    return "c", row * 4096 + column, float(a @ b)


def one_of_transpose(real, inputs):
    row, column = 9, 16_000
    return "out", column * (1 << 14) + row, float(inputs["x"].at(torch.tensor(row * (1 << 14) + column)))


def one_of_softmax(real, inputs):
    columns, rows = torch.arange(1 << 14), range(12_345, 12_400)
    found = ((row, inputs["x"].at(row * (1 << 14) + columns).double()) for row in rows)
    row, x = next(each for each in found if each[1].isfinite().all())
    part = results(Call(real.task, Case(**{**real.case.sizes, "rows": 1})), {"x": x.reshape(1, -1)})
    return "y", row * (1 << 14) + 5, float(part["y"].flatten()[5])


TASKS = [
    ("01", "vector_add", one_of_vector_add),
    ("04", "matmul", one_of_matmul),
    ("03", "transpose", one_of_transpose),
    ("06", "softmax", one_of_softmax),
]


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "task", "one"), long_tail(TASKS, every=4))
def test_an_element_of_the_timed_case_is_right_or_wrong_by_its_rows_and_columns(lesson, task, one):
    real, example = calls_of(lesson, task)
    output, flat, right = one(real, inputs_at(real, example))
    assert wrong_at(real, example, SEED, {"written": {output: told(flat, right)}}, TILE_BYTES) is None
    found = wrong_at(real, example, SEED, {"written": {output: told(flat, right + 1)}}, TILE_BYTES)
    assert found and found.kind == "wrong_result" and found.message.startswith(f"{output}[")
    assert "This case is timed" in found.message


def test_what_hangs_on_all_of_the_inputs_is_not_asked_for():
    for lesson, task, output in (("05", "sum", "out"), ("08", "attention_backward", "grad_k")):
        real, example = calls_of(lesson, task)
        assert wrong_at(real, example, SEED, {"written": {output: told(0, 1.0)}}, TILE_BYTES) is None


@pytest.mark.parametrize(
    ("lesson", "task", "cuts"),
    [
        ("01", "vector_add", {"n": {"z": {"x", "y"}}}),
        ("04", "matmul", {"m": {"c": {"a"}}, "n": {"c": {"b"}}, "k": {}}),
        ("06", "softmax", {"rows": {"y": {"x"}}, "cols": {}}),
        ("08", "attention", {"heads": {"out": {"q", "k", "v"}, "lse": {"q", "k", "v"}},
                             "n": {"out": {"q"}, "lse": {"q"}}, "d": {}, "causal": {}}),
        ("05", "sum", {"n": {}}),
    ],
)  # fmt: skip
def test_the_reference_says_which_inputs_can_be_cut_along_a_size(lesson, task, cuts):
    real, _ = calls_of(lesson, task)
    assert {name: cut_along(real, name, SEED) for name in cuts} == cuts


def test_queries_of_causal_attention_cannot_be_cut_for_their_places_say_which_keys_they_see():
    real, _ = calls_of("08", "attention")
    causal = Call(real.task, Case(**{**real.case.sizes, "causal": 1}))
    assert cut_along(causal, "n", SEED) == {}
    assert cut_along(causal, "heads", SEED)["out"] == {"q", "k", "v"}


def test_values_of_a_small_case_repeat_in_a_long_sum_alone():
    assert repeats_in_one(*calls_of("04", "matmul"), SEED)
    assert repeats_in_one(*calls_of("08", "attention"), SEED)
    assert not repeats_in_one(*calls_of("01", "vector_add"), SEED)
    assert not repeats_in_one(*calls_of("06", "softmax"), SEED)


def test_a_row_of_attention_is_right_or_wrong_by_its_query_and_all_keys():
    real, example = calls_of("08", "attention")
    inputs = {name: Tiled.of(each, TILE_BYTES) for name, each in mixed(drawn(example, SEED), SEED, TILE_BYTES).items()}
    head, row, n, d = 77, 4000, 4096, 64
    rows = head * n * d + torch.arange(n * d)
    k, v = (inputs[name].at(rows).double().reshape(n, d) for name in "kv")
    q = inputs["q"].at((head * n + row) * d + torch.arange(d)).double()
    right, half = ((q @ keys.T / d**0.5).softmax(0) @ values for keys, values in ((k, v), (k[: n // 2], v[: n // 2])))
    flat = (head * n + row) * d + 5
    assert wrong_of(real, SEED, {"written": {"out": told(flat, float(right[5]))}}, inputs) is None
    found = wrong_of(real, SEED, {"written": {"out": told(flat, float(half[5]))}}, inputs)
    assert found and found.message.startswith(f"out[{head}, {row}, 5] is ")


def test_nothing_written_says_nothing():
    real, example = calls_of("01", "vector_add")
    assert wrong_at(real, example, SEED, {"written": {"z": []}}, TILE_BYTES) is None
    assert wrong_at(real, example, SEED, {}, TILE_BYTES) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('if (FILE* f = fopen("a", "r")) fclose(f);', "fopen"),
        ('std::ifstream in("a");', "ifstream"),
        ("if (std::thread::hardware_concurrency() > 64) n = 0;", "hardware_concurrency"),
        ("file.open(); int open = 3; // fopen(", ""),
        ("template <class T> __device__ T access(const T* x, int i) { return x[i]; } z[i] = access(x, i);", ""),
        ("__global__ void k() { access(); } int n = access(name, 0);", "access"),
        ('auto start = std::chrono::steady_clock::now(); printf("%f", 1.0);', ""),
        ("#if __has_include(<cub/cub.cuh>)\nint n;\n#endif", "__has_include"),
        ("#define HAS __has_include(<cub/cub.cuh>)\n#if HAS\nint n;\n#endif", "__has_include"),
        ("#ifdef __CUDA_MATH_CRTIMP\nint n;\n#endif", "__CUDA_MATH_CRTIMP"),
        ("#ifndef _STDIO_H\n#define _STDIO_H\nint n;\n#endif", "_STDIO_H"),
        ("#ifdef cudaArrayDefault\nint n;\n#endif", "cudaArrayDefault"),
        ("#ifndef cudaCheckErrors\n#define cudaCheckErrors(x) x\n#endif\n#ifdef CUDA_DEBUG\n#endif", ""),
        ("#ifndef __DEVICE_UTILS_H__\n#define __DEVICE_UTILS_H__\n#endif\n#if CUDART_VERSION >= 12000\n#endif", ""),
        ("const char minute = __TIME__[4];", "__TIME__"),
        ("if (n % 64 == __GNUC_MINOR__) n = 0;", "__GNUC_MINOR__"),
        ("#if __GNUC__ >= 9\nint n;\n#endif", ""),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __cplusplus > 201402L\nint n;\n#endif", ""),
        ("#ifndef __TILES__\n#define __TILES__ 16\n#endif\n#ifdef DEBUG\n#endif", ""),
        ('#define CHECK(call) if (call) printf("%s:%d", __FILE__, __LINE__)', ""),
        ('#define CHECK(call) check((call), __FILE__, __LINE__)\nstd::cerr << "in " << __FILE__ << ":" << 3;', ""),
        ("if (sizeof(__FILE__) > 40) n = 0;", "__FILE__"),
        ("constexpr int kLong = sizeof __FILE__; int at = __FILE__[3] + *__FILE__;", "__FILE__"),
        ("#define LONG (strlen(__FILE__) > 9)", "__FILE__"),
    ],
)
def test_what_the_host_asks_of_the_machine(text, name):
    assert asked_outside(text) == name


@pytest.mark.parametrize(("stored", "runs"), [(1 << 20, True), (1 << 30, False)])
def test_a_block_that_stores_a_gigabyte_does_not_run_whole(monkeypatch, stored, runs):
    """Its time would be up: what it writes is held against nothing."""
    (task,) = catalog.find("01").lesson.tasks
    example = example_of(task, task.timed_case)
    launch = {"counts": {"task_stored_bytes": 2.0 * stored}, "ran": [{}, {}]}
    asked, submission = [], SimpleNamespace(seed=1)
    monkeypatch.setattr(one_block, "run_whole", lambda *all: asked.append(all) or Evidence())
    sample = {"launches": [launch], "written": {}}
    assert one_block.wrong_in_one_block(Call(task, task.timed_case), example, submission, sample) is None
    assert bool(asked) == runs
