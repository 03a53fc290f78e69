"""What grading a class costs, and what it withstands.

    python -m benchmarks.classroom rates      hand-ins a minute a core, one job on one core and two jobs (5 minutes)
    python -m benchmarks.classroom sandbox    what `basic` costs beside `none`
    python -m benchmarks.classroom layers     what namespaces, control groups and bubblewrap cost by themselves
    python -m benchmarks.classroom engine     the engine alone, with grades that are simulated (--count 100000)
    python -m benchmarks.classroom kills      SIGKILL at random moments of a run: nothing lost, nothing there twice
    python -m benchmarks.classroom ray        a Ray cluster of two nodes of one core beside one of one; nodes killed
    python -m benchmarks.classroom hostile    attacks and honest kernels in one run
    python -m benchmarks.classroom card       on GPUs: by one job and by some, and whether times stay what they are

Processor seconds are those of all processes below this one; they hold on a busy machine, too, where the rates do not.
"""

from __future__ import annotations

import itertools
import os
import random
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks import hostile_class, synthetic_class
from benchmarks.processes import Peak, processor_seconds
from grader.classroom.executors import GRADING, grade_here
from grader.classroom.gradebook import make_book
from grader.classroom.ledger import Ledger, Result, Row, Submitted
from grader.classroom.policy import Policy
from grader.course import catalog
from grader.devices.worker import confine_mounts, outside

SIMULATED = Path(__file__).parents[1] / "tests" / "classroom" / "simulated.py"
BASIC = {"device": "emulator", "sandbox": "basic"}
LESSONS = ("01", "02", "03", "04", "05", "06", "07", "08")


@click.group(help=__doc__, context_settings={"max_content_width": 120})
def main() -> None: ...


@contextmanager
def ledger_of(submissions: Iterator[Submitted]) -> Iterator[Ledger]:
    """A new ledger, in a folder that goes."""
    with (
        tempfile.TemporaryDirectory(prefix="ladder-class-") as folder,
        Ledger(Path(folder) / "class.sqlite", new=True) as ledger,
    ):
        ledger.add_all(submissions)
        yield ledger


@dataclass(frozen=True)
class Cost:
    """Of a whole class: how long it took, processor seconds, the most memory of all processes, in bytes."""

    count: int
    seconds: float
    processor: float
    memory: int
    rows: list[Row]
    times: dict[tuple[str, str], float]  # microseconds of a run, by learner and task, where it was timed

    @property
    def rate(self) -> float:
        return 60 * self.count / self.seconds


def graded(
    submissions: Iterator[Submitted],
    jobs: int,
    sandbox: str = "basic",
    command: Sequence[str] = GRADING,
    device: str = "emulator",
) -> Cost:
    """Grades them, processes and ledger beginning anew."""
    with ledger_of(submissions) as ledger:
        count, spent, peak = len(ledger.to_grade()), [], Peak()
        started, own = time.monotonic(), time.process_time()
        times: dict[tuple[str, str], float] = {}

        def tell(submitted: Submitted, result: Result) -> None:
            spent.append(processor_seconds(os.getpid()))  # what they have cost is known while they are there
            for task in (result.grade or {}).get("tasks", []):
                if us := task["timings"].get("median_us"):
                    times[submitted.learner, task["name"]] = us

        peak.start()
        grade_here(ledger, jobs, None, {"device": device, "sandbox": sandbox}, tell, command)
        seconds, own = time.monotonic() - started, time.process_time() - own
        return Cost(count, seconds, spent[-1] + own, peak.stop(), [*ledger.rows()], times)


