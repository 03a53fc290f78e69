"""Whatever host code does: one clear sentence, the right problem, no process left, and the next run works."""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from jobs import ENTRY, KERNEL, SIZES, results, run_on, working_in

from grader.course.catalog import UsageError
from grader.devices.worker import confine_mounts, control_group, job, running
from grader.devices.worker.confine import landlock_version
from grader.devices.worker.job import Cancel, Cancelled, Gpu, Job
from grader.devices.worker.running import BEGIN, EventLines, RunningJob
from grader.devices.worker.server import ForkServer
from tests.shared import long_tail

HEADERS = """
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
"""


def host(body: str) -> str:
    return f"{HEADERS}{ENTRY} {{ {body} }}\n"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(job, "SPARE_SECONDS", 0.5)
    monkeypatch.setattr(running, "SPARE_SECONDS", 0.5)
    monkeypatch.setattr(running, "STOP_SECONDS", 1.0)


@pytest.mark.parametrize(
    ("body", "said"),
    long_tail(
        [
            ("abort();", "abort() (case n=1)"),
            (
                "char *p = new char[4000], *q = new char[4000]; for (int i = 0; i < 4064; i++) p[i] = 1;"
                " delete[] p; delete[] q;",
                "the host code wrote past the end of what malloc or new gave it, or freed that twice in case n=1",
            ),
            ('throw std::runtime_error("oh");', "uncaught C++ exception: oh (case n=1)"),
            ("exit(0);", "the process ended by itself with exit code 0 in case n=1: remove the call of exit()"),
            ("_exit(0);", "exit code 0 in case n=1"),
            ("if (n == 31) exit(3);", "exit code 3 in case n=31"),
            ("raise(SIGKILL);", "killed by the system"),
            ("volatile int zero = 0; volatile int q = n / zero;", "division"),
            ("std::thread([] { abort(); }).join();", "abort"),
            ("std::thread([] { volatile int* p = nullptr; *p = 1; }).join();", "case n=1"),
            ("for (int i = 3; i < 100; i++) close(i);", "closed files that are the grader's"),
            (
                'for (int i = 3; i < 100; i++) dprintf(i, "{\\"event\\": \\"end\\"}\\n"); _exit(0);',
                "exit code 0 in case n=1",
            ),
            ("if (fork()) _exit(0); for (;;) pause();", "exit code 0"),
            (
                "if (kill(getppid(), SIGKILL)) _exit(7); pause();",
                "exit code 7" if landlock_version() >= 6 else "the grader's own helper process was killed in case n=1",
            ),
            ('FILE* f = fopen("big", "w"); for (;;) fputs("0123456789abcdef", f);', "wrote a file larger than it may"),
        ],
        every=24,
        slow=6,
    ),
)
def test_a_process_that_ends_is_a_crash(run, arena, body, said):
    found = run(host(body))
    assert found.build.problem is None
    assert found.problem == ("not_graded" if "helper" in said else "crash") and said in found.ended
    assert run(KERNEL).problem is None
    assert results(arena) == [True] * len(SIZES)


@pytest.mark.slow
def test_what_was_printed_before_a_crash_is_kept(run):
    found = run(host('puts("here"); volatile int* p = nullptr; *p = 1;'))
    assert found.problem == "crash" and "segmentation fault" in found.ended
    assert found.output == "here\n"


def test_cases_before_the_crash_are_kept(run):
    found = run(KERNEL.replace("    add<<<", "    if (n == 1000) __builtin_trap();\n    add<<<"))
    assert [case.name for case in found.cases][:2] == ["n=1", "n=31"]
    assert found.problem == "crash" and "case n=1000" in found.ended


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "for (volatile int i = 0;; i = i + 1) {}",
        "kill(getppid(), SIGSTOP); for (;;) pause();",
        *[
            pytest.param(body, marks=pytest.mark.whole)
            for body in (
                "if (!fork()) { setsid(); for (;;) pause(); } wait(nullptr);",
                "std::thread([] { for (;;) pause(); }).join();",
                "for (int i = 0; i < 6; i++) fork(); for (;;) pause();",
                "kill(getpid(), SIGSTOP);",
            )
        ],
    ],
)
def test_host_code_that_never_comes_back(run, impatient, body):
    found = run(host(body), seconds=0.3)
    assert found.problem == "timeout" and "case n=1" in found.ended
    assert "did not come back within 0.3 s" in found.ended or "still running in line" in found.ended


