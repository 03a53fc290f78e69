"""What cub's BlockReduce and WarpReduce give is the first thread's: where all threads store it, a program is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

KIND = "first_thread"
_SAID = {
    "Block": "only thread 0 has what BlockReduce gives, and here all threads store what comes of it: let thread 0 put"
    " it into a __shared__ variable, call __syncthreads(), and read that",
    "Warp": "only lane 0 has what WarpReduce gives, and here all lanes store what comes of it: take it from lane 0 by"
    " `__shfl_sync(0xffffffff, value, 0)`",
}
_ALIAS = re.compile(
    r"\busing\s+(?P<new>\w+)\s*=\s*(?:typename\s+)?cub::(?P<a>Block|Warp)Reduce\s*<"
    r"|\btypedef\s+(?:typename\s+)?cub::(?P<b>Block|Warp)Reduce\s*<[^;]*>\s*(?P<old>\w+)\s*;"
)
_CALL = r"\([^();]*\)\s*\.\s*(?:Sum|Reduce)\s*\("
_STORE = re.compile(r"(?:\*\s*)?\w+(?:\s*(?:\[.*?\]|->\s*\w+))*\s*(?P<sign>[-+*/]?=)(?!=)(?P<value>.*)", re.DOTALL)
_LOCAL = re.compile(
    r"(?:(?:const|unsigned|long|auto|\w[\w:]*(?:<[^;=]*>)?)[\s&]+)*(?P<name>\w+)\s*(?P<sign>[-+*/]?=)(?!=)(?P<value>.*)",
    re.DOTALL,
)
_ATOMIC = re.compile(r"atomic\w+\s*\((?P<value>.*)", re.DOTALL)
_BRANCH = re.compile(r"\s*(?:if|else|for|while|do|switch)\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MOST = 4000  # signs that are looked at behind the call


def all_store_the_first_threads(texts: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The text's number from 1, the line and a sentence for each store that no condition leaves to one thread."""
    for number, whole in enumerate(texts, start=1):
        text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), whole)
        if "cub::" not in text:
            continue
        kinds = {found["new"] or found["old"]: found["a"] or found["b"] for found in _ALIAS.finditer(text)}
        names = "|".join([r"cub::(?:Block|Warp)Reduce\s*<[^;()]*>", *map(re.escape, kinds)])
        for call in re.finditer(rf"(?<=[;{{}}])(?P<head>[^;{{}}]*?=\s*(?P<which>{names})\s*{_CALL})", text):
            which = kinds.get(call["which"]) or ("Block" if "Block" in call["which"] else "Warp")
            at = _store_of_all(text[call.start() : call.start() + _MOST], which)
            if at is not None:
                yield number, text.count("\n", 0, call.start() + at) + 1, _SAID[which]


def _store_of_all(text: str, which: str) -> int | None:
    """Where a statement stores what depends on the first one's value, with no condition on the way."""
    names: set[str] = set()
    for at, statement in _statements(text):
        if _BRANCH.match(statement):
            if re.search(r"\b(?:return|continue|break)\b", statement) or any(
                re.search(rf"\b{name}\s*[-+*/]?=(?!=)", statement) for name in names
            ):
                return None
            continue
        local, store = _LOCAL.fullmatch(statement.strip()), _STORE.fullmatch(statement.strip())
        written = local or store or _ATOMIC.fullmatch(statement.strip())
        if not written or re.search(r"\?|&&|\|\||\breturn\b", statement):
            continue
        depends = not names or any(re.search(rf"\b{name}\b", written["value"]) for name in names)
        depends = depends and not (
            names and re.search(r"shfl|shuffle|Broadcast|Sum\s*\(|Reduce\s*\(", written["value"])
        )
        if local and (depends or local["sign"] != "=" or local["name"] not in names):
            names |= {local["name"]} if depends else set()
        elif local:
            names.discard(local["name"])
        elif depends:
            return at + len(statement) - len(statement.lstrip())
        if not names:
            return None
    return None


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Those of the block that the text begins in, each with where it begins; a branch comes with all that it holds."""
    start, braces, brackets = 0, 0, 0
    for at, sign in enumerate(text):
        brackets += (sign in "([") - (sign in ")]")
        braces += (sign == "{") - (sign == "}")
        if braces < 0:
            return
        if brackets or braces or sign not in ";}":
            continue
        if sign == ";" or _BRANCH.match(text[start:at]):
            yield start, text[start:at]
            start = at + 1
