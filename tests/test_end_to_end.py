"""`ladder check` on real files: the good, the wrong and the hostile. Each ends in one verdict and leaves nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator.session import runtime_library
from grader.faces import cli
from grader.faces.authoring import SEED
from tests.shared import long_tail

ROOT = Path(__file__).parents[1]
KERNEL = """#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
"""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache of this module's own, but for the emulator's runtime, which takes long to build."""
    runtime = runtime_library(cache_root()).parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        (cache_root() / runtime.name).symlink_to(runtime)
        yield cache_root()


@pytest.fixture
def check(course, capsys, cache):
    """check(source, *options) grades it as lesson 01; exit code, stdout, stderr. Nothing may be left running."""

    def run(source, *options):
        data = source if isinstance(source, bytes) else source.encode()
        (course / "mine.cu").write_bytes(data)
        capsys.readouterr()
        code = cli.run(["check", "01", "mine.cu", *options])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert not working_below(cache / "jobs") and not list((cache / "jobs").iterdir())
        return code, out, err

    return run


def working_below(folder: Path) -> list[int]:
    """Processes whose current folder lies there: workers and what they have started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")).is_relative_to(folder):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def with_host_code(code: str) -> str:
    """The kernel with this at the beginning of its entry point."""
    return KERNEL.replace("    add<<<", f"    {code}\n    add<<<")


# ---- good files ----


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [["--no-model"], pytest.param([], marks=pytest.mark.whole)], ids=["counted", "modelled"]
)
def test_every_reference_passes(course, capsys, graded_lessons, options):
    assert cli.run(["check", "--all", "--reference", "--seed", str(SEED), *options]) == 0
    out = capsys.readouterr().out
    assert "01_vector_add" in out and "02_warp_divergence" in out and "✗" not in out


def test_the_learners_way(course, capsys):
    """Start, fail, solve, pass, see the stars."""
    assert cli.run(["start", "01"]) == 0
    assert cli.run(["check", "01"]) == 1
    (course / "work" / "01_vector_add.cu").write_text(KERNEL)
    assert cli.run(["check", "01"]) == 0
    capsys.readouterr()
    assert cli.run([]) == 0
    out = capsys.readouterr().out
    assert "✓ 01_vector_add" in " ".join(out.split()) and "★★" in out


@pytest.mark.slow
def test_json_of_a_real_grade(check):
    code, out, err = check(KERNEL, "--json", "--seed", "5")
    grade = json.loads(out)
    assert (code, err, grade["status"], grade["seed"]) == (0, "", "passed", 5)
    [task] = grade["tasks"]
    assert grade["device"]["kind"] == "emulator" and set(grade["seconds"]) == {"build", "run", "total"}
    assert all(case["max_error"] <= case["allowed_error"] for case in task["cases"])
    for name in (
        *(f"global_{way}_{what}" for way in ("load", "store") for what in ("requests", "sectors")),
        *(f"shared_{way}_{what}" for way in ("load", "store") for what in ("wavefronts", "bank_conflicts")),
        *("global_atomic_requests", "shared_atomic_requests", "warp_instructions", "thread_instructions"),
        *("branches", "divergent_branches", "barriers", "launches"),
    ):
        assert isinstance(task["counters"][name], int), name


@pytest.mark.slow
def test_the_same_seed_gives_the_same_grade(check):
    grades = [json.loads(check(KERNEL, "--json", "--seed", "5")[1]) for _ in range(2)]
    for grade in grades:
        del grade["seconds"]
    assert grades[0] == grades[1]
    other = json.loads(check(KERNEL, "--json")[1])
    assert other["seed"] != 5 and other["tasks"][0]["counters"] == grades[0]["tasks"][0]["counters"]


# ---- wrong files ----

WRONG = {
    "empty": (b"", "build_error", "empty"),
    "binary": (bytes(range(256)) * 4, "build_error", "not text"),
    "no entry point": (KERNEL.replace("vector_add", "vektor_add"), "missing_entry_point", "vector_add"),
    "wrong signature": (KERNEL.replace("int n, cuda", "long n, cuda"), "missing_entry_point", "int n"),
    "no extern C": (KERNEL.replace('extern "C" ', ""), "missing_entry_point", 'extern "C"'),
    "syntax error": (KERNEL.replace("+ y[i];", "+ y[i]"), "build_error", "mine.cu:9"),
    "no guard": (KERNEL.replace("i < n", "true"), "out_of_bounds", "mine.cu:9"),
    "segmentation fault": (with_host_code("*(volatile int*)8 = 1;"), "crash", "mine.cu"),
    "exit(0)": (with_host_code("exit(0);"), "crash", "exit code 0"),
    "_exit(0) after the work": (KERNEL.replace("x, y, z, n);\n}", "x, y, z, n); _exit(0);\n}"), "crash", "exit"),
    "abort": (with_host_code("abort();"), "crash", "abort"),
    "100 GB": (with_host_code("float* p; cudaMalloc(&p, 100ull << 30); *p = 0;"), "", ""),
    "says that it passed": (
        with_host_code('printf("{\\"status\\": \\"passed\\"}\\n"); fflush(stdout); _exit(0);'), "crash", "passed"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "status", "words"), long_tail(WRONG.values(), every=16, slow=3), ids=WRONG.keys())
def test_a_wrong_file_gets_one_clear_verdict(check, source, status, words):
    code, out, err = check(source)
    assert (code, err) == (1, "")
    assert words in " ".join(out.split())
    found = json.loads(check(source, "--json")[1])
    assert found["status"] == status or (not status and found["status"] != "passed")
    assert found["stars"] == 0


@pytest.mark.slow
def test_what_it_prints_is_cut_and_harms_nothing(check):
    flood = with_host_code('for (int i = 0; i < 100000; ++i) printf("%0100d\\n", i);')
    code, out, _ = check(flood)
    assert code == 0 and len(out.splitlines()) < 50
    output = json.loads(check(flood, "--json")[1])["tasks"][0]["output"]
    assert len(output) < 100_000 and "cut" in output


def test_a_forked_copy_is_ended(check):
    code, _, _ = check(with_host_code("if (fork() == 0) { pause(); }"))
    assert code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(KERNEL.replace("    if (i < n) {", "    while (i >= 0) {"), id="kernel"),
        pytest.param(with_host_code("for (;;) pause();"), id="host", marks=pytest.mark.whole),
    ],
)
def test_an_endless_loop_is_a_timeout(check, source):
    """Of host code after half a minute; a shorter wait is that of test_worker.py."""
    code, out, _ = check(source)
    assert code == 1 and "time is up" in out


# ---- the process ----

SLOW_TO_COMPILE = """
constexpr unsigned work(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < 10000; ++j) sum += i * j;
    return sum;
}
template <unsigned N> struct Slow { static constexpr unsigned value = work(300 + N); };
unsigned slow = Slow<0>::value + Slow<1>::value + Slow<2>::value + Slow<3>::value + Slow<4>::value + Slow<5>::value;
"""


@pytest.mark.slow
def test_interrupted_while_building_and_then_again(course, cache):
    (course / "mine.cu").write_text(SLOW_TO_COMPILE + KERNEL)
    command = [sys.executable, "-c", "from grader.faces.cli import main; main()", "check", "01", "mine.cu"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    wait_until(lambda: len(working_below(cache / "jobs")) >= 3)  # the worker, ninja, the compiler
    first.send_signal(signal.SIGINT)
    out, err = first.communicate(timeout=60)
    assert (first.returncode, out) == (130, "")
    assert err.strip().startswith("ladder: interrupted") and "Traceback" not in err
    wait_until(lambda: not working_below(cache / "jobs"))
    (course / "mine.cu").write_text(KERNEL)
    again = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert again.returncode == 0, again.stdout + again.stderr


def wait_until(condition, seconds=60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


PIPELINED = """#include <cuda/pipeline>

constexpr int kThreads = 128;

__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ float tile[2][kThreads];
    auto pipe = cuda::make_pipeline();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    pipe.producer_acquire();
    if (i < n) {
        cuda::memcpy_async(&tile[0][threadIdx.x], x + i, sizeof(float), pipe);
        cuda::memcpy_async(&tile[1][threadIdx.x], y + i, sizeof(float), pipe);
    }
    pipe.producer_commit();
    pipe.consumer_wait();
    if (i < n) z[i] = tile[0][threadIdx.x] + tile[1][threadIdx.x];
    pipe.consumer_release();
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / kThreads + 1, kThreads, 0, stream>>>(x, y, z, n);
}
"""


@pytest.mark.whole
def test_a_pipeline_of_libcuxx_is_graded_and_a_forgotten_wait_is_named(check):
    code, out, _ = check(PIPELINED, "--no-model")
    assert code == 0 and "passed" in out
    code, out, _ = check(PIPELINED.replace("    pipe.consumer_wait();\n", ""), "--no-model")
    assert code == 1 and "data race" in out and "under way" in out
