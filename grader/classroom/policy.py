"""Which of several hand-ins counts: a grade book's policy, from options or from a teacher's TOML file.

keep = "best"                  # or "last"
due = 2026-11-30T23:59:00      # by this machine's clock; a date alone means its end
late = "refused"               # or "marked": it counts, and says so
grace_minutes = 10
best_lessons = 6               # so many lessons are added up, the best ones

[lessons.03_coalescing]        # where a lesson differs
due = 2026-12-07

[extensions]                   # hours, for all lessons or for some
"Anna Arndt" = 48
"Ben Bauer" = {03_coalescing = 24}
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from grader.classroom.exports import owner_of
from grader.classroom.ledger import Row
from grader.course.catalog import UsageError

Keep = Literal["best", "last"]


@dataclass(frozen=True)
class Rule:
    """Of one lesson: which hand-in counts, and until when (seconds since 1970). A late one counts if `late_counts`."""

    keep: Keep = "best"
    due: float | None = None
    late_counts: bool = False


@dataclass(frozen=True)
class Policy:
    """Rules, of lessons that have one of their own; more time for people, in seconds, for "" or for one lesson."""

    usual: Rule = Rule()
    lessons: Mapping[str, Rule] = field(default_factory=dict)
    extensions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    grace: float = 0.0
    best_lessons: int | None = None  # so many are added up; None: all

    def rule(self, lesson: str) -> Rule:
        return self.lessons.get(lesson, self.usual)

    def is_late(self, row: Row) -> bool:
        """Or the export says so, as Canvas's does, for a person that has no more time than others."""
        due, more = self.rule(row.key.lesson).due, self._more_time(row)
        if due is not None and row.handed_in > due + self.grace + more:
            return True
        owner = owner_of(PurePosixPath(row.file), {})
        return bool(owner and owner.late) and not (more and due is not None)

    def counts(self, row: Row) -> bool:
        """Without a time that it is due, what is late is only marked."""
        rule = self.rule(row.key.lesson)
        return rule.late_counts or rule.due is None or not self.is_late(row)

    def _more_time(self, row: Row) -> float:
        theirs = self.extensions.get(row.key.learner, {})
        return theirs.get(row.key.lesson, theirs.get("", 0.0))


def read_policy(text: str, lessons: Collection[str]) -> Policy:
    """What the text of such a file says. Raises UsageError."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the policy file is no TOML ({error})") from None
    own = _table(found.pop("lessons", {}), "lessons")
    extensions = _table(found.pop("extensions", {}), "extensions")
    grace, best = found.pop("grace_minutes", 0), found.pop("best_lessons", None)
    if not _is_amount(grace):
        raise UsageError("the policy file needs a number of minutes as `grace_minutes`")
    if best is not None and not (type(best) is int and best > 0):
        raise UsageError("the policy file needs a number of lessons as `best_lessons`, 1 or more")
    usual = _rule(found, Rule())
    if strange := sorted(set(own) - set(lessons)):
        raise UsageError(f"the policy file names `{strange[0]}`, which is no lesson: write it as NN_name")
    rules = {lesson: _rule(_table(said, f"lessons.{lesson}"), usual) for lesson, said in own.items()}
    more = {learner: _hours(learner, said, lessons) for learner, said in extensions.items()}
    return Policy(usual, rules, more, 60.0 * grace, best)


def _rule(said: Mapping[str, Any], usual: Rule) -> Rule:
    keep = said.get("keep", usual.keep)
    late = said.get("late", "marked" if usual.late_counts else "refused")
    if strange := sorted(set(said) - {"keep", "due", "late"}):
        raise UsageError(f"the policy file has `{strange[0]}`, which is none of keep, due and late")
    if keep not in get_args(Keep):
        raise UsageError(f'the policy file needs `keep = "best"` or "last", and not {keep!r}')
    if late not in ("refused", "marked"):
        raise UsageError(f'the policy file needs `late = "refused"` or "marked", and not {late!r}')
    return Rule(keep, _seconds(said["due"]) if "due" in said else usual.due, late == "marked")


def _seconds(due: Any) -> float:
    if isinstance(due, date) and not isinstance(due, datetime):
        due = datetime.combine(due, time(23, 59, 59))
    if not isinstance(due, datetime):
        raise UsageError(f"the policy file needs a time without quotes, `due = 2026-11-30T23:59:00`, and not {due!r}")
    return due.timestamp()


def _hours(learner: str, said: Any, lessons: Collection[str]) -> dict[str, float]:
    by_lesson = said if isinstance(said, dict) else {"": said}
    for lesson, hours in by_lesson.items():
        if not _is_amount(hours) or lesson not in {"", *lessons}:
            raise UsageError(f"the policy file needs hours for `{learner}`, or {{NN_name = hours}}, and not {said!r}")
    return {lesson: 3600.0 * hours for lesson, hours in by_lesson.items()}


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _table(found: Any, name: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise UsageError(f"the policy file needs a table [{name}]")
    return found
