"""What a kernel file's text says of a finding that its run does not: how a barrier stands, what an array is called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise, takewhile

from grader.devices.build.lexer import Token, compared_numbers, hidden_numbers, lex, whole_numbers
from grader.devices.emulator.restricted import restricted_lines

BARRIER = "__syncthreads"
_BARRIERS = {BARRIER, "__syncthreads_or", "__syncthreads_and", "__syncthreads_count"}
_OF_WARPS = re.compile(
    r"(?:[/%] (?:32|warpSize)|> > 5|& (?:31|0x1f)|\b(?:x|i|t|id|\w*tid|thread\w*) < (?:32|warpSize|= 31))u? ",
    re.IGNORECASE,
)
_OF_THE_GPU = (
    *("ultiProcessor", "MaxPotential", "smid", "cudaDeviceProp", "cudaDeviceGetAttribute", "cudaMemGetInfo"),
    *("DriverGetVersion", "cudaFuncGetAttributes"),
)
_CAPTURES = ("StreamIsCapturing", "StreamGetCaptureInfo")
# What may keep something from call to call that is no variable: memory that was given back, a kernel's attributes.
_KEEPS = {"malloc", "calloc", "realloc", "umask", "errno", "cudaFuncGetAttributes"}
_OF_CHANCE = {"rand", "rand_r", "random", "drand48", "random_device", "mt19937", "minstd_rand", "default_random_engine"}
_OF_CHANCE |= {"time", "clock", "clock_gettime", "gettimeofday", "chrono", "cudaEventElapsedTime", "fopen", "fstream"}
_OF_CHANCE |= {"ifstream", "clock64", "globaltimer"}
_CLOCKS = ("%globaltimer", "%clock", "rdtsc")  # in PTX, and in functions of compilers


_FETCH = re.compile(r"(?:tex|surf)[123C]\w*$")


class Reading:
    """A kernel file's text, or a program's, looked at word by word: enough for a sentence, not for a verdict."""

    def __init__(self, *texts: str, apart: int = 0):
        """A file's text; or those of a program's files, whose lines have numbers from `apart`, twice that and so on."""
        numbered = enumerate(texts, start=1)
        self.tokens = [each._replace(line=n * apart + each.line) for n, text in numbered for each in lex(text).code]
        self._apart, self._texts = apart, texts

    def has(self, name: str) -> bool:
        """Whether the text has this word."""
        return any(token.text == name for token in self.tokens)

    def fetches(self, line: int) -> bool:
        """Whether the line reads by a texture or a surface."""
        return any(map(_FETCH.match, self._row(line).split()))

    def calls_thrust(self, line: int) -> bool:
        """Whether a statement of this line calls one of thrust's algorithms."""
        return bool(re.search(r"\bthrust :: \w+ \(", self._row(line)))

    def library_call(self, line: int) -> str:
        """The function of cuBLAS, cuFFT or cuSPARSE that the line's statement calls, if that copies nothing itself."""
        row = self._row(line)
        called = re.search(r"\b(?:cublas|cufft|cusparse)[A-Z]\w*(?= \()", row)
        return called[0] if called and not re.search(r"\bcuda(?:Memcpy|Memset)", row) else ""

    def reads_restricted(self, line: int) -> bool:
        """Whether a program's line reads by a kernel's parameter that is `const` and `__restrict__`, and no other."""
        numbered = enumerate(self._texts, start=1)
        return any(line == n * self._apart + each for n, text in numbered for each in restricted_lines(text))

    def compared_numbers(self) -> list[int]:
        """The whole numbers that something is held against, that have a name, or that are hidden."""
        return sorted({n for text in self._texts for n in compared_numbers(text) | hidden_numbers(text)})

    def asks_how_many_multiprocessors(self) -> bool:
        """Whether host code asks for them, for how many blocks they hold together or what GPU it is, or if it is
        captured, or a kernel for its own one.
        """
        return any(word in token.text for token in self.tokens for word in (*_OF_THE_GPU, *_CAPTURES))

    def asks_for_a_capture(self) -> bool:
        """Whether host code asks if its calls are captured into a graph."""
        return any(word in token.text for token in self.tokens for word in _CAPTURES)

    def may_keep_elsewhere(self) -> bool:
        """Whether host code may keep from call to call what no variable shows."""
        return any(token.text in _KEEPS for token in self.tokens)

    def asks_for_chance(self) -> bool:
        """Whether it has a function of random numbers or clocks: what it does may be another from call to call."""
        texts = [token.text for token in self.tokens]
        return any(text in _OF_CHANCE or any(part in text for part in _CLOCKS) for text in texts)

    def whole_numbers(self) -> set[int]:
        """Those that stand in it, and those that are hidden."""
        return {number for text in self._texts for number in whole_numbers(text) | hidden_numbers(text)}

    def knows_warps(self) -> bool:
        """Whether something is divided by a warp's size, or held against it: `i / 32`, `tid & 31`, `t < 32`."""
        return bool(_OF_WARPS.search(" ".join(token.text for token in self.tokens)))

    def dynamic_array(self, kernel: str, line: int) -> str:
        """The `extern __shared__` array that a kernel has in this line: each may give the memory a name of its own."""
        if len({name for _, name, _ in self._dynamic_arrays}) < 2:
            return next((name for _, name, _ in self._dynamic_arrays), "")
        of_kernel = re.match(r"[\w: ]*", kernel)
        own = of_kernel[0].rpartition("::")[2].split()[-1:] if of_kernel else []
        there = [name for owner, name, _ in self._dynamic_arrays if [owner] == own]
        above = [name for _, name, at in self._dynamic_arrays if at <= line]
        words = self._row(line).split()
        named = [name for name in there or above[::-1] if name in words]
        return next(iter(named + there + above[::-1] + [name for _, name, _ in self._dynamic_arrays]))

    @cached_property
    def _dynamic_arrays(self) -> list[tuple[str, str, int]]:
        """In their order: the function that has it, the array, its line."""
        found, owner = list[tuple[str, str, int]](), ""
        for at, token in enumerate(self.tokens):
            if token.text not in ("__global__", "__device__", "extern"):
                continue
            rest = [
                each.text for each in takewhile(lambda each: each.text not in (";", "{"), self.tokens[at : at + 80])
            ]
            if token.text != "extern":
                named = (one for one, after in pairwise(rest) if after == "(" and not one.startswith("__"))
                owner = next(named, owner)
            elif rest[1:2] == ["__shared__"] and rest[-2:] == ["[", "]"]:
                found.append((owner, rest[-3], token.line))
        return found

    def types_of_array(self, name: str) -> set[str]:
        """The words in front of this name where it stands before a bracket, in declarations and elsewhere."""
        words = zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
        return {before.text for before, it, after in words if it.text == name and after.text == "["}

    def uncalled_barrier(self, first: int, last: int) -> int | None:
        """The line of a `__syncthreads;` in these lines, which does nothing."""
        uncalled = (one.line for one, after in pairwise(self.tokens) if one.text == BARRIER and after.text != "(")
        return next((line for line in uncalled if self._is_between(first, line, last)), None)

    def barrier_of(self, line: int) -> str:
        """What the barrier of this line is called: `block.sync()` where a group of threads has it."""
        row = self._row(line)
        group = re.search(r"(\w+) (\.|::) sync \(", row)
        return f"{group[1]}{group[2]}sync()" if group and BARRIER not in row else f"{BARRIER}()"

    def returns_in(self, line: int) -> bool:
        """Whether this line has a `return`."""
        return any(token.line == line and token.text == "return" for token in self.tokens)

    def returns_behind_barrier(self, line: int) -> bool:
        """Whether a `return` stands behind the last barrier of this line, in its block."""
        at = max(
            (n for n, token in enumerate(self.tokens) if token.text == BARRIER and token.line == line), default=None
        )
        depth = 0
        for token in self.tokens[at:] if at is not None else ():
            depth += (token.text == "{") - (token.text == "}")
            if depth < 0 or token.text == "return":
                return depth >= 0
        return False

    def adds(self, line: int) -> bool:
        """Whether a statement of this line changes an element without an atomic: `c[i]++`, `*p += x`."""
        row = self._row(line)
        changes = r"(?:\+ \+|- -|[-+|&^*] =)"
        return bool(re.search(rf"\] {changes}|(?:\+ \+|- -) \w+ \[|[;{{}}()] \* \w+ {changes}", f"; {row}"))

    def stores_a_fragment(self, line: int) -> bool:
        """Whether a statement of this line stores a fragment of a tensor core."""
        return "store_matrix_sync" in self._row(line).split()

    def _row(self, line: int) -> str:
        """The words of all statements that have a part in this line, with their other lines."""
        return " ".join(each for words, lines in self._statements if line in lines for each in words)

    @cached_property
    def _statements(self) -> list[tuple[list[str], set[int]]]:
        """The words of each statement, up to a `;` that ends it, or to a brace, and its lines."""
        found: list[tuple[list[str], set[int]]] = [([], set())]
        depth = 0
        for token in self.tokens:
            depth += (token.text in "([") - (token.text in ")]")
            found[-1][0].append(token.text)
            found[-1][1].add(token.line)
            if token.text in ("{", "}") or (token.text == ";" and depth <= 0):
                found.append(([], set()))
                depth = 0
        return found

    def warp_barrier_between(self, first: int, last: int) -> int:
        """The line of a `__syncwarp()`, for all lanes, between these lines; 0 if there is none."""
        calls = zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
        called = (
            one.line for one, *after in calls if one.text == "__syncwarp" and "".join(t.text for t in after) == "()"
        )
        return next((line for line in called if self._is_between(first + 1, line, last - 1)), 0)

    def reads_neighbours(self, line: int) -> bool:
        """Whether a statement in this line writes one element of an array and reads another: `s[t] += s[t - d]`."""
        row = self._row(line)
        written = re.search(r"(\w+) \[ ([^\[\]=]*) \](?: [-+*/|&^])? = (?!=)([^;]*)", row)
        if not written:
            return False
        read = re.findall(rf"\b{written[1]} \[ ([^\[\]]*) \]", written[3])
        return any(index != written[2] for index in read)

    def is_in_loop(self, line: int) -> bool:
        """Whether a loop stands around this line, with `{ }` or of one statement, or begins in it."""
        begins = any(token.text in ("for", "while", "do") and token.line == line for token in self.tokens)
        around = [*_loops(self.tokens), *_loops_of_a_statement(self.tokens)]
        return begins or any(first <= line <= last for first, last, *_ in around)

    def loop_around(self, line: int) -> tuple[int, int]:
        """The lines of the innermost loop around this one, or of one that begins in it; (0, 0) if there is none."""
        around = [(first, last) for first, last, _ in _loops(self.tokens) if first <= line <= last]
        if around:
            return min(around, key=lambda each: each[1] - each[0])
        return (line, line) if self.is_in_loop(line) else (0, 0)

    def sets_to_zero(self, line: int) -> bool:
        """Whether a statement of this line stores 0 in something: `*out = 0;`, `sum[0] = 0.0f;`."""
        row = self._row(line)
        return bool(re.search(r"(?:\* \w+|\w \]) = 0(?:\.0*)?[fFuU]? ;", row))

    def barrier_in_loop(self, line: int) -> bool:
        """Whether the innermost loop around this line has a barrier in its `{ }`."""
        around = [each for each in _loops(self.tokens) if each[0] <= line <= each[1]]
        return bool(around) and min(around, key=lambda each: each[1] - each[0])[2]

    def barrier_in_branch(self, first: int, last: int) -> int | None:
        """The line of a barrier in these lines that stands in an `if` or `else` and not in any more of a loop."""
        return next((line for line in _in_branches(self.tokens) if self._is_between(first, line, last)), None)

    def _is_between(self, first: int, line: int, last: int) -> bool:
        """Whether a line stands in these, of one file."""
        return first <= line <= last and (not self._apart or first // self._apart == last // self._apart)


def _loops(tokens: list[Token]) -> Iterator[tuple[int, int, bool]]:
    """The first line, the last one and whether each round comes to a barrier, of each loop with a `{ }`."""
    loops: list[bool] = []  # of each open brace: whether it is a loop's
    lines: list[int] = []
    barriers: list[bool] = []  # right in it, and behind no `if (...)`
    heads: list[bool] = []  # of each open parenthesis: whether it is a loop's
    before, ends_head = "", False
    for token in tokens:
        if token.text in _BARRIERS and barriers and before in (";", "{", "}", ".", "::"):
            barriers[-1] = True
        if token.text == "(":
            heads.append(before in ("for", "while"))
        elif token.text == "{":
            loops.append(ends_head or before == "do")
            lines.append(token.line)
            barriers.append(False)
        elif token.text == "}" and loops:
            is_loop, line, has_barrier = loops.pop(), lines.pop(), barriers.pop()
            if is_loop:
                yield line, token.line, has_barrier
        ends_head = token.text == ")" and bool(heads) and heads.pop()
        before = token.text


def _loops_of_a_statement(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """The first line and the last one of each loop whose statement has no `{ }` around it."""
    for at, token in enumerate(tokens):
        if token.text not in ("for", "while") or at + 1 == len(tokens) or tokens[at + 1].text != "(":
            continue
        depth, head = 0, True
        for each in tokens[at + 1 :]:
            if head and depth == 0 and each.text == "{":
                break
            head = head and (depth > 0 or each.text == "(")
            depth += (each.text in "({[") - (each.text in ")}]")
            if depth < 0:
                break
            if not head and depth == 0 and each.text in (";", "}"):
                yield token.line, each.line
                break


def _in_branches(tokens: list[Token]) -> Iterator[int]:
    """The lines of all barriers in a branch. An `if` that only asks which block this is, is none."""
    blocks: list[tuple[bool, bool]] = []  # for each open brace: whether a branch opened it or stands around it; `whole`
    branch = whole = False  # what is read now is a branch's one statement; is that of an `if` for a block as a whole
    ended = False  # `whole` of the statement before
    depth = 0  # of parentheses
    heads: dict[int, set[str]] = {}  # at which depth an `if (` was opened, and what stands in it
    before = ""
    for token in tokens:
        for names in heads.values():
            names.add(token.text)
        if token.text == "(":
            if before == "if":
                heads[depth] = set()
            depth += 1
        elif token.text == ")":
            depth -= 1
            if (asked := heads.pop(depth, None)) is not None:
                whole = "blockIdx" in asked and "threadIdx" not in asked
                branch = branch or not whole
        elif token.text == "else":
            whole, branch = ended, branch or not ended
        elif token.text == "{":
            blocks.append((branch or (bool(blocks) and blocks[-1][0]), whole))
            branch = whole = False
        elif token.text == "}" and blocks:
            ended = blocks.pop()[1]
        elif token.text == ";" and depth == 0:
            branch, whole, ended = False, False, whole
        elif token.text in _BARRIERS and (branch or (blocks and blocks[-1][0])):
            yield token.line
        before = token.text
