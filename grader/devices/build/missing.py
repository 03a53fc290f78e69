"""What a name that clang does not find lacks: a header, or its place in this CUDA; "" where nothing is known of it."""

from __future__ import annotations

import re
from pathlib import Path

from grader.devices.build.names import NEWER_OF_STD, OF_GROUPS, OF_STD
from grader.devices.build.said import Said

_INCLUDE = Path(__file__).parents[1] / "emulator" / "include"


def newer_of_std(name: str) -> str:
    """Of a name of namespace std; "" if C++17 has it, or none."""
    if name not in NEWER_OF_STD:
        return ""
    header = NEWER_OF_STD[name] or name
    return (
        f"`std::{name}` is C++20's, and lessons are C++17: in a program of your own type `#include <{header}>` at the"
        " top and `-std=c++20` behind `ladder run`, and behind nvcc"
    )


def not_in_cuda_std(match: re.Match[str], said: Said) -> str:
    """Of a name of the library's, which has a header in cuda/std."""
    header = OF_STD.get(match["name"], "")
    has_one = (_INCLUDE / "cuda" / "std" / header).is_file()
    return f"'cuda::std::{match['name']}' needs `#include <cuda/std/{header}>` at the top" if has_one else ""


def only_declared(match: re.Match[str], said: Said) -> str:
    """Of a class of the library's that another header declares: which of them do so hangs on g++'s version."""
    header = OF_STD.get(match["name"], "")
    of_cuda = not_in_cuda_std(match, said)
    also = f", and {of_cuda}" if of_cuda else ""
    return f"'std::{match['name']}' needs `#include <{header}>` at the top{also}" if header else ""


def not_in_groups(match: re.Match[str], said: Said) -> str:
    """The same of cooperative groups."""
    header = OF_GROUPS.get(match["name"])
    return f"'cooperative_groups::{match['name']}' needs `#include <{header}>` at the top" if header else ""


def no_property(match: re.Match[str], said: Said) -> str:
    """Of those that CUDA 13 has no more: device.h knows which attributes tell the same."""
    name, text = match["name"], (_INCLUDE / "ladder" / "device.h").read_text()
    if f"LADDER_GONE({name})" not in text:
        return ""
    attribute = re.search(rf"attribute\((\w+), \d+, own\.LADDER_GONE\({name}\)", text)
    instead = f": type `cudaDeviceGetAttribute(&value, cudaDevAttr{attribute[1]}, device)`" if attribute else ""
    return f"cudaDeviceProp has no `{name}` since CUDA 13{instead}"


def no_assignment(match: re.Match[str], said: Said) -> str:
    """Of two types, of which the notes name one that does not become the other."""
    reasons = (re.search(r"no known conversion from '(.*?)'.* to '(?:const )?(.*?)'", text) for _, text in said.notes)
    one, two = next(((found[1], found[2]) for found in reasons if found), ("", ""))
    return f"`{one}` does not become `{two}` by `=`: convert it in between, as with `float f = h;`" if one else ""


def other_type(match: re.Match[str], said: Said) -> str:
    """Of a variable that an earlier line has otherwise."""
    line = next((line for line, text in said.notes if line and "previous" in text), None)
    name, here, there = match["name"], match["here"], match["there"]
    where = f" in line {line}" if line else ""
    mend = (
        "all arrays of dynamic shared memory with one name have one type; take two names"
        if here.endswith("[]")
        else "one is wrong"
    )
    return f"`{name}` is `{here}` here, and `{there}`{where}: {mend}"
