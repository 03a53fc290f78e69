"""`ladder` with a server that holds torch: the same words as without, whatever happens, and nothing for submissions."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from terminal import Terminal

from grader.devices.build import frontend
from grader.devices.cache import cache_root
from grader.devices.emulator.session import runtime_library
from grader.devices.worker.confine import landlock_version
from grader.faces import standby_place
from grader.faces.standby_place import Place, key, standing, version, why_not

ROOT = Path(__file__).parents[2]
LADDER = [sys.executable, "-P", "-c", "from grader.faces.standby import main; main()"]
ATTACK = ROOT / "tests" / "adversarial" / "16_asks_the_standby_server.cu"
RIGHT = (ROOT / "kernels" / "01_vector_add" / "1_one_element.cu").read_text() + "// mine\n"
ENDLESS = RIGHT.replace("if (i < n)", "while (i < n)")
SLOW = f"#include <unistd.h>\n{RIGHT.replace('add<<<', 'if (n == 1) sleep(4); add<<<')}"
PATIENCE = 60.0
# A lesson that tells how things are where it is read. `ladder check` reads it before it misses the kernel's file.
TELLS = """
import json, os, signal, sys
from pathlib import Path
mask = os.umask(0o077)
os.umask(mask)
links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
facts = {
    "process": os.getpid(),
    "forked": b"standby_server" in Path("/proc/self/cmdline").read_bytes(),
    "environment": dict(os.environ),
    "umask": mask,
    "ignored": [number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN],
    "files": sorted(os.readlink(link).partition(":")[0] for link in links if os.path.lexists(link)),
    "folder": os.readlink("/proc/self/cwd"),
    "streams": [stream.encoding for stream in (sys.stdin, sys.stdout, sys.stderr)],
}
with open(os.environ["FACTS"], "a") as file:
    file.write(json.dumps(facts) + "\\n")
lesson = None
"""


class Home:
    """Folders for sockets, builds and a course, and commands that use them."""

    def __init__(self, folder: Path):
        self.folder, self.course = folder, folder / "course"
        for name in ("run", "course/work", "tells/lessons/01_copy", "tells/kernels", "cache/kernel-ladder"):
            (folder / name).mkdir(parents=True)
        for name in ("lessons", "kernels"):
            (self.course / name).symlink_to(ROOT / name)
        frontend.prepare(cache_root())
        for built in (runtime_library(cache_root()).parent, frontend.folder(cache_root())):  # which take long
            (folder / "cache" / "kernel-ladder" / built.name).symlink_to(built)
        (folder / "tells" / "lessons" / "01_copy" / "lesson.py").write_text(TELLS)

    @property
    def sockets(self) -> Path:
        return self.folder / "run" / "kernel-ladder"

    def environment(self, **extra: str) -> dict[str, str]:
        dropped = ("CI", "COLUMNS", "LINES", "NO_COLOR")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        own = {"XDG_RUNTIME_DIR": str(self.folder / "run"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        course = {"LADDER_COURSE": str(self.course), "PYTHONPATH": str(ROOT), "LADDER_SERVER": "1"}
        return kept | own | course | extra

    def options(self, extra=None, **options) -> dict:
        return {"cwd": self.course, "text": True, "env": self.environment(**extra or {})} | options

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.run([*LADDER, *arguments], timeout=300, **self.options(**streams | options))

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*LADDER, *arguments], **self.options(**streams | options))

    def kernel(self, text: str = RIGHT) -> str:
        """The name of a file that was never built before."""
        file = self.course / "work" / f"{time.monotonic_ns()}.cu"
        file.write_text(f"{text}\n// {file.name}\n")
        return f"work/{file.name}"

    def check(self, *arguments: str, **options) -> dict:
        """The grade of a right kernel, for programs."""
        done = self.run("check", "01", self.kernel(), "--json", *arguments, **options)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return json.loads(done.stdout)

    def facts(self, extra=None, **options) -> dict:
        """How things are where a command is done."""
        told = self.folder / "facts"
        told.write_text("")
        own = {"LADDER_COURSE": str(self.folder / "tells"), "FACTS": str(told)}
        done = self.run("check", "01", extra=own | (extra or {}), **options)
        assert done.returncode == 2, done.stderr
        assert told.read_text(), done.stderr
        return json.loads(told.read_text().splitlines()[-1])

    def servers(self) -> list[int]:
        return servers_in(self.sockets)

    def at_work(self) -> list[int]:
        """All processes of commands: a client and its fork in the course, a worker in the cache."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdecimal() and Path(os.readlink(entry / "cwd")).is_relative_to(self.folder):
                    found.append(int(entry.name))
        return found

    def end(self) -> None:
        servers = self.servers()
        for process in servers:
            os.kill(process, signal.SIGKILL)
        assert wait_until(lambda: not self.at_work() and not any(map(is_running, servers)))


