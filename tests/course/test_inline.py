"""What a kernel of the course includes of kernels/ stands in its text; what cannot be is said in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import Entry, UsageError, find
from grader.course.inline import inlined
from grader.course.work import read_kernel

WHOLE = """// The highest rung of each task.
#include <cstdint>
#include "../common/tile.cuh"

namespace a {
#include "a/2_top.cu"
}
namespace b {
  #  include "b/1_top.cu"  // again
}
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course in which a lesson's all.cu includes two rungs, and both include one header, which includes another."""
    files = {
        "lessons/01_ab/starter.cu": '#include "mine.cuh"\n',
        "kernels/01_ab/all.cu": WHOLE,
        "kernels/01_ab/a/2_top.cu": '#include "../../common/tile.cuh"\nint a = tile;\n',
        "kernels/01_ab/b/1_top.cu": '#include "../../common/tile.cuh"\nint b = tile; // #include "x"\n',
        "kernels/common/tile.cuh": '#pragma once\n#include "size.cuh"\nconstexpr int tile = size;\n',
        "kernels/common/size.cuh": "#pragma once\nconstexpr int size = 4;",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_headers_come_once_and_kernels_in_their_place(course: Path):
    assert inlined(course / "kernels/01_ab/all.cu").splitlines() == [
        "// The highest rung of each task.",
        "#include <cstdint>",
        "constexpr int size = 4;",
        "constexpr int tile = size;",
        "",
        "namespace a {",
        "",
        "int a = tile;",
        "}",
        "namespace b {",
        "",
        'int b = tile; // #include "x"',
        "}",
    ]
    entry = Entry(course, "01_ab")
    assert inlined(course / "lessons/../kernels/01_ab/all.cu") == inlined(entry.reference)
    assert inlined(course / "kernels/01_ab/b/1_top.cu").startswith("constexpr int size = 4;\nconstexpr int tile")
    assert read_kernel(entry.reference, entry) == inlined(entry.reference)
    assert inlined(course / "lessons/../kernels/01_ab/all.cu") == inlined(entry.reference)
    assert read_kernel(entry.starter, entry) == inlined(entry.starter) == '#include "mine.cuh"\n'  # not in kernels/


@pytest.mark.parametrize(
    ("include", "said"),
    [
        ("gone.cuh", '`#include "gone.cuh"` names no file: there is no kernels/01_ab/gone.cuh'),
        ("", "names no file: there is no kernels/01_ab"),
        ("../common", "names no file: there is no kernels/common"),
        ("../../lessons/01_ab/starter.cu", "leads out of kernels/: move the file there"),
        ("/etc/hostname", "leads out of kernels/"),
        ("all.cu", "includes kernels/01_ab/all.cu in itself: take one of the includes out"),
        ("a/circle.cuh", 'kernels/01_ab/a/circle.cuh: `#include "../all.cu"` includes kernels/01_ab/all.cu in itself'),
        ("bytes.cuh", "kernels/01_ab/bytes.cuh is no UTF-8: save it as that"),
    ],
)
def test_what_cannot_be_included_is_said(course: Path, include: str, said: str):
    (course / "kernels/01_ab/a/circle.cuh").write_text('#include "../all.cu"\n')
    (course / "kernels/01_ab/bytes.cuh").write_bytes(b"\xff\n")
    file = course / "kernels/01_ab/all.cu"
    file.write_text(f'#include "{include}"\n')
    for read in (inlined, lambda file: read_kernel(file, Entry(course, "01_ab"))):
        with pytest.raises(UsageError) as error:
            read(file)
        assert said in str(error.value) and "\n" not in str(error.value)
        assert str(error.value).startswith("kernels/01_ab/")


def test_lines_may_end_as_those_of_an_old_mac(tmp_path):
    entry = find("01")
    for number, ends in enumerate((b"\n", b"\r\n", b"\r")):
        file = tmp_path / f"{number}.cu"
        file.write_bytes(b"// a comment" + ends + b"int x;" + ends)
        assert read_kernel(file, entry) == "// a comment\nint x;\n"
