"""`ladder view`: from a kernel to a page, and one sentence where there is nothing to show."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from typing import Any

import pytest

from grader.course import catalog
from grader.faces.view import view

KERNEL = """
__global__ void add(const float* x, const float* y, float* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {}
    if (i < n) z[i] = x[i] + y[i];
}}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {{
    {}
}}
"""
LAUNCH = "add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);"
RACE = ("__shared__ int first; first = i; if (threadIdx.x == 40 && first == 1) return;", LAUNCH)


@pytest.fixture
def kernel(course):
    def write(*parts: str) -> str:
        (course / "mine.cu").write_text(KERNEL.format(*parts))
        return "mine.cu"

    return write


def test_a_race_is_shown_with_both_sides_and_the_course_s_rung_beside_it(kernel, course, ladder):
    code, said, _ = ladder("view", "01", kernel(*RACE), "--rung", "1")
    assert code == 0
    assert "◆ line 4: thread" in said and "while thread" in said
    assert "work/views/01_vector_add.html shows mine.cu beside rung 1 (one element)." in said
    html = (course / "work/views/01_vector_add.html").read_text()
    assert html.startswith("<!doctype html>") and len(html) < 200_000


def test_explain_writes_the_page_too(kernel, course, ladder):
    code, said, _ = ladder("explain", "01", kernel("", LAUNCH), "--case", "n=5", "--html", "page.html")
    assert code == 0 and "z[i] = x[i] + y[i]" in said
    assert (course / "page.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("", "int x = ;"), "mine.cu cannot be recorded: "),
        (("", "*(volatile int*)nullptr = 1;"), "mine.cu cannot be viewed: line 8: "),
        (("", "for (;;) {}"), "mine.cu cannot be viewed: line 8: "),
        (("", ""), "mine.cu cannot be viewed: no kernel of it ran in case n=100003; `ladder check` says more"),
    ],
    ids=["does not compile", "crashes", "hangs", "launches nothing"],
)
def test_one_sentence_where_there_is_nothing_to_show(kernel, ladder, parts, said):
    code, out, err = ladder("view", "01", kernel(*parts))
    assert (code, out) == (2, "") and err.startswith(f"ladder: {said}") and err.count("\n") == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["99"], "there is no lesson `99`"),
        (["01"], "there is no file work/01_vector_add.cu: type `ladder start 01`"),
        (["01", "--rung", "9"], "vector_add has no rung 9"),
        (["01", "--reference", "--case", "n=7"], "task vector_add has no case 'n=7'"),
        (["01", "--reference", "--out", "nowhere/page.html"], "nowhere/page.html cannot be written"),
        (["01", "mine.cu", "--reference"], "give either a file or --reference, not both"),
        (["03", "--reference"], "say for which task: `ladder view 03 --task row_sum`"),
        (
            ["explain", "03", "--reference", "--html", "x.html"],
            "say for which task: `ladder explain 03 --task row_sum`",
        ),
        (["explain", "01", "--reference", "--html", "no/x.html"], "no/x.html cannot be written"),
    ],
)
def test_wrong_questions(ladder, asked, said):
    code, _, err = ladder(*(asked if asked[0] == "explain" else ["view", *asked]))
    assert code == 2 and err.startswith(f"ladder: {said}") and err.count("\n") == 1


def test_a_loop_that_never_ends_on_the_gpu_is_shown_and_a_notebook_shows_the_page(kernel, course):
    entry = catalog.find("01")
    found = view(entry, course / kernel("while (i >= 0) z[0] = 1;", LAUNCH), case="n=5")
    assert [finding.kind for finding in found.findings] == ["timeout"]
    assert found._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def data_of(html: str) -> Any:
    """What a page says of its first side."""
    data = zlib.decompress(b64decode(html.partition('id="data">')[2].partition("<")[0]))
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["sides"][0]


MORE = """
__global__ void first(float* z, int n) {{ if (threadIdx.x < n) z[threadIdx.x] = 0; }}
__global__ void off(const float* x, const float* y, float* z, int n, int by) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x + by;
    if (i < n + by) z[i] = x[i] + y[i];
}}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {{
    int blocks = (n + 31) / 32;
    first<<<1, 32, 0, stream>>>(z, n);
    off<<<blocks, 32, 0, stream>>>(x, y, z, n, 0);
    {}
}}
"""


def test_errors_in_later_launches_and_blocks_are_on_the_page_which_opens_there(course):
    (course / "mine.cu").write_text(MORE.format("if (n > 99) off<<<blocks, 32, 0, stream>>>(x, y, z, n, 1);"))
    found = view(catalog.find("01"), course / "mine.cu", case="n=255")
    side = data_of(found.html)
    assert "off, launch 3 of 3, 8 blocks" in side["facts"] and "first" not in side["facts"].split()
    assert side["findings"][0]["step"] >= 0 and side["findings"][0]["elsewhere"] == ""
    last = (255 - 1) // 32
    assert f"block {last}" in side["blocks"]  # which no block of multiprocessor 0 is


TWO = """
__global__ void warps(float* z) {{ if (threadIdx.x % 32 == 0) z[0] = threadIdx.x; }}
__global__ void blocks(float* z, int n) {{ if (threadIdx.x == 0) z[n - 1] = blockIdx.x; }}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {{
    warps<<<1, 64, 0, stream>>>(z);
    blocks<<<1, 64, 0, stream>>>(z, n);
    blocks<<<9, 64, 0, stream>>>(z, n);
}}
"""


def test_errors_of_several_launches_are_on_one_page(course):
    (course / "mine.cu").write_text(TWO.format())
    side = data_of(view(catalog.find("01"), course / "mine.cu", case="n=5").html)
    assert "warps, launch 1 of 3" in side["facts"] and "blocks, launch 3 of 3" in side["facts"]
    races = [each for each in side["findings"] if each["title"].startswith("race")]
    assert {each["line"] for each in races} == {2, 3}
    assert all(min(each["step"], each["other_step"]) >= 0 and each["elsewhere"] == "" for each in races)
    assert {"block 0 of launch 1", "block 0 of launch 3", "block 1 of launch 3"} <= set(side["blocks"])


def test_a_kernel_that_is_no_first_launch_is_recorded_in_the_one_run(course, monkeypatch):
    from grader.faces import record

    runs, ran = [], record.run_recorded
    monkeypatch.setattr(record, "run_recorded", lambda *what: runs.append(what) or ran(*what))
    (course / "mine.cu").write_text(MORE.format(""))
    side = data_of(view(catalog.find("01"), course / "mine.cu").html)
    assert len(runs) == 1 and "off, launch 2 of 2" in side["facts"] and side["findings"] == []
