"""Submissions that want a grade without the work, or do what no submission should: each must get the status it names.

A file's name starts with its row in docs/grading.md, and its head says what it does and what must come of it:

    // Emulator: <status>       the statuses, or `a or b`; `passed` where nothing is wrong on that device
    // GPU: <status>            or `not applicable: <why>`
    // GPU stars: <number>      at most, where it passes and gains nothing; `Emulator stars` likewise
    // Says: <words>            stand in a message of the grade on the emulator, so that it is about the right thing
    // Prints: <words>          stand in what the submission printed, where the system can confine it
    // Slow: <why>              it takes long to come to its end
    // Known hole: <why>        this is not what comes of it; `Known hole of the emulator` where a GPU is not fooled
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from corpus import FILES, GUIDE, ROOT, ROWS, hole_of, lesson_of, promises, renewed

from grader.course import catalog
from grader.devices.build import refused
from grader.devices.build.lexer import lex
from grader.devices.cache import cache_root
from grader.devices.emulator.session import runtime_library
from grader.devices.worker import job
from grader.devices.worker.confine import landlock_version
from grader.devices.worker.job import Job
from grader.grade import grade
from grader.judge.verdict import STATUSES, Grade
from tests.nvcc import code_of, remembered
from tests.shared import long_tail
from tests.warm import run_python

HONEST = ROOT / "kernels" / "01_vector_add" / "1_one_element.cu"
SEED = 20240229
CARD = "90a"  # what is compiled for

each_file = pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=[pytest.mark.slow] if "Slow" in promises(file) else [], id=file.stem) for file in FILES],
)
confined = pytest.mark.skipif(
    landlock_version() == 0, reason="this kernel has no Landlock: a worker may write anywhere"
)


@pytest.fixture
def impatient(monkeypatch, file):
    """Some seconds for each case and for the build, so that the endless ones end: more than counting steps takes."""
    is_endless_build = promises(file).get("Slow") == "a build has its time"
    monkeypatch.setattr(job, "Job", partial(Job, seconds=4.0, build_seconds=4.0 if is_endless_build else 20.0))


def expect_failure(file: Path, device: str, request: pytest.FixtureRequest) -> None:
    if hole := hole_of(promises(file), device):
        request.node.add_marker(pytest.mark.xfail(reason=hole, strict=True))


def said_in(result: Grade) -> str:
    """All that the grade says, one message a line."""
    lines = []
    for task in result.tasks:
        lines += [task.message, *(diagnostic.message for diagnostic in task.diagnostics)]
        for case in task.cases:
            lines += [f"{case.name}: {case.status}: {case.message}", case.details.get("pattern_message", "")]
            lines += [finding.message for finding in case.findings]
    return "\n".join(line for line in lines if line)


# ---- the files ----


def test_every_row_has_a_file():
    assert {int(file.name[:2]) for file in FILES} == set(ROWS)


@each_file
def test_a_file_says_what_to_expect(file: Path):
    promised = promises(file)
    for device in ("Emulator", "GPU"):
        if not promised[device].startswith("not applicable: "):
            assert set(promised[device].split(" or ")) <= set(STATUSES)
    is_refused = promised["Emulator"] != "passed" and hole_of(promised, "emulator") is None
    assert "Says" in promised or not is_refused, "what it is refused for"
    assert not file.read_text().startswith("// Emulator"), "it begins with what the file does"


def test_the_guide_shows_what_the_heads_say():
    """If it does not: `python tests/adversarial/corpus.py`."""
    assert renewed(GUIDE.read_text()) == GUIDE.read_text()
    assert all(f"`{file.stem}`" in GUIDE.read_text() for file in FILES)


# ---- what comes of them ----


def row_of(file: Path) -> str:
    """Of docs/grading.md."""
    return file.name[:2]


@pytest.mark.parametrize("file", long_tail(FILES, every=96, slow=12, of=row_of), ids=lambda file: file.stem)
def test_on_the_emulator(file: Path, impatient, request):
    promised = promises(file)
    expect_failure(file, "emulator", request)
    result = grade(lesson_of(file), file, device="emulator", seed=SEED)
    said = said_in(result)
    assert result.status in promised["Emulator"].split(" or "), said
    assert promised.get("Says", "") in said
    assert result.stars <= int(promised.get("Emulator stars", 3))
    if landlock_version():
        assert promised.get("Prints", "") in result.tasks[0].output


@pytest.mark.gpu
@each_file
def test_on_a_gpu(file: Path, request):
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    if card is None:
        pytest.skip(f"no GPU: {reason}")
    promised = promises(file)
    expected = promised["GPU"]
    if expected.startswith("not applicable: "):
        pytest.skip(expected)
    expect_failure(file, "gpu", request)
    result = grade(lesson_of(file), file, device="cuda", seed=SEED)
    assert result.status in expected.split(" or "), said_in(result)
    assert result.stars <= int(promised.get("GPU stars", 3)), result.tasks[0].timings


BUILD = """
import sys
from pathlib import Path
from grader.course import catalog
from grader.devices.cuda.compile import build_for_cuda
from tests.gate import Open

