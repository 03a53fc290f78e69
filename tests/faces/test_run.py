"""`ladder run`: whole programs, as they are typed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from base64 import b64decode
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator import program
from grader.devices.emulator.program import Wanted, build_program
from grader.faces.run import Options
from grader.faces.run import run as in_this_process
from tests.shared import long_tail
from tests.warm import run_ladder

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).with_name("programs")
COMMAND = [sys.executable, "-m", "grader.faces.cli", "run"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
LIMIT = 600  # seconds: the emulator's runtime may have to be compiled first


@dataclass
class Ran:
    code: int
    out: str
    said: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def found(self) -> set[tuple[str, str, int]]:
        """Kind, file and line of each finding."""
        return {(each["kind"], each["file"], each["line"]) for each in self.json["findings"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(PROGRAMS, tmp_path_factory.mktemp("run") / "programs"))


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Ran:
        done = run_ladder(folder, "run", *arguments)
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


def line_of(name: str, text: str) -> int:
    """The first line of a program that holds this text."""
    lines = (PROGRAMS / name).read_text().split("\n")
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_a_right_program_is_clean_and_keeps_its_output(run, folder):
    ran = run("right.cu", "--notes", "--html", "right.html", "--junit", "right.xml")
    assert (ran.code, ran.out) == (0, "round 0: 8190\nround 1: 8190\nround 2: 8190\n"), ran.said
    assert "no findings in 2 kernels" in ran.said and "note" not in ran.said
    sums, scales = (next(row for row in ran.said.split("\n") if row.startswith(name)) for name in ("sum", "scale"))
    assert sums.split()[1:4] == ["3", "24", "3,072"] and scales.split()[1:6] == ["3", "96", "12,288", "768", "3,072"]
    page = (folder / "right.html").read_text()
    assert f"right.cu:{line_of('right.cu', 'tile[threadIdx.x] = x[i]')}" in page and "<script" not in page
    suite = ElementTree.parse(folder / "right.xml").getroot()[0]
    assert suite.attrib == {"name": "right.cu", "tests": "3", "failures": "0"}


@pytest.mark.slow
def test_races_missing_fences_and_uninitialised_reads_are_found(run):
    ran = run("bugs.cu", "--json", "--", "races")
    at = {text: line_of("bugs.cu", text) for text in ("s[BLOCK -", "x[0] += 1", "*sum +=", "y[threadIdx.x] =")}
    assert ran.found == {
        ("race", "bugs.cu", at["s[BLOCK -"]),
        ("uninitialized_read", "bugs.cu", at["s[BLOCK -"]),  # what the race leaves
        ("race", "bugs.cu", at["x[0] += 1"]),
        ("race", "bugs.cu", at["*sum +="]),
        ("uninitialized_read", "bugs.cu", at["y[threadIdx.x] ="]),
    }
    assert ran.code == 1 and ran.json["exit_code"] == 0 and ran.said == "end of races\n"
    fence = next(each for each in ran.json["findings"] if each["line"] == at["*sum +="])
    assert "__threadfence()" in fence["message"] and "element 0 of y (cudaMalloc in line" in fence["message"]
    assert {each["kind"] for each in ran.json["notes"]} == {"leak"}


@pytest.mark.slow
def test_calls_that_cuda_refuses_are_told_with_its_error_and_those_beside_them_are_right(run):
    ran = run("wrong_calls.cu", "--json")
    lines = (PROGRAMS / "wrong_calls.cu").read_text().split("\n")
    wrong = [number for number, line in enumerate(lines, start=1) if "  // wrong: " in line]
    assert ran.said == "a pitch\na handle\n3 3\n"
    assert ran.found == {("wrong_call", "wrong_calls.cu", line) for line in wrong}
    told = {each["line"]: each["message"] for each in ran.json["findings"]}
    assert "a row of 160 bytes is more than a pitch of 40" in told[line_of("wrong_calls.cu", "data(), COLUMNS")]


def test_a_copy_to_the_host_of_what_nothing_has_written_is_worth_a_note(run, folder):
    """Some of it may be: a structure's gaps, or what lies behind the results that there are."""
    (folder / "unwritten.cu").write_text("""
__global__ void one(int* x) { x[7] = 1; }
int main() {
    int *x, *y, host[32];
    cudaMalloc(&x, sizeof host), cudaMalloc(&y, sizeof host);
    one<<<1, 1>>>(x);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemset(y, 0, 1);
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(x), cudaFree(y);
}
""")
    ran = run("unwritten.cu", "--json")
    assert [(each["kind"], each["line"]) for each in ran.json["notes"]] == [("uninitialized_read", 8)] and not ran.found
    assert "what nothing has written, from y (cudaMalloc in line 5)" in ran.json["notes"][0]["message"]


@pytest.mark.slow
def test_memory_of_both_sides_that_nothing_has_written_is_not_read_in_silence(run):
    ran = run("fresh.cu", "--json")
    told = [(each["kind"], each["line"]) for each in ran.json["notes"]]
    wrong = [line_of("fresh.cu", f"void {kernel}(") for kernel in ("sum", "last")]
    assert ran.said == "6\n" and told == [("uninitialized_read", line) for line in wrong] and not ran.found


