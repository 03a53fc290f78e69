"""How long a right kernel would take on cards that are not here: its launches sampled at the real size, then the model.

A modelled time is an estimate from counts, always told with its card and the band in which most kernels of the course
have been measured (docs/model.md). Of a grade it decides one thing, stars that counts alone would give (withheld.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.call import Call
from grader.course.catalog import Entry
from grader.course.lesson import Case, Task
from grader.devices.evidence import Evidence
from grader.devices.submission import Submission, run_sampled
from grader.model.card import Card, cards
from grader.model.cause import Cause, cause, shares
from grader.model.predict import predict
from grader.model.sampled import Launch

Json = dict[str, Any]
Sample = Mapping[str, Any]  # of a case's launches (devices/emulator/sampled.py), perhaps with nvcc's machine code
UNSURE = 0.1  # standard error of a launch's counts, as a share; less is told in no report
NO_SAMPLE = (LookupError, TypeError, ValueError, ArithmeticError)  # what comes of evidence that no worker of ours wrote
RESULTS = "model.json"  # in benchmarks/results/CARD/: the band, and the modelled times of the course's rungs
LIMITS = "stars.json"  # there, too: what timed goals allow, in modelled time (withheld.py)


@dataclass(frozen=True)
class ModelledTime:
    """One task at its timed case on one card. Times in µs: 8 of 10 measured rungs would lie in `low` to `high`."""

    card: str
    case: str
    median_us: float
    low_us: float
    high_us: float
    bound: str
    line: int | None
    words: str  # what holds it up, for people
    card_name: str
    measured: bool  # whether the model was compared with times of this card
    rungs_us: Mapping[str, float]  # of the course's rungs at this case, modelled, too
    terms_us: Mapping[str, float]  # how long each part of the card is busy with the longest launch, the longest first
    lines: Mapping[int, float]  # each line's share of the bound
    unsure: Sequence[str]  # launches of which sampling does not know all: a sentence each
    main: Launch | None  # the longest one

    def to_json(self) -> Json:
        """The fields that programs get."""
        kept = ("card", "case", "median_us", "low_us", "high_us", "bound", "line")
        return {name: getattr(self, name) for name in kept}


def known_cards(root: Path) -> list[Card]:
    """The cards of a course, first those on which its stars were measured. Raises UsageError."""
    return sorted(cards(root / "cards"), key=lambda card: not (results_of(root, card) / LIMITS).exists())


def measured_cards(root: Path) -> list[Card]:
    """Of these the ones that were measured. Raises UsageError."""
    return [card for card in known_cards(root) if card.measured]


def results_of(root: Path, card: Card) -> Path:
    """Where what was measured on a card is kept."""
    return root / "benchmarks" / "results" / card.label


def modelled_times(
    entry: Entry,
    task: Task,
    submission: Submission,
    unmeasured: bool = False,
    known: Sample | None = None,
    seconds: float | None = None,
    codes: dict[str, Json] | None = None,
) -> Iterator[ModelledTime]:
    """The time of a task on every measured card, or on all of them; nothing where the kernel cannot be sampled.

    `known` is what was sampled of it already, for the first card, {} if it came to nothing. Sampling takes `seconds` of
    processor time at most, if they are given. `codes` keeps the file's machine code, by architecture, for its other
    tasks. Raises UsageError, NotGraded, Cancelled.
    """
    codes = {} if codes is None else codes
    if known == {} and not unmeasured:
        return  # nor would it now
    samples: dict[tuple[float, float, str], Sample | None] = {}  # of cards that sampling cannot tell apart
    for card in known_cards(entry.root) if task.timed_case else ():
        alike = card.multiprocessors, card.l1_bytes, card.architecture
        if (card.measured or unmeasured) and task.timed_case:
            if alike not in samples and (sample := known or sampled(task, task.timed_case, card, submission, seconds)):
                if card.architecture not in codes:
                    codes[card.architecture] = machine_code(task, task.timed_case, card, submission)
                samples[alike] = {**sample, "code": codes[card.architecture]}
            known = None
            if found := samples.setdefault(alike, None):
                with suppress(*NO_SAMPLE):
                    yield from_sample(entry.root, card, found, task)


def sampled(task: Task, case: Case, card: Card, submission: Submission, seconds: float | None = None) -> Sample | None:
    """What a worker finds of the case at its real size; None if a launch of it fails or takes too long to follow."""
    return sample_in(tried(task, case, card, submission, seconds=seconds))


def machine_code(task: Task, case: Case, card: Card, submission: Submission) -> Json:
    """What nvcc makes of the file's kernels, by their names; nothing where nvcc or nvdisasm is missing."""
    from grader.devices.cuda.machine_code import tools

    if not tools():
        return {}
    found = sample_in(tried(task, case, card, submission, card.architecture))
    return dict(found["code"]) if found else {}