def servers_in(folder: Path) -> list[int]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    with Place.at(folder) as place:
        return [process for _, process in place.servers()]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds: float = PATIENCE) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """With a server that has served already."""
    home = Home(tmp_path_factory.mktemp("home"))
    try:
        home.check()
        assert len(home.servers()) == 1
        yield home
    finally:
        home.end()


@pytest.fixture
def fresh(tmp_path):
    """Without a server."""
    home = Home(tmp_path)
    yield home
    home.end()


@pytest.mark.slow
def test_who_starts_a_lesson_finds_a_server_at_the_first_check(fresh):
    assert (
        fresh.run("start", "99").returncode == 2
        and fresh.run("start", "01", extra={"LADDER_SERVER": "0"}).returncode == 0
    )
    assert fresh.servers() == []
    assert fresh.run("start", "02").stderr == ""
    assert wait_until(lambda: len(fresh.servers()) == 1)
    begun = fresh.servers()
    assert fresh.run("hint", "02").returncode == 0 and wait_until(lambda: fresh.facts()["forked"])
    assert fresh.servers() == begun


# ---- the same as without ----


@pytest.mark.slow
def test_the_grade_is_the_same(home):
    file = home.kernel()
    arguments = ("check", "01", file, "--json", "--seed", "7")
    assert home.facts()["forked"]
    grades = [json.loads(home.run(*arguments, extra={"LADDER_SERVER": use}).stdout) for use in ("1", "0", "1")]
    for grade in grades:
        del grade["seconds"]
        held = set(grade["sandbox"]["held"]) - {"bubblewrap"}  # it holds no fork
        # Inside of it another user can enter the folders in which Python lies, though they may be root's alone.
        grade["sandbox"]["held"] = {"capabilities" if layer == "user" else layer for layer in held}
        grade["sandbox"]["lacking"].clear()  # nor are its folders the same
        for task in grade["tasks"]:
            for case in task["cases"]:
                case.pop("seconds", None)
    assert grades[0] == grades[1] == grades[2]
    assert len(home.servers()) == 1


@pytest.mark.whole
@pytest.mark.parametrize("columns", [pytest.param(50, marks=pytest.mark.slow), 110])
def test_a_terminal_shows_the_same(home, columns):
    file = home.kernel(RIGHT.replace("x[i] + y[i]", "x[i] - y[i]"))
    pages = []
    for use in ("1", "0"):
        options = {"env": home.environment(LADDER_SERVER=use, TERM="xterm-256color"), "cwd": home.course}
        with Terminal([*LADDER, "check", "01", file, "--seed", "7"], columns=columns, lines=60, **options) as terminal:
            assert terminal.end() == 1
            assert "\x1b[3" in terminal.said and terminal.restored  # in colour
            verdict = terminal.page.text.partition("✗ 01_vector_add: wrong result")[2]  # after what was done meanwhile
            pages.append(re.sub(r"built in .*", "", verdict).rstrip())
    assert pages[0] == pages[1] and "emulated" in pages[0]


@pytest.mark.whole
def test_streams_may_be_files_or_closed_pipes(home, tmp_path):
    with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        done = home.run("check", "01", home.kernel(), "--json", stdout=out, stderr=err)
    assert done.returncode == 0 and json.loads((tmp_path / "out").read_text())["status"] == "passed"
    assert (tmp_path / "err").read_text() == ""
    codes = []
    for use in ("1", "0"):
        reading, writing = os.pipe()
        os.close(reading)
        done = home.run("check", "01", home.kernel(), extra={"LADDER_SERVER": use}, stdout=writing)
        os.close(writing)
        codes.append((done.returncode, done.stderr))
    assert codes[0] == codes[1]
    command = f'exec "{sys.executable}" -P -c "{LADDER[-1]}" check 01 {home.kernel()} 2>&- > {tmp_path}/closed'
    assert subprocess.run(["sh", "-c", command], **home.options()).returncode == 0
    assert "passed" in (tmp_path / "closed").read_text()