@pytest.mark.parametrize(
    ("which", "kind", "text", "code"),
    long_tail(
        [
            ("past_the_end", "out_of_bounds", "void past_the_end", 0),
            ("divergent", "barrier_divergence", "__syncthreads();\n    } else", 0),
            ("misaligned", "misaligned", "void misaligned", 0),
            ("freed", "out_of_bounds", "void write_one", 3),
            ("too_many_threads", "launch_error", "2048", 0),
            ("crash", "host_access", "*x = 1", 128 + signal.SIGSEGV),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_ends_a_kernel_or_a_program_is_told_with_its_line(run, which, kind, text, code):
    ran = run("bugs.cu", "--json", "--exit-zero", "--", which)
    source = (PROGRAMS / "bugs.cu").read_text()
    line = source.count("\n", 0, source.index(text)) + 1
    assert ran.found == {(kind, "bugs.cu", line)}
    assert ran.code == ran.json["exit_code"] == code


@pytest.mark.parametrize(("which", "said"), [("throw", "an uncaught C++ exception"), ("abort", "abort() (bugs.cu:")])
def test_an_end_by_force_is_told_after_the_findings(run, which, said):
    ran = run("bugs.cu", "--", which)
    assert ran.code == 128 + signal.SIGABRT and said in ran.said and "no findings" in ran.said


@pytest.mark.slow
def test_a_loop_without_end_is_stopped_at_its_line_by_the_time_and_by_ctrl_c(run, folder):
    ran = run("bugs.cu", "--timeout", "2", "--", "loop")
    where = f"(bugs.cu:{line_of('bugs.cu', 'for (volatile')})"
    assert ran.code == 124 and "stopped after 2 s: host code was still running in " in ran.said and where in ran.said
    assert "to end sooner: a smaller size" in ran.said and "--set NAME=VALUE" in ran.said
    command = [*COMMAND, "bugs.cu", "--", "loop"]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "begins\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 130 and "interrupted: host code was still running in " in said and where in said


def test_a_program_ends_with_the_command_that_runs_it(folder):
    command = [*COMMAND, "bugs.cu", "--", "loop"]
    process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "begins\n"
    process.kill()
    process.communicate(timeout=LIMIT)  # its output ends when nothing is left that could write there


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), pytest.param(("--no-counters", "--no-races"), marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("which", "text", "blocks"), long_tail([("writes", "x[i] = (", 2), ("steps_over", "x[i % 64]", 3)], every=4)
)
def test_a_kernel_that_is_stopped_is_told_with_its_line_and_its_steps(run, which, text, blocks, how):
    ran = run("stuck.cu", "--timeout", "1", "--json", *how, "--", which)
    line = line_of("stuck.cu", text)
    told = (
        rf"stopped after 1 s in kernel {which}, launch 1 \(stuck\.cu:{line}\): "
        rf"thread \(\d+, 0, 0\) of block \(0, 0, 0\)"
        rf" was in the loop in lines? [\d to]*{line}, with 0 of {blocks} blocks done: (it|\d+ threads of its block) ha"
    )
    told += r"(s|ve) made [\d.]+ million steps( each)?; does this loop end\?"
    assert ran.code == 124 and re.fullmatch(told, ran.json["ended"]), ran.json["ended"]
    at = ran.json["stopped_at"]
    assert (at["file"], at["line"], at["kernel"]) == ("stuck.cu", line, which) and ran.found == set()
    if which == "steps_over":
        assert at["thread"] == [5, 0, 0] and "it has made" in ran.json["ended"]  # the one that works, of 64


@pytest.mark.slow
def test_ctrl_c_in_a_kernel_says_where_it_was(folder):
    command = [*COMMAND, "stuck.cu", "--", "writes"]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "begins\n"
    time.sleep(0.5)  # of the loop
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT)
    line = line_of("stuck.cu", "x[i] = (")
    assert process.returncode == 130 and f"interrupted in kernel writes, launch 1 (stuck.cu:{line}): thread (" in said
    assert f"\n   > {line:>4} |         x[i] = (x[i] + 1) % 1000;\n" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "text", "said"),
    [
        ("empty", "void empty()", "there is nothing in it that could end it"),
        pytest.param(
            "idles",
            "while (x[i] == 0)",
            "million steps each, and the last ones changed nothing",
            marks=pytest.mark.whole,
        ),
    ],
)
def test_a_kernel_that_changes_nothing_is_given_up_at_its_line_without_a_limit_of_time(run, which, text, said):
    ran = run("stuck.cu", "--json", "--", which)
    (found,) = ran.json["findings"]
    assert (found["kind"], found["kernel"], ran.code) == ("timeout", which, 1) and said in found["message"]
    assert found["line"] - line_of("stuck.cu", text) in (0, 1) and "unspecified launch failure" in ran.said


