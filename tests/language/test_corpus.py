"""No small file is judged otherwise than by nvcc: about 2,000 right and wrong ones, mistakes of learners among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from grader.devices.build import frontend, rules
from grader.devices.cache import cache_root
from grader.devices.cuda.nvcc import missing_nvcc, nvcc_flags
from grader.devices.emulator.compile import emulator_recipe
from grader.devices.emulator.translate import TranslationError, translate
from tests.language.snippets import Snippet, asked_today, gpp_refuses, not_asked, ptxas_refuses, snippets
from tests.nvcc import refusal

Wrong = TypeVar("Wrong")
# What the emulator cannot do though nvcc can: docs/emulator.md names the reasons.
NOT_EMULATED = {
    "templates: if constexpr with a launch in the branch not taken",
    "words: launch bounds of a negative number",
    "words: launch bounds twice",
}
ALL = snippets()
VERDICTS = {snippet.name: snippet.refused for snippet in ALL}
SOME = ALL[::72]  # the others, when there is time
PARTS = 16  # in which all are looked at: the first in the long tail, the others where the whole is asked for
needs_libclang = pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")


@pytest.fixture(scope="module")
def cache():
    frontend.prepare(cache_root())
    return cache_root()


@pytest.fixture
def none_wrong(kept) -> Callable[[str, Sequence[Snippet], Callable[[], Wrong]], Wrong]:
    """What is wrong of some snippets. That nothing is, is not asked again until they or the grader change."""
    own = [file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py"))]

    def ask(what: str, chosen: Sequence[Snippet], find: Callable[[], Wrong]) -> Wrong:
        each = [text for snippet in chosen for text in (snippet.name, str(snippet.refused), snippet.code)]
        return kept([what, *each, *own], find, lambda wrong: not wrong)

    return ask


def all_in_parts() -> list[Any]:
    """For parametrize: all snippets, in parts of all kinds."""
    marks = [pytest.mark.slow, *[pytest.mark.whole] * (PARTS - 1)]
    return [pytest.param(ALL[part::PARTS], marks=[mark, pytest.mark.long]) for part, mark in enumerate(marks)]


def refused(snippet: Snippet, cache) -> list[str]:
    said = [message.text for message in rules.messages(rules.refusals(frontend.parse(snippet.code, cache)))]
    if said or "asm" not in snippet.code:
        return said
    text = translate(snippet.code, "kernel.cu")
    return list(filter(None, [ptxas_refuses(text, emulator_recipe(text, "kernel.cu", cache).compile_flags)]))


def test_there_are_enough_of_both_kinds_and_each_has_its_name():
    assert len(ALL) >= 150 and len({snippet.name for snippet in ALL}) == len(ALL)
    assert min(sum(snippet.refused for snippet in ALL), sum(not snippet.refused for snippet in ALL)) >= 75


@needs_libclang
@pytest.mark.parametrize("chosen", [SOME, *all_in_parts()], ids=["some", *(f"all-{part}" for part in range(PARTS))])
def test_clang_with_our_rules_judges_as_nvcc_does(chosen, cache, none_wrong):
    def wrong() -> dict[str, list[str]]:
        said = {snippet.name: refused(snippet, cache) for snippet in chosen}
        return {name: messages for name, messages in said.items() if bool(messages) != verdict(name)}

    assert none_wrong("judged as by nvcc", chosen, wrong) == {}


def verdict(name: str) -> bool:
    return VERDICTS[name]


@needs_libclang
@pytest.mark.parametrize("chosen", all_in_parts(), ids=map(str, range(PARTS)))
def test_what_nvcc_accepts_is_built_for_the_emulator(chosen, cache, none_wrong):
    def why_not(snippet: Snippet) -> str:
        try:
            text = translate(snippet.code, "kernel.cu")
        except TranslationError as error:
            return str(error)
        return gpp_refuses(text, emulator_recipe(text, "kernel.cu", cache).compile_flags)

    def wrong() -> dict[str, str]:
        accepted = [each for each in chosen if not each.refused and each.name not in NOT_EMULATED]
        return {snippet.name: said for snippet in accepted if (said := why_not(snippet))}

    assert none_wrong("built for the emulator", chosen, wrong) == {}


@pytest.mark.slow
@pytest.mark.skipif(missing_nvcc() is not None, reason="there is no nvcc here")
def test_the_verdicts_are_nvccs(tmp_path):
    """All that were not asked for as they stand (snippets.py), and some of the others again."""
    file = tmp_path / "kernel.cu"
    now = not_asked(asked_today())
    said = {}
    for snippet in {*now, *ALL[::1200]}:
        file.write_text(snippet.code)
        said[snippet.name] = bool(refusal(file, nvcc_flags()))
    assert said == {name: verdict(name) for name in said}
    assert not now or len(now) == len(ALL), "type `python -m tests.language.snippets`, so that nvcc is asked once"