lesson, file, folder, card = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
prototypes = [task.signature for task in catalog.find(lesson).lesson.tasks]
print(build_for_cuda(file.read_text(), file.name, prototypes, folder, folder, Open(), card)[0].problem)
"""


def built_for_a_gpu(file: Path, folder: Path) -> str:
    """The problem of its build, "None" for none. nvcc is asked once for the same text: tests/nvcc.py.

    What the grader itself refuses before it asks nvcc is found anew each time. How a failure of nvcc's is told has
    tests of its own (tests/devices/test_cuda_build.py).
    """
    from grader.devices.cuda.compile import recipe_for

    source = file.read_text()
    if refused.refusal(source, lex(source), emulated=False):
        return "build_error"
    prototypes = [task.signature for task in catalog.find(lesson_of(file)).lesson.tasks]
    text, *others = recipe_for(source, file.name, prototypes, CARD).inputs
    decided_by = [(ROOT / "grader/devices" / name).read_bytes() for name in ("cuda/compile.py", "build/recipe.py")]
    return remembered(
        ["built for a GPU", code_of(text), *others, *decided_by],
        lambda: run_python(BUILD, lesson_of(file), file, folder, CARD).stdout.strip(),
    )


@pytest.mark.slow
@each_file
def test_what_is_built_for_a_gpu(file: Path, tmp_path: Path):
    """Needs nvcc and no GPU. Those that end the process when they are loaded do so in one of their own."""
    from grader.devices.cuda.toolkit import missing_cuda_tool

    if missing := missing_cuda_tool():
        pytest.skip(missing)
    expected = promises(file)["GPU"]
    if expected.startswith("not applicable: "):
        pytest.skip(expected)
    said = built_for_a_gpu(file, tmp_path)
    assert said == ("build_error" if expected == "build_error" else "" if "loaded" in file.stem else "None")


# ---- what they leave behind ----


@pytest.mark.slow
def test_the_environment_of_the_next_submission_is_clean(tmp_path):
    grade("01", Path(__file__).with_name("14_environment.cu"), device="emulator", seed=SEED)
    other = tmp_path / "other.cu"  # to be compiled: its content is new
    other.write_text(f"{HONEST.read_text()}\n// {tmp_path}\n")
    assert grade("01", other, device="emulator", seed=SEED).passed


@pytest.mark.slow
@confined
def test_the_builds_of_others_stay_as_they_are(tmp_path, monkeypatch):
    runtime = runtime_library(cache_root()).parent  # of the shared cache, as it takes long to build
    cache = tmp_path / "kernel-ladder"
    cache.mkdir()
    (cache / runtime.name).symlink_to(runtime)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert grade("01", HONEST, device="emulator", seed=SEED).passed
    kept = {file: file.read_bytes() for file in cache.glob("kernels/*/*")}
    assert any(file.name == "kernel.so" for file in kept)

    (cache / "bait").touch()
    result = grade("01", Path(__file__).with_name("16_spoils_the_cache.cu"), device="emulator", seed=SEED)
    assert "Permission denied" in result.tasks[0].output

    assert {file: file.read_bytes() for file in kept} == kept
    assert grade("01", HONEST, device="emulator", seed=SEED).passed
