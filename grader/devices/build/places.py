"""What stands where in a file: each by the bytes from and to which it goes."""

from __future__ import annotations

from grader.devices.build.branches import Branch


class Places:
    """Filled while the syntax tree is looked at (ast_rules.py)."""

    def __init__(self) -> None:
        self.branches: list[Branch] = []  # what an `if constexpr` may leave out
        self._functions: list[tuple[int, int, frozenset[str]]] = []  # with their sides
        self._of_name: list[tuple[int, int, str]] = []  # functions with their names
        self._friends: set[str] = set()  # names of functions
        self._braces: list[tuple[int, int, bool]] = []  # and whether all in them must fit (narrowing.py)

    def sides_at(self, offset: int) -> frozenset[str]:
        """The sides of the innermost function around a byte of the file, and "template" if it is one.

        A lambda has those of its function.
        """
        around = [each for each in self._functions if each[0] <= offset < each[1]]
        return min(around, key=lambda each: each[1] - each[0])[2] if around else frozenset()

    def branch_at(self, offset: int) -> Branch | None:
        """The innermost branch around a byte of the file that an `if constexpr` may leave out."""
        around = [each for each in self.branches if each.start <= offset < each.end]
        return max(around, key=lambda each: each.start, default=None)

    def all_must_fit(self, offset: int) -> bool:
        """Whether a value at this byte of the file must fit its type, for it stands in braces that ask for it."""
        around = [each for each in self._braces if each[0] <= offset < each[1]]
        return bool(around) and max(around, key=lambda each: each[0])[2]

    def is_in_friend(self, offset: int) -> bool:
        """Whether this byte of the file is in a function by the name of a class's friend."""
        return any(start <= offset < end and name in self._friends for start, end, name in self._of_name)