@pytest.mark.slow
def test_a_compiler_that_takes_too_long(run):
    tree = "template <int N, int K> struct T { static const int v = T<N - 1, 2 * K>::v + T<N - 1, 2 * K + 1>::v; };"
    flood = tree + "template <int K> struct T<0, K> { static const int v = K; }; static int big = T<24, 0>::v;\n"
    found = run(flood + KERNEL, build_seconds=4)
    assert found.build.problem == "build_error" and found.problem is None
    assert "the compiler did not finish within 4 s and was stopped" in found.build.message


@pytest.mark.slow
def test_a_file_that_is_never_loaded(run):
    found = run("struct A { A() { for (volatile int i = 0;; i = i + 1) {} } } a;\n" + KERNEL, build_seconds=2)
    assert found.problem == "timeout" and found.build is None
    assert "loading the file took more than 2 s" in found.ended


@pytest.mark.slow
def test_a_build_is_kept_while_the_file_still_runs(server, arena, cache):
    cancel, kernels = Cancel(), cache / "kernels"
    endless = host(f"for (;;) pause();  // {uuid.uuid4()}\n")
    before, kept = set(kernels.glob("*")), []

    def look(event):
        if event["event"] == "running":
            late = time.monotonic() + 5
            while not kept and time.monotonic() < late:
                kept.extend(file for new in set(kernels.glob("*")) - before for file in new.glob("*.so"))
                time.sleep(0.01)
            cancel.set()

    with pytest.raises(Cancelled):
        run_on(server, arena, cache, endless, cancel=cancel, on_event=look)
    assert kept


def test_an_exit_while_the_file_is_loaded(run):
    found = run("#include <cstdlib>\nstruct A { A() { exit(0); } } a;\n" + KERNEL)
    assert found.problem == "crash" and found.build is None
    assert "exit code 0 while the file was loaded" in found.ended


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    long_tail(
        [
            "std::vector<char> v(100ull << 30); z[0] = v[n];",
            "char* volatile p = new char[100ull << 30]; p[n] = 1;",
            "for (;;) { char* volatile p = new char[1 << 30]; p[n] = 1; }",
        ],
        every=100,
        slow=2,
    ),
)
def test_a_hundred_gigabytes(run, body):
    found = run(host(body))
    assert found.problem == "crash"
    assert "bad_alloc (case n=1)" in found.ended


@pytest.mark.whole
def test_a_hundred_megabytes_of_words(run, arena):
    body = 'if (n == 1) for (int i = 0; i < 1000000; i++) printf("%099d\\n", i);'
    found = run(KERNEL.replace(ENTRY + " {", f"{HEADERS}{ENTRY} {{ {body}"))
    assert found.problem is None
    assert len(found.output) < 70_000 and found.output.endswith("\n[the rest is cut]\n")
    assert results(arena) == [True] * len(SIZES)


@pytest.mark.slow
def test_a_fork_that_returns_twice_is_counted_once(run):
    found = run(host("fork();"))
    assert found.problem is None
    assert [case.name for case in found.cases] == [f"n={n}" for n in SIZES]


@pytest.mark.slow
def test_what_is_left_in_the_background_is_ended(run):
    body = 'if (!fork()) { setsid(); if (!fork()) execlp("sleep", "sleep", "600", nullptr); _exit(0); }'
    assert run(host(body)).problem is None  # `run` looks for processes that are left


@pytest.mark.slow
def test_the_world_that_host_code_sees(arena, cache, monkeypatch):
    monkeypatch.setenv("LADDER_SECRET", "secret")
    body = r"""
        for (char** e = environ; *e; e++) puts(*e);
        char buffer[4096];
        printf("stdin %zu\n", fread(buffer, 1, 1, stdin));
        FILE* first = fopen("/proc/self/environ", "r");  // what the process was started with
        size_t got = fread(buffer, 1, sizeof buffer, first);
        for (size_t i = 0; i < got; i++) putchar(buffer[i] ? buffer[i] : '\n');
        printf("in %s\n", getcwd(buffer, sizeof buffer));"""
    with ForkServer() as server:
        output = run_on(server, arena, cache, host(body)).output
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert {"PATH", "HOME", "TMPDIR", "LANG"} <= names and "LADDER_SECRET" not in names
    assert "stdin 0\n" in output and "kernel-ladder/jobs/" in output