@pytest.mark.slow
def test_several_files_headers_and_definitions(run):
    files = ("parts/main.cu", "parts/fill.cu", "-I", "parts/include")
    ran = run(*files, "-DSTATUS=9", "-std=c++20", "--exit-zero")
    line = line_of("parts/include/scale.cuh", "i <= COUNT")
    assert ran.code == 9 and ran.out == "parts/main.cu:9: an illegal memory access was encountered\n"
    assert (
        f"parts/include/scale.cuh:{line} in kernel scale" in ran.said and "if (i <= COUNT) x[i] *= factor;" in ran.said
    )
    assert "x (cudaMalloc in line 6 of parts/main.cu), past its end" in ran.said
    ran = run(*files)
    assert ran.code == 2 and "parts/main.cu:6: 'STATUS' was not declared in this scope" in ran.said


def test_a_program_is_built_once(folder, monkeypatch):
    monkeypatch.chdir(folder)
    Path("first.c").write_text("int second(void);\nint main(void) { return second(); }\n")
    Path("second.c").write_text("int second(void) { return STATUS; }\n")
    wanted = Wanted([Path("first.c"), Path("second.c")], [Path("parts/include")], ["STATUS=1"])
    first, again = (build_program(wanted, cache_root()) for _ in range(2))
    assert first.library == again.library
    assert build_program(replace(wanted, definitions=["STATUS=2"]), cache_root()).library != first.library
    monkeypatch.setattr(program, "rules_content", lambda include: "other rules of ours")
    assert build_program(wanted, cache_root()).library != first.library


@pytest.mark.slow
def test_what_is_looked_at_can_be_chosen(run):
    ran = run("right.cu", "--json", "--kernel", "sum", "--launches", "first")
    counted = {each["name"]: (each["launches"], each["counted_launches"]) for each in ran.json["kernels"]}
    assert counted == {"scale": (3, 0), "sum": (3, 1)} and ran.json["findings"] == []
    ran = run("right.cu", "--json", "--launches", "last")
    sums = [(each["counted_launches"], each["global_load_requests"]) for each in ran.json["kernels"]]
    assert sums == [(1, 128), (1, 128 + 8)] and ran.json["findings"] == []
    ran = run("right.cu", "--kernel", "total")
    assert ran.code == 2 and "right.cu launched no kernel `total` to count, but `scale` and `sum`" in ran.said
    ran = run("right.cu", "--no-races", "--no-counters")
    assert ran.code == 0 and "no findings" in ran.said and "sectors" not in ran.said


def test_without_counters_and_races_bad_accesses_are_still_found(run):
    ran = run("bugs.cu", "--no-races", "--no-counters", "--json", "--", "races")
    assert {kind for kind, _, _ in ran.found} == {"uninitialized_read"}
    assert run("bugs.cu", "--no-races", "--no-counters", "--", "past_the_end").code == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.cu"], "there is no file none.cu"),
        (["parts/limits.h"], "parts/limits.h is no source file: name .cu, .cpp or .c files"),
        (["right.cu", "--launches", "0"], "--launches is `first`, `last`, `all` or a number from 1, and not `0`"),
        (["right.cu", "--timeout", "0"], "0.0 is not in the range"),
        (["right.cu", "-std", "c++99"], "-std is one of c++03, c++11, c++14, c++17, c++20, c++23, and not `c++99`"),
        ([], "name the program's files, as in `ladder run prog.cu`"),
    ],
)
def test_a_wrong_command_is_told_in_one_sentence(run, arguments, sentence):
    ran = run(*arguments)
    assert ran.code == 2 and sentence in ran.said and len(ran.said.strip().split("\n")) == 1


@pytest.mark.slow
def test_what_a_kernel_is_given_by_reference_is_the_object_itself_and_constants_can_be_set(run):
    values = [word for value in ("COUNT=32", "SHIFT=5", "FACTOR=3") for word in ("--set", value)]
    ran = run("sides/main.cu", "sides/host.cpp", "--json", *values)
    assert "32 5 93 64 11 12\n" in ran.said
    assert ran.found == {("out_of_bounds", "sides/main.cu", line_of("sides/main.cu", "void add("))}
    assert "a host pointer" in ran.json["findings"][0]["message"]
    ran = run("sides/main.cu", "--set", "MISSING=1")
    assert ran.code == 2 and "--set MISSING: no file has `#define MISSING ...`" in ran.said
    assert "--set takes a name and its value" in run("sides/main.cu", "--set", "COUNT").said


def test_calls_and_variables_of_the_wrong_side_are_refused_as_nvcc_refuses_them(run, folder):
    ran = run("wrong_side.cu")
    told = {int(row.split(":")[1]): row for row in ran.said.splitlines() if row.startswith("wrong_side.cu:")}
    texts = ("void assigns", "void calls", "void reads", "    reads(x)", "device_only(3)")
    at = [line_of("wrong_side.cu", text) for text in texts]
    assert (ran.code, list(told)) == (2, at), ran.said
    constant, *others = (told[line] for line in at)
    assert "the GPU cannot assign to it: write `__device__` in its place" in constant
    assert "write `__device__` before it in line 8" in others[0] and "`limit` is a variable of the host" in others[1]
    assert "`reads` is a kernel: launch it" in others[2] and "which host code cannot call" in others[3]
    torn = b"__global__ void k() {}  // not UTF-8: \xa0\nint main() {\n    k<<<1, 1>>>;\n}\n"
    (folder / "torn.cu").write_bytes(torn)
    assert run("torn.cu").said.startswith("torn.cu:3: ")
    (folder / "old.cu").write_text("__global__ void k(int* x) { *x = __shfl(*x, 0); }\nint main() {}\n")
    assert "`__shfl` has gone from CUDA: write `__shfl_sync(0xffffffff, ...)`" in run("old.cu").said