@pytest.mark.whole
def test_usage_errors_are_the_same(home):
    for arguments in (["check", "99"], ["check", "01", "no.cu"], ["check", "--nonsense"], ["submit"], ["explain", "x"]):
        said = [home.run(*arguments, extra={"LADDER_SERVER": use}) for use in ("1", "0")]
        assert said[0].returncode == 2 and said[0].stderr.startswith("ladder: ")
        assert (said[0].returncode, said[0].stderr) == (said[1].returncode, said[1].stderr)


@pytest.mark.whole
def test_submit_and_explain_and_all_are_served_too(home):
    assert home.run("explain", "01", home.kernel()).returncode == 0
    done = home.run("submit", "01", home.kernel())
    assert done.returncode == 0 and "Hand in submissions/" in done.stdout
    done = home.run("check", "--all", "submissions")
    assert done.returncode == 0, done.stdout + done.stderr


# ---- as if the command ran in this process ----


@pytest.mark.slow
def test_a_command_has_the_callers_surroundings(home, tmp_path):
    def restrict():
        os.umask(0o027)
        os.chdir(tmp_path)

    extra = {"MINE": "käse", "NO_COLOR": "1", "TZ": "Asia/Tokyo"}
    facts, alone = [
        home.facts(extra=extra | {"LADDER_SERVER": use}, preexec_fn=restrict, cwd=None) for use in ("1", "0")
    ]
    assert (facts.pop("forked"), alone.pop("forked")) == (True, False)
    assert facts["umask"] == 0o027 and facts["folder"] == str(tmp_path) and facts["environment"]["MINE"] == "käse"
    for told in (facts, alone):
        del told["process"], told["environment"]["LADDER_SERVER"]
        told["files"] = [file for file in told["files"] if not file.startswith("socket")]  # to who waits, and a worker
    assert facts == alone


@pytest.mark.whole
def test_a_folder_that_was_removed(home, tmp_path):
    gone = tmp_path / "gone"

    def enter():
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()

    said = [
        home.run("check", "01", "--reference", extra={"LADDER_SERVER": use}, preexec_fn=enter, cwd=None)
        for use in ("1", "0")
    ]
    assert (said[0].returncode, said[0].stderr) == (said[1].returncode, said[1].stderr)
    assert said[0].returncode == 2 and "the current folder has been removed" in said[0].stderr


@pytest.mark.whole
def test_other_limits_have_another_server(home):
    (first,) = home.servers()
    few = home.run(
        "check", "01", home.kernel(), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))
    )
    assert few.returncode == 0, few.stderr
    (other,) = {*home.servers()} - {first}
    assert re.search(r"Max open files +99 ", Path(f"/proc/{other}/limits").read_text())
    os.kill(other, signal.SIGKILL)


# ---- how it ends ----


def running(home: Home, kernel: str = ENDLESS, **options) -> subprocess.Popen:
    """A command whose kernel does not come back soon; it has begun to run."""
    process = home.start("check", "01", home.kernel(kernel), **options)
    jobs = home.folder / "cache" / "kernel-ladder" / "jobs"

    def is_built() -> bool:
        """In the folder that the worker alone sees, if there are namespaces."""
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if Path(os.readlink(process / "cwd")).is_relative_to(jobs):
                    return any((process / "root" / jobs.relative_to("/")).glob("*/built"))
        return False

    assert wait_until(lambda: is_built() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    return process


def test_an_interrupt(home):
    process = running(home)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "") and err.strip().count("\n") == 0 and "interrupted" in err
    assert wait_until(lambda: not home.at_work()) and len(home.servers()) == 1


@pytest.mark.slow
def test_ctrl_c_at_a_terminal(home):
    options = {"env": home.environment(TERM="xterm-256color"), "cwd": home.course}
    with Terminal([*LADDER, "check", "01", home.kernel(ENDLESS)], **options) as terminal:
        terminal.until("running vector_add")
        terminal.type("\x03")
        assert terminal.end() == 130 and terminal.restored
        assert terminal.said.count("interrupted") == 1
    assert wait_until(lambda: not home.at_work())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_whatever_ends_the_caller_ends_the_command(home, number):
    process = running(home)
    process.send_signal(number)
    assert process.wait(timeout=PATIENCE) == -number
    process.communicate()
    assert wait_until(lambda: not home.at_work())