@pytest.mark.slow
@pytest.mark.skipif(bool(confine_mounts.why_not()), reason=f"no namespaces: {confine_mounts.why_not()}")
def test_the_files_of_a_submission_have_a_limit_together(run):
    body = """
        std::vector<char> text(1 << 20);
        size_t written = 0;
        for (const char* name : {"a", "b", "c"}) {
            FILE* file = fopen(name, "w");
            for (int i = 0; i < 200; i++) written += fwrite(text.data(), 1, text.size(), file);
            fclose(file);
        }
        printf("%zu MB\\n", written >> 20);"""
    written = int(run(host(body)).output.split()[0])
    most = confine_mounts.MOST_BYTES >> 20
    assert most - 64 < written <= most  # the build lies there, too


@pytest.mark.slow
def test_the_threads_of_a_submission_have_a_limit(run):
    body = """
        int count = 0;
        try {
            for (; count < 5000; count++) std::thread([] { pause(); }).detach();
        } catch (const std::system_error&) {
        }
        printf("%d threads\\n", count);
        fflush(stdout);
        _exit(0);"""
    found = run(host(body).replace("#include <thread>", "#include <system_error>\n#include <thread>"))
    if "processes" not in found.sandbox["held"]:
        pytest.skip(found.sandbox["lacking"]["processes"])
    assert 0 < int(found.output.split()[0]) < control_group.most_processes()


def test_events_are_told_in_order(run):
    heard = []
    run(KERNEL, on_event=lambda event: heard.append(event["event"]))
    cases = ["running", "case"] * len(SIZES)
    assert heard == ["preparing", "building", "loading", "built", *cases[:-1], "again", "case", "end"]


def test_lines_without_the_token_are_no_events():
    lines = EventLines("abc")
    assert lines.feed(b'{"event": "end"}\nabc {"event": "en') == []
    assert lines.feed(b'd"}\nabc [1]\nabc {\nxyz {"event": "end"}\n\xff\n') == [{"event": "end"}]
    assert lines.feed(b"x" * (running.MOST_LINE_BYTES + 1)) == []
    assert lines.feed(b'abc {"event": "end"}\nabc {"event": "end"}\n') == [{"event": "end"}]


SLOW_TO_COMPILE = """
constexpr unsigned work(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < 10000; j++) sum += i * j;
    return sum;
}
template <unsigned N> struct Slow { static constexpr unsigned value = work(300 + N); };
unsigned slow = Slow<0>::value + Slow<1>::value + Slow<2>::value + Slow<3>::value + Slow<4>::value + Slow<5>::value;
"""