@pytest.mark.slow
def test_kernels_get_nothing_of_the_hosts_library(run, folder):
    (folder / "library.cu").write_text(
        "#include <algorithm>\n#include <cstdlib>\n#include <functional>\n#include <vector>\n"
        "__global__ void numbers(float* x) { std::vector<float> v; v.push_back(1); x[0] = v[0] + rand(); }\n"
        "__global__ void calls(std::function<float(float)> f, float* x) { x[0] = f(1); }\n"
        "__device__ void sorts(float* x) { std::sort(x, x + 2); }\n"
        "__global__ void right(float* x) { x[0] = std::sqrt(x[0]) + std::abs(x[1]) + abs(-3) + fmaxf(x[0], x[1]); }\n"
        "int main() { std::vector<float> v(2, rand()); std::sort(v.begin(), v.end()); right<<<1, 1>>>(v.data()); }\n"
    )
    said = run("library.cu").said
    assert {int(row.split(":")[1]) for row in said.splitlines() if row.startswith("library.cu:")} == {5, 6, 7}, said
    assert "`std::vector<float>` belongs to the host" in said and "draw the numbers before the launch" in said
    assert "make the kernel a template, and hand it a functor" in said and "`sort` is a function of the host" in said


@pytest.mark.slow
def test_a_constant_of_the_host_is_its_value_in_a_kernel_and_no_memory(run, folder):
    """Also in a file whose comments are in another encoding than UTF-8."""
    ran = run("tables/main.cu")
    assert (ran.code, ran.out) == (0, "1 44.3916\n"), ran.said
    source = (PROGRAMS / "tables/main.cu").read_text().replace("#ifdef WRONG", "#if 1  // 定数")
    (folder / "tables/wrong.cu").write_text(source, encoding="shift_jis")
    ran = run("tables/wrong.cu")
    told = re.findall(r"tables/wrong\.cu:(\d+): `\w+` is memory of the host, an array.* in line (.*)", ran.said)
    names = "table", "sizes", "pointer", "of_class"
    at = [str(line_of("tables/main.cu", f"void {name}(")) for name in names]
    declared = [f"{line} of tables.h" for line in (3, 4, 3, 7)]
    assert (ran.code, told) == (2, list(zip(at, declared, strict=True))), ran.said


@pytest.mark.slow
def test_what_ends_early_is_told_with_its_file_and_what_only_waits_is_right(run):
    host = f"(ends.cu:{line_of('ends.cu', 'assert(error')})"
    assert host in run("ends.cu", "--", "none", "more").said
    ran = run("ends.cu", "--json", "--", "kernel")
    assert ran.found == {("assert", "ends.cu", line_of("ends.cu", "assert(*x"))} and host in ran.json["ended"]
    ran = run("ends.cu", "--json", "--", "barrier")
    assert ran.found == {("barrier_divergence", "ends.cu", line_of("ends.cu", "the one"))}
    assert "a GPU that counts arrivals may run on" in ran.json["findings"][0]["message"]
    assert run("ends.cu", "--json", "--", "time").json["findings"] == []
    ran = run("ends.cu", "--json", "--", "unset")
    assert ran.found == {("never_set", "ends.cu", line_of("ends.cu", "of what lay there"))}
    assert "`sum` is used before it has a value" in ran.json["findings"][0]["message"]
    assert f"(ends.cu:{line_of('ends.cu', 'no/such/file')})" in run("ends.cu", "--", "file").said


@pytest.mark.slow
def test_with_arrays_an_index_past_a_local_array_is_found_and_one_past_a_row_noted(run):
    ran = run("arrays.cu", "--arrays", "--json", "--", "5")
    assert ran.found == {("own_array", "arrays.cu", line_of("arrays.cu", "kept[i] ="))}
    assert "uses kept[4], past its end: kept has 4 elements" in ran.json["findings"][0]["message"]
    noted = {(each["kind"], each["line"]) for each in ran.json["notes"]}
    assert ("own_array", line_of("arrays.cu", "of the other rows")) in noted
    assert run("arrays.cu", "--arrays", "--json", "--", "4").found == set()