def test_a_terminal_that_is_closed(home):
    options = {"env": home.environment(TERM="xterm-256color"), "cwd": home.course}
    with Terminal([*LADDER, "check", "01", home.kernel(ENDLESS)], **options) as terminal:
        terminal.until("running vector_add")
        os.close(os.dup(terminal.ours))
        os.close(terminal.theirs)
        os.close(terminal.ours)
        assert terminal.process.wait(timeout=PATIENCE) == -signal.SIGHUP
        terminal.ours, terminal.theirs = os.openpty()
    assert wait_until(lambda: not home.at_work())


def test_suspended_and_resumed(home):
    process = running(home)
    (fork,) = [each for each in home.at_work() if is_fork(each)]
    process.send_signal(signal.SIGTSTP)
    assert wait_until(lambda: state(process.pid) == state(fork) == "T")
    process.send_signal(signal.SIGCONT)
    assert wait_until(lambda: state(fork) != "T" and state(process.pid) != "T")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


def is_fork(process: int) -> bool:
    """Whether it does a command: neither the server of its workers, nor a worker."""
    with contextlib.suppress(OSError):
        facts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        group, session = int(facts[2]), int(facts[3])
        return b"standby_server" in Path(f"/proc/{process}/cmdline").read_bytes() and group == process != session
    return False


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_nohups_wish_counts(home):
    def ignore():
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    assert {signal.SIGINT, signal.SIGHUP} <= {*home.facts(preexec_fn=ignore)["ignored"]}
    assert not {signal.SIGINT, signal.SIGHUP} & {*home.facts()["ignored"]}
    process = home.start("check", "01", home.kernel(RIGHT), preexec_fn=ignore)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    assert "passed" in process.communicate(timeout=PATIENCE)[0] and process.returncode == 0


@pytest.mark.slow
def test_a_command_that_is_killed_is_done_again(home):
    process = running(home, SLOW)
    (fork,) = [each for each in home.at_work() if is_fork(each)]
    os.kill(fork, signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err, out.count("passed")) == (0, "", 1)


# ---- the server's life ----