JUDGE = """
import sys
from pathlib import Path
from grader.course.prototype import parse_prototype
from grader.devices.buffers import Arena
from grader.devices.worker.server import Job, server

ADD = parse_prototype("void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)")
source = Path(sys.argv[1]).read_text()
with Arena([(ADD, {"x": (1,), "y": (1,), "z": (1,)})]) as arena:
    job = Job(source, "a.cu", [ADD], "vector_add", arena, [("n=1", {"n": 1})])
    try:
        print(server().run(job, lambda event: print(event["event"], flush=True)).ended)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def start_judge(folder: Path, cache: Path, source: str) -> subprocess.Popen:
    (folder / "a.cu").write_text(source)
    command = [sys.executable, "-c", JUDGE, str(folder / "a.cu")]
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "XDG_CACHE_HOME": str(cache.parent)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def wait_until(condition, seconds=60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("number", "code"), long_tail([(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)], every=4)
)
def test_a_judge_stopped_during_the_build_leaves_nothing(cache, tmp_path, number, code):
    source = SLOW_TO_COMPILE + KERNEL
    judge = start_judge(tmp_path, cache, source)
    assert wait_until(lambda: len(working_in(cache)) >= 3)  # the worker, ninja, the compiler
    judge.send_signal(number)
    assert judge.wait(timeout=60) == code
    assert wait_until(lambda: not working_in(cache) and not list((cache / "jobs").iterdir()))
    again = start_judge(tmp_path, cache, KERNEL)
    assert again.communicate(timeout=60)[0].splitlines() == [
        "preparing",
        "building",
        "loading",
        "built",
        "running",
        "again",
        "case",
        "end",
        "normally",
    ]
    assert again.returncode == 0


def test_a_stale_lock_of_a_killed_build_hangs_nobody(run, arena, cache):
    stale = cache / "jobs" / "old"
    (stale / "build").mkdir(parents=True)
    (stale / "build" / "lock").touch()
    os.utime(stale, (1e9, 1e9))
    found = run(KERNEL + f"// {uuid.uuid4()}\n")  # `run` sees that the stale folder went, too
    assert found.problem is None and results(arena) == [True] * len(SIZES)


def test_a_missing_python_package_is_one_sentence(arena, cache, monkeypatch, tmp_path):
    (tmp_path / "shlex.py").write_text("raise ImportError('none here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ForkServer() as server, pytest.raises(UsageError, match="the worker cannot start: ImportError: none here"):
        run_on(server, arena, cache, KERNEL)


def test_without_a_gpu_workers_start_without_torch(server, arena, cache):
    assert run_on(server, arena, cache, KERNEL).problem is None
    libraries = Path(f"/proc/{server._process.pid}/maps").read_text()
    assert any(Path("/dev").glob("nvidia*")) or "torch" not in libraries


def test_inputs_may_come_while_the_file_is_built(server, arena, cache):
    seen = []

    def inputs():
        seen.append("inputs")
        time.sleep(0.5)

    text = KERNEL + f"// {uuid.uuid4()}\n"
    found = run_on(server, arena, cache, text, inputs=inputs, on_event=lambda event: seen.append(event["event"]))
    assert found.problem is None and results(arena) == [True] * len(SIZES)
    assert seen.index("inputs") < seen.index("running") and seen.count("inputs") == 1


def test_inputs_that_cannot_be_drawn_end_the_job(server, arena, cache):
    def inputs():
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run_on(server, arena, cache, KERNEL, inputs=inputs)
    assert run_on(server, arena, cache, KERNEL).problem is None


@pytest.mark.parametrize("when", long_tail(["before", "building", "running"], every=4))
def test_a_job_that_is_called_off_ends_and_the_server_stays(server, arena, cache, when):
    cancel = Cancel()
    if when == "before":
        cancel.set()
    endless = host("for (;;) pause();")
    with pytest.raises(Cancelled):
        run_on(server, arena, cache, endless, cancel=cancel, on_event=lambda e: e["event"] == when and cancel.set())
    process = server._process
    assert run_on(server, arena, cache, KERNEL).problem is None and results(arena) == [True] * len(SIZES)
    assert server._process is process


def test_a_worker_may_use_a_card_once_its_turn_has_come(arena, tmp_path):
    """The judge's side alone, as there is no GPU: it waits for the turn once, and that costs no time of the job's."""
    asked = []
    gpu = Gpu("90a", take_turn=lambda: asked.append("turn"))
    order = Job("", "kernel.cu", [], "add", arena, [], gpu=gpu, inputs=lambda: asked.append("inputs"))
    watch = RunningJob(order, tmp_path, lambda event: None)
    watch.orders, worker = socket.socketpair()
    with watch.orders, worker:
        for event in ("building", "compiled", "compiled"):
            watch._note({"event": event})
        assert asked == ["turn"] and worker.recv(9) == BEGIN
        assert order.to_json(tmp_path, "")["waits_for_card"]


def test_a_job_that_is_called_off_before_its_turn_gets_no_card(arena, tmp_path):
    def called_off():
        raise Cancelled

    order = Job("", "kernel.cu", [], "add", arena, [], gpu=Gpu("90a", take_turn=called_off))
    watch = RunningJob(order, tmp_path, lambda event: None)
    watch.orders, worker = socket.socketpair()
    with worker:
        watch._note({"event": "compiled"})
        assert isinstance(watch.failed, Cancelled) and worker.recv(9) == b""