@pytest.mark.whole
@pytest.mark.parametrize("as_json", long_tail([False, True], every=4))
def test_that_fewer_indexes_are_held_is_told_without_being_asked(folder, monkeypatch, capfd, as_json):
    rewritten = "grader.devices.emulator.program.with_used_indexes_of_program"
    monkeypatch.setattr(rewritten, lambda text, of_blocks: [text.replace("both[i]", "both[none]")] * 2)
    monkeypatch.chdir(folder)
    assert in_this_process([Path("arrays.cu")], ["4"], Options(arrays=True, as_json=as_json)) == 0
    told = capfd.readouterr()
    said = "is not looked for in this file where an address or a reference leads to the element"
    line = line_of("arrays.cu", "both[i]")
    if as_json:
        note = next(each for each in json.loads(told.out)["notes"] if each["kind"] == "fewer_checks")
        assert said in note["message"] and "'none' was not declared" in note["message"]
        assert (note["file"], note["line"]) == ("arrays.cu", line)
    else:
        assert f"note  arrays.cu:{line}" in told.err and said in told.err


@pytest.mark.whole
def test_with_arrays_an_element_one_past_an_array_of_structures_is_found(run):
    ran = run("arrays.cu", "--arrays", "--json", "--", "4", "1")
    assert ran.found == {("own_array", "arrays.cu", line_of("arrays.cu", "one too many"))}
    assert "uses both[3], past its end: both has 3 elements" in ran.json["findings"][0]["message"]
    assert run("arrays.cu", "--arrays", "--json", "--", "3", "1").found == set()


@pytest.mark.whole
def test_with_arrays_a_range_one_too_long_is_found_where_a_library_walks_it(run):
    ran = run("arrays.cu", "--arrays", "--json", "--", "5", "0", "sorted")
    assert ran.found == {("own_array", "arrays.cu", line_of("arrays.cu", "of those that there are"))}
    assert "uses some[4], past its end: some has 4 elements" in ran.json["findings"][0]["message"]
    assert run("arrays.cu", "--arrays", "--json", "--", "4", "0", "sorted").found == set()


@pytest.mark.slow
def test_bugs_of_the_kinds_of_public_programs_are_found_at_their_lines(run):
    def found(*names: str) -> set[tuple[str, int]]:
        return {(kind, line) for kind, _, line in run("found.cu", "--json", "--", *names).found}

    races = ("x[threadIdx.x] = 0;", "+= i;", "+= part[", "word = 2 *", "atomicAdd(&sums", "0, second>>>(x)",
             "locked[0]")  # fmt: skip
    unset = ("atomicAdd(sum,", "void twice(float* x)")
    expected = {("race", line_of("found.cu", text)) for text in races}
    expected |= {("uninitialized_read", line_of("found.cu", text)) for text in unset}
    assert found("uncleared", "column", "volatile", "word", "cleared", "streams", "bytes", "early") == expected
    assert ("shuffle_source", line_of("found.cu", "__shfl_down_sync(0x0000000f")) in found("mask")
    assert found("direction") == {("host_access", line_of("found.cu", "cudaMemcpy(y, x"))}
    assert found("halo") == {("out_of_bounds", line_of("found.cu", "const float above"))}
    assert found("guard") == {("out_of_bounds", line_of("found.cu", "    x[i] = 0;"))}


def test_a_launch_is_shown_on_a_page_with_the_lines_of_its_own_file(run, folder):
    ran = run("bugs.cu", "--no-counters", "--view", "no_fence", "--block", "3", "--out", "fence.html", "--", "races")
    assert ran.code == 1 and f"data race  bugs.cu:{line_of('bugs.cu', '+= part[b]')} in kernel no_fence" in ran.said
    assert "fence.html shows no_fence, launch 3 of 4, 4 blocks of 64 threads. Blocks 0, 3 of 4 are here.\n" in ran.said
    page = data_of(folder / "fence.html")
    race, *others = page["findings"]
    assert {each["step"] for each in others} == {-1} and others[0]["elsewhere"].startswith("launch 1 (")
    assert (race["line"], race["other_line"]) == (
        line_of("bugs.cu", "+= part[b]"),
        line_of("bugs.cu", "part[blockIdx.x] ="),
    )
    assert {"y", "sum"} <= {each["name"] for each in page["arrays"]}
    assert min(race["step"], race["other_step"]) >= 0 and page["source"] == (PROGRAMS / "bugs.cu").read_text()


@pytest.mark.whole
def test_the_page_names_the_block_that_it_lacks_and_shows_the_header_that_has_the_kernel(run, folder):
    ran = run("bugs.cu", "--view", "no_fence", "--launch", "1", "--block", "2", "--", "races")
    assert "Blocks 0, 2 of 4 are here. Finding 3 is in block 3, not on the page: add `--block 3`.\n" in ran.said
    assert (folder / "bugs.view.html").exists()
    files = ("parts/main.cu", "parts/fill.cu", "-Iparts/include", "-DSTATUS=9", "-std=c++20")
    run(*files, "--view", "scale", "--out", "scale.html")
    page = data_of(folder / "scale.html")
    assert (page["name"], [each["line"] for each in page["findings"]]) == ("parts/include/scale.cuh", [9])
    assert page["lines"]["9"].startswith("Line 9 in the whole program: 4 loads of global memory")