@contextmanager
def held_to(number: int) -> Iterator[None]:
    """Holds this process, and what it starts, to one of its cores."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[number % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@main.command()
@click.option("--count", default=24, show_default=True)
@click.option("--lessons", default=",".join(LESSONS), show_default=True)
def rates(count: int, lessons: str) -> None:
    """Grades one class twice, with other comments, so that all is built anew: on one core, and by two jobs."""
    costs = []
    for jobs in (1, 2):
        made = [*synthetic_class.whole_class(count, lessons.split(","), 7, f"with {jobs} jobs")]
        with held_to(0) if jobs == 1 else nullcontext():
            costs.append(graded((each.submitted for each in made), jobs))
    print(f"{count} hand-ins: {dict(Counter(each.kind for each in made))}\n")
    print("| jobs | hand-ins a minute | a minute a core | CPU s for one | of all seconds of its cores | memory |")
    print("|--:|--:|--:|--:|--:|--:|")
    for jobs, cost in enumerate(costs, start=1):
        busy = f"{100 * cost.processor / cost.seconds / jobs:.0f} %"
        rate = f"{cost.rate:.1f} | {60 * count / cost.processor:.1f} | {cost.processor / count:.2f}"
        print(f"| {jobs} | {rate} | {busy} | {cost.memory / 1e6:.0f} MB |")
    one, two = costs
    statuses = [{row.key.learner: (row.result.status, row.result.stars) for row in cost.rows} for cost in costs]
    other = sorted(name for name in statuses[0] if statuses[0][name] != statuses[1][name])
    print(f"\nTwo jobs grade {two.rate / one.rate:.2f} times as fast; other verdicts: {other or 'none'}")
    sizes = [row.result.seconds for row in one.rows]
    print(f"A hand-in takes {statistics.median(sizes):.1f} s (median), {max(sizes):.1f} s at most.")


@main.command()
@click.option("--count", default=24, show_default=True)
@click.option("--lessons", default=",".join(LESSONS), show_default=True)
@click.option("--jobs", default=3, show_default=True)
def card(count: int, lessons: str, jobs: int) -> None:
    """Grades one class twice on GPUs, all built anew: jobs that shared a card would spoil each other's times."""
    costs = []
    for many in (1, jobs):
        made = [*synthetic_class.whole_class(count, lessons.split(","), 7, f"with {many} jobs")]
        costs.append(graded((each.submitted for each in made), many, device="cuda"))
        print(f"{many} jobs: {count} hand-ins in {costs[-1].seconds:.0f} s, {costs[-1].rate:.1f} a minute")
    found = [{row.key.learner: row.result for row in cost.rows} for cost in costs]
    for name, one in found[0].items():
        other = found[1][name]
        if (one.status, one.stars) != (other.status, other.stars):
            told = [f"{each.status}, {each.stars} stars ({each.message})" for each in (one, other)]
            print(f"{name}: by one job {told[0]}, by {jobs} {told[1]}")
    alone, beside = (cost.times for cost in costs)
    ratios = sorted(beside[task] / us for task, us in alone.items() if task in beside)
    print(f"Times by {jobs} jobs / by one: {' '.join(f'{ratio:.3f}' for ratio in ratios)}")


@main.command()
@click.option("--pairs", default=6, show_default=True)
@click.option("--lessons", default="01,04", show_default=True)
def sandbox(pairs: int, lessons: str) -> None:
    """Grades a rung without a sandbox and with `basic`, in turns, each built anew; compares processor seconds."""
    for entry in map(catalog.find, lessons.split(",")):
        text = entry.rungs[1].read_text()
        spent: dict[str, list[float]] = {"none": [], "basic": []}
        for number in range(pairs + 1):  # the first warms up
            for level in ("none", "basic") if number % 2 else ("basic", "none"):
                mine = f"{text}// {level} {number} {os.getpid()}\n"
                spent[level].append(graded(_alone(entry.name, mine), 1, level).processor)
        ratios = [basic / none for none, basic in zip(spent["none"][1:], spent["basic"][1:], strict=True)]
        middle = {level: statistics.median(seconds[1:]) for level, seconds in spent.items()}
        print(f"{entry.name}: none {middle['none']:.2f} CPU s, basic {middle['basic']:.2f} CPU s (medians of {pairs})")
        shown = " ".join(f"{ratio:.3f}" for ratio in sorted(ratios))
        print(f"  basic / none: median {statistics.median(ratios):.3f} of {shown}")


@main.command()
@click.option("--times", default=20, show_default=True)
def layers(times: int) -> None:
    """What namespaces, control groups and bubblewrap cost by themselves, in processor time."""
    with tempfile.TemporaryDirectory(prefix="ladder-class-") as folder:
        spaces = [_of_a_fork(lambda: confine_mounts.own_spaces(Path(folder))) for _ in range(times)]
        groups = [_of_a_fork(_one_group) for _ in range(times)]
        wrapped = [_of_a_fork(lambda: outside.why_no_bubblewrap(Path(folder))) for _ in range(times)]
    for what, spent in (
        ("mounts and a network of its own, for each kernel", spaces),
        ("a control group, for each server", groups),
        (f"bubblewrap, for each server ({outside.why_no_bubblewrap(Path('/tmp')) or 'it works here'})", wrapped),
    ):
        middle, most = 1e3 * statistics.median(spent), 1e3 * max(spent)
        print(f"{what}: {middle:.1f} ms of a core (median of {times}, {most:.1f} at most)")