def sample_in(evidence: Evidence) -> Sample | None:
    """The sample of a worker's only case; None if that came to nothing."""
    runs = [run for run in evidence.cases if run.sample and not run.findings]
    return runs[0].sample if runs else None


def tried(
    task: Task, case: Case, card: Card, submission: Submission, architecture: str = "", seconds: float | None = None
) -> Evidence:
    """All that a worker says of the case at its real size. Raises NotGraded, Cancelled."""
    from grader.devices.buffers import Arena
    from grader.judge.added_up import fill_with_one, is_sum
    from grader.judge.inputs import fill
    from grader.judge.real_size import tile_bytes

    example, real = example_of(task, case), Call(task, case)
    with Arena.of([example]) as arena:
        fill(example, arena.cases[0], submission.seed)
        if is_sum(task):
            fill_with_one(example, arena.cases[0])
        like = int(card.multiprocessors), int(card.l1_bytes), architecture
        limit: dict[str, Any] = {"seconds": seconds} if seconds else {}
        limit["tile_bytes"] = tile_bytes(real, submission.seed)
        return run_sampled([real], arena, submission, *like, **limit)


def example_of(task: Task, case: Case) -> Call:
    """The largest judged case with data of the same kind: its inputs stand for those of the real size."""
    alike = [each for each in task.judged_cases if each.variant == case.variant] or task.judged_cases
    return max((Call(task, each) for each in alike), key=lambda call: call.moved_bytes)


def from_sample(root: Path, card: Card, sample: Sample, task: Task | None = None) -> ModelledTime:
    """What the model makes of a sample. Raises what NO_SAMPLE names."""
    found = predict(sample, card)
    why: Cause = cause(found)
    known = agreement(root, card, compiled=any(part.launch.flow for part in found.parts))
    us, main = found.seconds * 1e6, found.main
    terms = {name: 1e6 * term * main.launch.repeats for name, term in main.terms.items()} if main else {}
    case = task.timed_case.name if task and task.timed_case else ""
    rungs = known["rungs"].get(task.name, {}) if task else {}
    return ModelledTime(
        card=card.label,
        case=case,
        median_us=us,
        low_us=us / known["high"],
        high_us=us / known["low"],
        bound=why.bound,
        line=why.line or None,
        words=why.words,
        card_name=card.name,
        measured=card.measured,
        rungs_us={name: cases[case] for name, cases in rungs.items() if case in cases},
        terms_us=dict(sorted(terms.items(), key=lambda term: -term[1])),
        lines=shares(main, why.bound, card) if main and why.bound in terms else {},
        unsure=[said for part in found.parts if (said := _unsure(part.launch))],
        main=main.launch if main else None,
    )


def _unsure(launch: Launch) -> str:
    """What sampling does not know of a launch: a sentence; "" if nothing that matters."""
    if launch.cooperative and launch.ran < launch.blocks:
        return f"{launch.kernel} is a cooperative launch: blocks wait for blocks that were not run"
    if launch.unsure > UNSURE:
        return (
            f"the {launch.ran} of {launch.blocks:,} blocks of {launch.kernel} that were run differ by so much that its "
            f"counts are sure to {100 * launch.unsure:.0f} % only"
        )
    return ""


def agreement(root: Path, card: Card, compiled: bool = False) -> dict[str, Any]:
    """`low` and `high`: modelled over measured time at the 10th and 90th percentile; `rungs`: µs by task, rung, case.

    Of the model with nvcc's machine code, if that is `compiled`. A card without such a file has a band of a factor of
    two.
    """
    try:
        text = (results_of(root, card) / RESULTS).read_text()
        known = json.loads(text)["compiled" if compiled else "estimated"]
        return {"low": float(known["band"][0]), "high": float(known["band"][1]), "rungs": dict(known["rungs"])}
    except (OSError, ValueError, LookupError, TypeError):
        return {"low": 0.5, "high": 2.0, "rungs": {}}