@pytest.mark.slow
def test_without_a_name_the_page_opens_at_the_first_launches_that_have_findings(run, folder):
    ran = run("bugs.cu", "--view", "--", "races")
    for launch, kernel in enumerate(("race_of_blocks", "shared_race", "no_fence", "uninitialised"), start=1):
        assert f"{kernel}, launch {launch} of 4" in ran.said
    page = data_of(folder / "bugs.view.html")
    assert len(page["findings"]) >= 4 and all(each["step"] >= 0 for each in page["findings"])
    assert "block 3 of launch 3" in page["blocks"]  # the last one, in which the fence is missing


def data_of(page: Path) -> Any:
    """What a page of the viewer says of its one side."""
    packed = page.read_text().partition('id="data">')[2].partition("<")[0]
    data = zlib.decompress(b64decode(packed))
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["sides"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "said"),
    long_tail(
        [
            (
                "right.cu --view nothing",
                "right.cu cannot be viewed: it launched no kernel `nothing`, but `scale` and `sum`",
            ),
            (
                "right.cu --view sum --launch 9",
                "cannot be viewed: it launched sum 3 times, and there is no launch 9 of it",
            ),
            ("right.cu --view --launch 7", "right.cu cannot be viewed: it made 6 launches, and there is no launch 7"),
            ("right.cu --view sum --block 8", "this launch of sum has blocks 0 to 7: block 8 is not among them"),
            ("ends.cu --view -- nothing", "ends.cu cannot be viewed: it launched no kernel"),
            ("--view right.cu", "--view takes a kernel's name: let right.cu stand before it"),
            ("right.cu --launch 2", "--launch, --block and --out say what --view shows: add --view"),
            ("right.cu --view --out no/such.html", "no/such.html cannot be written"),
        ],
        every=8,
        slow=2,
    ),
)
def test_what_cannot_be_viewed_is_one_sentence(run, folder, asked, said):
    ran = run(*asked.split())
    assert ran.code == 2 and ran.said.splitlines()[-1].startswith("ladder: ") and said in ran.said.splitlines()[-1]
    assert not (folder / "right.view.html").exists()


def test_a_script_runs_as_if_it_imported_grader_emulate(run, folder):
    script = (
        "import sys, warnings, torch\n"
        "from grader.emulate import EmulatorWarning\n"
        "print(sys.argv[1:], torch.zeros(2, device='cuda').is_cuda, flush=True)\n"
        "begun, done = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
        "begun.record()\n"
        "with torch.cuda.stream(torch.cuda.Stream()) as its: done.record()\n"
        "torch.cuda.current_stream().wait_event(done)\n"
        "assert begun.elapsed_time(done) > 0 and done.query()\n"
        "if sys.argv[1] == 'finds': warnings.warn('a race', EmulatorWarning)\n"
        "if sys.argv[1] == 'fails': raise ValueError('its own')\n"
        "sys.exit(int(sys.argv[2]))\n"
    )
    (folder / "script.py").write_text(script)
    ran = run("script.py", "--", "ends", "3")
    assert (ran.code, ran.out, ran.said) == (3, "['ends', '3'] True\n", "")
    ran = run("script.py", "--", "finds", "0")
    assert ran.code == 1 and "script.py:9: EmulatorWarning: a race" in ran.said
    assert run("script.py", "--exit-zero", "--", "finds", "4").code == 4
    ran = run("script.py", "--", "fails", "0")
    first, *_, last = ran.said.splitlines()
    assert (ran.code, first, last) == (1, "Traceback (most recent call last):", "ValueError: its own")
    assert "runpy" not in ran.said and "grader" not in ran.said
    ran = run("script.py", "--json")
    assert ran.code == 2 and "takes no option but --exit-zero" in ran.said


@pytest.mark.slow
def test_padding_of_a_structure_that_is_copied_whole_is_no_uninitialised_read(run, folder):
    (folder / "padded.cu").write_text(
        "struct S { char z; float a; double b; char c; };\n"
        "__global__ void fill(S* s) { S& x = s[threadIdx.x]; x.z = 1; x.a = 2; x.b = 3; x.c = 4; }\n"
        "__global__ void use(const S* s, S* t) { S mine = s[threadIdx.x]; mine.a += 1; t[threadIdx.x] = mine; }\n"
        "int main(int count, char**) {\n"
        "    S *s, *t;\n"
        "    cudaMalloc(&s, 32 * sizeof(S)); cudaMalloc(&t, 32 * sizeof(S));\n"
        "    if (count == 1) fill<<<1, 32>>>(s);\n"
        "    use<<<1, 32>>>(s, t);\n"
        "    return cudaDeviceSynchronize();\n"
        "}\n"
    )
    assert run("padded.cu", "--json").found == set()
    assert run("padded.cu", "--json", "--", "unset").found == {("uninitialized_read", "padded.cu", 3)}