def started(home: Home, *arguments: str) -> subprocess.Popen:
    """A server of the name that `home`'s commands use; it is ready."""
    code = "from grader.faces.standby_place import key; print(key())"
    name = subprocess.run([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE, **home.options()).stdout.strip()
    with Place.at(home.sockets) as place:
        command = [sys.executable, "-P", "-m", "grader.faces.standby_server", name, str(place.fd), *arguments]
        options = home.options(pass_fds=[place.fd], start_new_session=True)
        server = subprocess.Popen(command, **options | {"env": options["env"] | {"OPENBLAS_NUM_THREADS": "1"}})
        reached = []  # its socket has a name a moment before it listens
        assert wait_until(lambda: reached.append(place.connect(name, PATIENCE)) or reached[-1])
        with reached[-1] as connection:
            assert b"process" in connection.recv(100)
    return server


@pytest.mark.whole
def test_it_ends_when_it_was_not_used_for_a_while(fresh):
    server = started(fresh, "4")
    assert fresh.facts()["forked"]
    assert server.wait(timeout=PATIENCE) == 0 and list(fresh.sockets.iterdir()) == []


@pytest.mark.whole
def test_it_is_used_or_not_as_the_caller_wishes(fresh):
    for extra in ({"LADDER_SERVER": "0"}, {"LADDER_SERVER": "", "CI": "true"}):
        assert fresh.check(extra=extra)["status"] == "passed" and not fresh.sockets.exists()
    assert fresh.check(extra={"CI": "true"})["status"] == "passed"
    assert len(fresh.servers()) == 1 and fresh.facts()["forked"]
    assert stat.S_IMODE(fresh.sockets.stat().st_mode) == 0o700
    (file,) = fresh.sockets.iterdir()
    assert stat.S_ISSOCK(file.stat().st_mode) and stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.whole
def test_doctor_says_whether_one_runs_and_how_to_end_it(home, fresh):
    said = {where: " ".join(where.run("doctor", extra={"COLUMNS": "200"}).stdout.split()) for where in (home, fresh)}
    assert "none runs: the next `ladder check` starts one" in said[fresh]
    assert f"`kill {' '.join(map(str, home.servers()))}` ends it now" in said[home]


@pytest.mark.slow
def test_it_has_imported_all_that_a_verdict_needs(tmp_path):
    (tmp_path / "right.cu").write_text(RIGHT)
    script = """
import importlib, sys
from grader.faces import standby_server
standby_server.import_torch(to_build=False)
standby_server.warm()
for module in standby_server._NEEDED:
    importlib.import_module(module)
before = set(sys.modules)
from grader.faces import cli
assert cli.run(["check", "01", sys.argv[1]]) == 0
print("late:", [name for name in sys.modules if name.startswith("grader.") and name not in before])
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "right.cu"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "late: []", done.stdout + done.stderr


def test_a_usage_error_does_not_wait_for_the_first_server(fresh):
    done = fresh.run("check", "99")
    assert done.returncode == 2 and "`ladder` lists them all" in done.stderr


@pytest.mark.slow
def test_two_first_commands_share_one_server(fresh):
    both = [fresh.start("check", "01", fresh.kernel(), "--json") for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err, json.loads(out)["status"]) == (0, "", "passed")
    assert len(fresh.servers()) == 1 and len(list(fresh.sockets.iterdir())) == 1


@pytest.mark.whole
def test_what_a_killed_server_leaves_is_cleared_away(fresh):
    server = started(fresh)
    server.kill()
    server.wait()
    (left,) = fresh.sockets.iterdir()
    (fresh.sockets / "other.socket").write_text("not even a socket")
    assert fresh.check()["status"] == "passed"
    assert list(fresh.sockets.iterdir()) == [left] and wait_until(lambda: fresh.facts()["forked"])


@pytest.mark.slow
def test_a_server_that_hangs_is_forgotten(fresh):
    server = started(fresh)
    os.kill(server.pid, signal.SIGSTOP)
    assert fresh.check()["status"] == "passed"
    assert fresh.servers() == [server.pid]  # it might only be slow to start
    (file,) = fresh.sockets.iterdir()
    os.utime(file, (1e9, 1e9))
    assert fresh.check()["status"] == "passed"
    assert fresh.facts()["forked"] and fresh.servers() != [server.pid]
    server.kill()
    server.wait()


@pytest.mark.whole
def test_a_server_that_cannot_start_changes_nothing(fresh, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "rich.py").write_text("import sys\nif 'standby_server' in str(sys.orig_argv): raise ImportError\n")
    (broken / "torch.py").write_text(
        "import sys\nif 'grader.faces.standby_server' in sys.orig_argv: raise ImportError('broken')\n"
        f"sys.path.remove({str(broken)!r})\ndel sys.modules['torch']\nimport torch\n"
    )
    (broken / "rich.py").unlink()
    extra = {"PYTHONPATH": f"{broken}{os.pathsep}{ROOT}"}
    assert fresh.check(extra=extra)["status"] == "passed" and fresh.servers() == []


@pytest.mark.slow
def test_a_folder_of_somebody_elses_is_refused(fresh, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    fresh.sockets.symlink_to(theirs)
    assert fresh.check()["status"] == "passed"
    assert list(theirs.iterdir()) == []
    assert list((fresh.folder / "cache" / "kernel-ladder" / "server").iterdir())  # the next best place
    os.kill(*servers_in(fresh.folder / "cache" / "kernel-ladder" / "server"), signal.SIGKILL)


@pytest.mark.whole
def test_nowhere_to_listen(fresh):
    fresh.sockets.write_text("")
    (fresh.folder / "cache" / "kernel-ladder" / "server").write_text("")
    assert fresh.check()["status"] == "passed"


@pytest.mark.slow
def test_an_edited_checkout_has_another_server(fresh, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "grader", copy / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    extra = {"PYTHONPATH": str(copy)}
    assert fresh.check(extra=extra)["status"] == "passed"
    (first,) = fresh.servers()
    (copy / "grader" / "report" / "json_.py").open("a").write("\n")
    assert fresh.check(extra=extra)["status"] == "passed"
    (second,) = fresh.servers()
    assert first != second and wait_until(lambda: not is_running(first))
    assert fresh.check()["status"] == "passed"
    assert {second} < {*fresh.servers()}  # each checkout has one of its own


def test_the_version_is_that_of_all_files(tmp_path, monkeypatch):
    monkeypatch.setattr(standby_place, "PACKAGE", tmp_path)
    (tmp_path / "a").mkdir()
    file = tmp_path / "a" / "b.py"
    seen = {version()}
    for text in ("1", "22"):
        file.write_text(text)
        seen.add(version())
    os.utime(file, (1e9, 1e9))
    seen.add(version())
    assert len(seen) == 4


# ---- who may ask ----


confined = pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock: nothing is confined")
MAIN = "#define cudaStream_t void*\n{}\nint main() {{ vector_add(nullptr, nullptr, nullptr, 1, nullptr); }}\n"


@pytest.mark.slow
@confined
def test_a_submission_cannot_have_a_command_run(tmp_path):
    home = Home(tmp_path)
    extra = {"XDG_RUNTIME_DIR": ""}  # the sockets lie in the cache, beside the workers' folders
    cache = home.folder / "cache" / "kernel-ladder"
    try:
        assert home.check(extra=extra)["status"] == "passed"
        (server,) = servers_in(cache / "server")
        for level, said in (("basic", "its socket: Permission denied"), ("none", "the server hangs up")):
            done = home.run("check", "01", str(ATTACK), "--json", "--sandbox", level, extra=extra)
            assert json.loads(done.stdout)["tasks"][0]["output"].splitlines()[0] == said
        assert not (cache / "escaped").exists()

        # The same attack from outside of the confinement succeeds: it is that which stops it.
        job = cache / "jobs" / "own"
        job.mkdir()
        (job / "attack.cpp").write_text(MAIN.format(ATTACK.read_text()))
        subprocess.run(["g++", "-std=c++20", "-o", "attack", "attack.cpp"], cwd=job, check=True)
        said = subprocess.run(["./attack"], **home.options(cwd=job, extra=extra, stdout=subprocess.PIPE)).stdout
        assert "a command was sent" in said and said.endswith("escaped\n")
        assert (cache / "escaped").read_text() == "escaped"
        assert servers_in(cache / "server") == [server]
    finally:
        for process in servers_in(cache / "server"):
            os.kill(process, signal.SIGKILL)


@confined
def test_a_confined_process_has_no_server(home, tmp_path):
    code = (
        "from pathlib import Path; from grader.devices.worker.confine import Sandbox; "
        f"Sandbox('none', Path({str(tmp_path)!r})).enter([])"
    )
    said = "from grader.faces.standby_place import why_not; print(why_not())"
    done = subprocess.run([sys.executable, "-P", "-c", f"{code}\n{said}"], stdout=subprocess.PIPE, **home.options())
    assert "confined" in done.stdout


@pytest.mark.slow
def test_what_a_submission_finds_in_its_process(home):
    """Neither the caller's environment nor its arguments nor its files."""
    host = r"""
        FILE* first = fopen("/proc/self/environ", "r");
        char buffer[65536];
        size_t got = first ? fread(buffer, 1, sizeof buffer, first) : 0;  // another user may not read its own
        for (size_t i = 0; i < got; i++) putchar(buffer[i] ? buffer[i] : '\n');
        for (char** e = environ; *e; e++) puts(*e);
        fflush(stdout);
        for (int fd = 0; fd < 1024; fd++) {
            char name[64], target[256] = {};
            snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
            if (readlink(name, target, sizeof target - 1) > 0) printf("file %d %s\n", fd, target);
        }"""
    text = RIGHT.replace("    int blocks", f"if (n == 1) {{{host}}}\n    int blocks")
    assert host in text
    file = home.kernel(f"#include <cstdio>\n#include <unistd.h>\n{text}")
    outputs = []
    for use in ("1", "0"):
        extra = {"MY_SECRET": "hidden", "HOMEBREW_TOKEN": "hidden", "LANGUAGE_KEY": "hidden", "LADDER_SERVER": use}
        done = home.run("check", "01", file, "--json", extra=extra)
        outputs.append(json.loads(done.stdout)["tasks"][0]["output"])
    for output in outputs:
        assert "hidden" not in output and "PATH=" in output
    kinds = [sorted(re.findall(r"^file \d+ (/dev/null|[a-z]+:)", output, re.MULTILINE)) for output in outputs]
    assert kinds[0] == kinds[1]


def test_a_secret_like_name_is_not_read_at_start(monkeypatch):
    before = key()
    for name in ("LANGCHAIN_API_KEY", "LD_SDK_KEY", "NVIDIA_API_KEY", "HOMEBREW_GITHUB_API_TOKEN", "PYTHON_TOKEN"):
        monkeypatch.setenv(name, "hidden")
    assert key() == before and "hidden" not in str(standby_place.variables())
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    assert key() != before and standby_place.variables()["LD_LIBRARY_PATH"] == "/somewhere"


def test_a_standing_is_the_same_for_equals():
    child = subprocess.Popen(["sleep", "60"])
    try:
        assert wait_until(lambda: "sleep" in Path(f"/proc/{child.pid}/comm").read_text())
        assert standing(child.pid) == standing("self")
    finally:
        child.kill()
        child.wait()
    assert why_not() == "LADDER_SERVER=0 says so"