def _one_group() -> None:
    with outside.in_a_group(""):
        pass


def _of_a_fork(act: Callable[[], object]) -> float:
    """Processor seconds of what a fork of this process does, and of what it starts."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        before = time.process_time()  # a fork has no children yet
        act()
        below = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writing, str(time.process_time() - before + below.ru_utime + below.ru_stime).encode())
        os._exit(0)
    os.close(writing)
    os.wait()
    with os.fdopen(reading) as pipe:
        return float(pipe.read())


def _alone(lesson: str, text: str) -> Iterator[Submitted]:
    yield Submitted("one", lesson, text, "x.cu", 0)


@main.command()
@click.option("--count", default=2000, show_default=True)
@click.option("--jobs", default=2, show_default=True)
def engine(count: int, jobs: int) -> None:
    """Ledger, processes and grade book, with grades that are simulated: what they cost by themselves."""
    with tempfile.TemporaryDirectory(prefix="ladder-class-") as folder:
        file, start, own = Path(folder) / "class.sqlite", time.monotonic(), time.process_time()
        steps: list[tuple[str, float, float]] = []

        def done(what: str) -> None:
            nonlocal start, own
            steps.append((what, time.monotonic() - start, time.process_time() - own))
            start, own = time.monotonic(), time.process_time()

        with Ledger(file, new=True) as ledger:
            ledger.add_all(simulated(count))
            done("collect")
        with Ledger(file) as ledger:
            grade_here(ledger, jobs, None, {}, lambda *_: None, [sys.executable, str(SIMULATED), os.devnull])
            done("grade")
        with Ledger(file) as ledger:
            assert ledger.to_grade() == []
            done("resume")
            book = make_book(ledger.rows(), Policy())
            done("grade book")
        size = file.stat().st_size
    assert len(book) == count
    for what, seconds, processor in steps:
        print(f"{what:<11} {seconds:7.2f} s, {processor:6.2f} CPU s here, {count / seconds:8.0f} hand-ins a second")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{count} hand-ins: {peak:.0f} MB of memory here, {size / count:.0f} bytes of ledger for each (grades aside)")


def simulated(count: int) -> Iterator[Submitted]:
    for number in range(count):
        yield Submitted(f"person {number}", "01_vector_add", f"{number % 4} {number}", "x.cu", number)


@main.command()
@click.option("--moments", default=50, show_default=True)
@click.option("--count", default=2000, show_default=True)
def kills(moments: int, count: int) -> None:
    """Ends a run with SIGKILL again and again, goes on, and counts. Grades are simulated."""
    draw, resumed, noted = random.Random(7), [], []
    with tempfile.TemporaryDirectory(prefix="ladder-class-") as folder:
        file, log = Path(folder) / "class.sqlite", Path(folder) / "log"
        with Ledger(file, new=True) as ledger:
            ledger.add_all(simulated(count))
        command = [sys.executable, "-m", "benchmarks.classroom", "one-run", str(file), str(log)]
        for _ in range(moments):
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            assert run.stdout
            resumed.append([float(each) for each in run.stdout.readline().split()])
            for _ in range(draw.randrange(40)):
                run.stdout.readline()
            time.sleep(draw.uniform(0, 0.02))
            run.send_signal(signal.SIGKILL)
            run.communicate()
            noted.append(_grades_in(file))
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        with Ledger(file) as ledger:
            right = [row.result and row.result.stars == int(row.key.learner.split()[1]) % 4 for row in ledger.rows()]
        begun = Counter(log.read_text().splitlines())
        twice = _grades_in(file) - len(right)
    lost = sum(after < before for before, after in itertools.pairwise(noted)) + right.count(False)
    print(f"{moments} SIGKILLs in {count} hand-ins, noted by then: {noted[0]} to {noted[-1]}")
    print(f"lost {lost}, missing {count - sum(map(bool, right))}, there twice {twice}")
    print(f"begun again, as they were at work: {sum(begun.values()) - len(begun)}")
    for what, found in zip(("seconds", "CPU seconds"), zip(*resumed, strict=True), strict=True):
        print(f"to go on: {statistics.median(found):.2f} {what} (median), {max(found):.2f} at most")


@main.command("one-run", hidden=True)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("log")
def one_run(file: Path, log: str) -> None:
    """Says how long it took until the first kernel was handed out, then grades."""
    with Ledger(file) as ledger:
        ledger.to_grade()
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - _started()
        print(age, time.process_time(), flush=True)
        grade_here(ledger, 2, None, {}, lambda *_: print(flush=True), [sys.executable, str(SIMULATED), log])


def _started() -> float:
    """Seconds since the machine was booted when this process was started."""
    fields = Path("/proc/self/stat").read_text().rpartition(") ")[2].split()
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _grades_in(file: Path) -> int:
    with sqlite3.connect(file) as opened:
        found: int = opened.execute("SELECT count(*) FROM grades").fetchone()[0]
    return found


@main.command()
@click.option("--count", default=0, show_default=True, help="Real hand-ins; 0: grades are simulated.")
@click.option("--lessons", default="01,02", show_default=True, help="Of these.")
@click.option("--simulated", "sleeping", default=400, show_default=True, help="So many, else.")
@click.option("--seconds", default=0.2, show_default=True, help="For which each of them sleeps.")
@click.option("--nodes", default=2, show_default=True, help="Each held to one core.")
@click.option(
    "--kills", default=0, show_default=True, help="So many nodes are killed on the way; then there is one run."
)
def ray(count: int, lessons: str, sleeping: int, seconds: float, nodes: int, kills: int) -> None:
    """Grades a class on one node of a Ray cluster and on several, all of this machine. Sleeping needs no quiet one."""
    rates = []
    for size in [nodes] if kills else [1, nodes]:
        made = synthetic_class.whole_class(count, lessons.split(","), 7, f"on {size} nodes")
        submissions = [each.submitted for each in made] if count else [*simulated(sleeping)]
        command = None if count else [sys.executable, str(SIMULATED), os.devnull, str(seconds)]
        took, told = _on_cluster(submissions, size, kills, command)
        rates.append(len(submissions) / took)
        print(
            f"{size} nodes, {kills} killed: {len(submissions)} hand-ins in {took:.1f} s, {60 * rates[-1]:.1f} a minute;"
        )
        print(
            f"  graded {len(told)}, told twice {sum(told.values()) - len(told)}, missing {len(submissions) - len(told)}"
        )
    if len(rates) == 2:
        print(f"{nodes} nodes grade {rates[1] / rates[0]:.2f} times as fast as one.")


def _on_cluster(
    submissions: Sequence[Submitted], size: int, kills: int, command: Sequence[str] | None
) -> tuple[float, Counter[str]]:
    """How long it took from the first grade to the last, and how often each was told."""
    from ray.cluster_utils import Cluster

    from grader.classroom.ray_cluster import grade_on_ray

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = []
    for number in range(size):
        with held_to(number):
            nodes.append(cluster.add_node(num_cpus=1, memory=4 << 30))
    told: Counter[str] = Counter()
    moments: list[float] = []

    def tell(submitted: Submitted, result: object) -> None:
        told[submitted.learner] += 1
        moments.append(time.monotonic())
        if len(told) in [(each + 1) * len(submissions) // (kills + 2) for each in range(kills)]:
            cluster.remove_node(nodes.pop(), allow_graceful=False)

    try:
        with ledger_of(iter(submissions)) as ledger:
            grade_on_ray(ledger, cluster.address, size, None, {} if command else BASIC, tell, command)
            assert ledger.to_grade() == []
    finally:
        cluster.shutdown()
    return (moments[-1] - moments[0]) * len(moments) / (len(moments) - 1), told


@main.command()
@click.option("--hostile", "attacks", default=60, show_default=True)
@click.option("--honest", default=200, show_default=True)
@click.option("--attacks", "folder", type=click.Path(path_type=Path, exists=True), help="More, as NN_name.cu.")
@click.option("--jobs", default=2, show_default=True)
def hostile(attacks: int, honest: int, folder: Path | None, jobs: int) -> None:
    """Grades attacks and honest kernels in one run of `ladder class`, on a terminal."""
    found = hostile_class.run(attacks, honest, folder, jobs)
    print("\n".join(found.said))
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