def test_a_member_that_cannot_be_padding_is_one(run, folder):
    (folder / "point.cu").write_text(
        "__global__ void fill(float3* p) { p[threadIdx.x].x = 1; p[threadIdx.x].y = 2; }\n"
        "__global__ void use(const float3* p, float3* q) { q[threadIdx.x] = p[threadIdx.x]; }\n"
        "int main() {\n"
        "    float3 *p, *q;\n"
        "    cudaMalloc(&p, 32 * sizeof(float3)); cudaMalloc(&q, 32 * sizeof(float3));\n"
        "    fill<<<1, 32>>>(p);\n"
        "    use<<<1, 32>>>(p, q);\n"
        "    return cudaDeviceSynchronize();\n"
        "}\n"
    )
    assert run("point.cu", "--json").found == {("uninitialized_read", "point.cu", 2)}


def test_a_program_without_main_is_told_what_it_lacks(run, folder):
    (folder / "kernel.cu").write_text("__global__ void k() {}\nvoid f() { k<<<1, 32>>>(); }\n")
    ran = run("kernel.cu")
    assert ran.code == 2 and "there is no main() to run" in ran.said and "Traceback" not in ran.said, ran.said


def test_the_mark_that_an_editor_sets_before_a_text_is_no_part_of_it(run, folder):
    """Visual Studio begins its files with a byte order mark, and nvcc takes them."""
    (folder / "marked.cuh").write_text(
        "#pragma once\n__global__ void one(int* x) { x[threadIdx.x] = 1; }\n", "utf-8-sig"
    )
    main = '#include "marked.cuh"\nint main() { int* x; cudaMalloc(&x, 8); one<<<1, 2>>>(x); return cudaFree(x); }\n'
    (folder / "marked.cu").write_text(main, "utf-8-sig")
    ran = run("marked.cu")
    assert ran.code == 0 and "no findings in 1 kernel" in ran.said, ran.said
    (folder / "marked.cu").write_text("__global__ int wrong() {}\nint main() {}\n", "utf-8-sig")
    ran = run("marked.cu")
    assert ran.code == 2 and "\ufeff" not in ran.said, ran.said


@pytest.mark.slow
def test_the_default_stream_waits_for_no_stream_that_does_not_block(run, folder):
    """cudaMemcpy is work of the default stream: it waits for blocking streams, and for no others."""
    (folder / "streams.cu").write_text(
        "#include <cstring>\n"
        "__global__ void one(int* x) { x[threadIdx.x] = 1; }\n"
        "int main(int count, char** arguments) {\n"
        "    int *x, *y, h[32]; cudaStream_t s;\n"
        "    cudaMalloc(&x, 128); cudaMalloc(&y, 128);\n"
        "    cudaStreamCreateWithFlags(&s, count > 1 ? cudaStreamDefault : cudaStreamNonBlocking);\n"
        "    one<<<1, 32, 0, s>>>(x);\n"
        "    if (count > 2) cudaStreamSynchronize(s);\n"
        "    cudaMemcpy(h, x, 128, cudaMemcpyDeviceToHost);\n"
        "    return h[3] - 1;\n"
        "}\n"
    )
    ran = run("streams.cu")
    assert "streams.cu:9" in ran.said and "which that of line 7, on another stream, writes" in ran.said
    assert "do not wait for each other; type cudaDeviceSynchronize()" in ran.said
    for arguments in (["blocking"], ["blocking", "waits"]):
        assert run("streams.cu", "--", *arguments).code == 0


@pytest.mark.slow
def test_memory_has_the_name_of_its_turn_where_a_line_allocates_several(run, folder):
    (folder / "names.cu").write_text(
        "__global__ void past(int* p) { p[threadIdx.x] = 1; }\n"
        "int main(int count, char**) {\n"
        "    int *a, *b, *h; cudaMalloc(&a, 64); cudaMalloc(&b, 64); cudaMallocHost(&h, 64);\n"
        "    past<<<1, 32>>>(count > 1 ? h : b);\n"
        "    return cudaDeviceSynchronize();\n"
        "}\n"
    )
    assert "writes element 16 of b (cudaMalloc in line 3)" in run("names.cu").said
    assert "writes element 16 of h (cudaMallocHost in line 3)" in run("names.cu", "--", "host").said


def test_memory_is_given_back_by_the_function_of_its_side(run, folder):
    (folder / "frees.cu").write_text(
        "#include <cstdio>\n"
        "int main() {\n"
        "    int *h, *d, *m;\n"
        "    cudaMallocHost(&h, 64);\n"
        "    cudaMalloc(&d, 64);\n"
        "    cudaMallocManaged(&m, 64);\n"
        "    const int wrong = cudaFree(h) && cudaFreeHost(d);\n"
        "    return !(wrong && !cudaFree(m) && !cudaFreeHost(h) && !cudaFree(d));\n"
        "}\n"
    )
    ran = run("frees.cu", "--exit-zero")
    assert ran.code == 0 and "cudaFree of memory from cudaMallocHost: cudaFreeHost gives that back" in ran.said
    assert "cudaFreeHost of memory that cudaMallocHost did not return: cudaFree gives that back" in ran.said


ALIGNED = """
struct Pair { double a, b; };
template <class T> static __device__ T both(T* from) { T first = from[0]; from[1] = first; return from[1]; }
__global__ void NAME(float* z, int n) {
    __shared__ double numbers[6];
    __shared__ __align__(16) float floats[16];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 16; ++i) numbers[i % 6] = floats[i] = i;
        const Pair pair = both(reinterpret_cast<Pair*>(numbers + 1));
        float4 four = both(reinterpret_cast<float4*>(floats + FIRST));
        z[0] = pair.a + four.x + reinterpret_cast<float2*>(floats + 2 * n)->y;
    }
}
"""


CALLS_BOTH = """
__global__ void other(float* z, int n);
int main(int argc, char**) {
    float* z;
    cudaMalloc(&z, 4);
    if (argc == 1) first<<<1, 1>>>(z, argc);
    else other<<<1, 1>>>(z, argc);
    cudaDeviceSynchronize();
    cudaFree(z);
}
"""


@pytest.mark.slow
def test_a_vector_is_misaligned_and_a_structure_of_two_numbers_is_not(run, folder):
    for name, place, main in ("first", "4", CALLS_BOTH), ("other", "1", ""):
        text = ALIGNED.replace("NAME", name).replace("FIRST", place)
        (folder / f"{name}.cu").write_text(text + main)
    right, wrong = (run("first.cu", "other.cu", "--json", *more) for more in ((), ("--", "other")))
    assert right.code == 0 and not right.found
    assert {(kind, Path(file).name, line) for kind, file, line in wrong.found} == {("misaligned", "other.cu", 3)}


@pytest.mark.slow
def test_lanes_that_take_what_no_lane_needs_are_no_finding(run):
    ran = run("first_sight.cu", "--json")
    assert ran.found == set() and "28 1 -19 38\nsum 0 0 8 0\nset 1010101 0\ncudaErrorInvalidValue" in ran.said
    noted = {each["line"] for each in ran.json["notes"] if each["kind"] == "shuffle_source"}
    at = {line_of("first_sight.cu", text) for text in ("sync(first, sum", "sync(some, x", "sync(0x0f0f0f0f")}
    assert noted == at
    wrong = run("first_sight.cu", "--json", "--", "tree")
    assert wrong.found == {("shuffle_source", "first_sight.cu", line_of("first_sight.cu", "that are not there"))}


@pytest.mark.slow
def test_a_loop_of_barriers_that_a_race_keeps_going_is_given_up_with_the_race(run):
    found = {(kind, line) for kind, _, line in run("first_sight.cu", "--json", "--", "endless").found}
    assert ("race", line_of("first_sight.cu", "is read while others set it")) in found
    assert "timeout" in {kind for kind, _ in found}


@pytest.mark.slow
def test_a_fragment_that_nothing_fills_is_told(run):
    found = {(kind, line) for kind, _, line in run("first_sight.cu", "--json", "--", "unset").found}
    assert ("never_set", line_of("first_sight.cu", "what is in it?")) in found


@pytest.mark.slow
def test_a_plain_store_beside_an_atomic_is_told_to_be_one_too(run):
    (race,) = run("first_sight.cu", "--json", "--", "plain").json["findings"]
    line = line_of("first_sight.cu", "while others add")
    assert (
        line in (race["line"], race["details"]["other_line"])
        and f"line {line} has to be an atomic, too" in race["message"]
    )


@pytest.mark.slow
def test_what_mends_a_race_fits_the_blocks_that_take_part(run):
    races = run("first_sight.cu", "--json", "--", "in_place").json["findings"]
    (own,) = [each for each in races if each["details"]["other_block"] == each["block"]]
    assert "for which no barrier waits" in own["message"] and "__syncthreads()" not in own["message"]
    (race,) = run("first_sight.cu", "--json", "--", "by_block").json["findings"]
    last, first = line_of("first_sight.cu", "and the next round"), line_of("first_sight.cu", "first = round;")
    assert f"a __syncthreads() is missing between line {last} and the next round's line {first}" in race["message"]


@pytest.mark.slow
def test_an_index_far_past_a_shared_array_is_told_of_it_and_not_of_another_kernels(run):
    (finding,) = run("first_sight.cu", "--json", "--", "rows").json["findings"]
    assert finding["line"] == line_of("first_sight.cu", "// of eight") and finding["details"]["array"] == "rows"


@pytest.mark.slow
def test_host_code_gets_its_side_of_a_function_for_both_and_may_be_told_by_a_running_kernel(run):
    ran = run("two_sides.cu", "--json")
    assert ran.said.splitlines()[:6] == [
        "device 111 1 4, host 222 7 10 10",
        "1",  # a variable that is needed behind the #endif: the device's, as docs/run.md says
        "caught",
        "2 1 1",
        "5 6",
        "too early: 1",
    ]
    assert ran.found == {("race", "two_sides.cu", line_of("two_sides.cu", "too early"))}


def test_a_copy_to_nowhere_gets_no_advice_for_kernels(run, folder):
    text = "int main() { int* d; cudaMalloc(&d, 4); cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost); cudaFree(d); }\n"
    (folder / "nowhere.cu").write_text(text)
    told = " ".join(run("nowhere.cu").said.split())
    assert (
        "is a null pointer" in told and "did its cudaMalloc return cudaSuccess?" in told and "whole blocks" not in told
    )
