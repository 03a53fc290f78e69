"""The page for a browser: what it says, that nothing of a submission is taken for HTML, and that Chromium likes it."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import browser
import pytest
from grades import BROKEN, CRASHED, OUT_OF_BOUNDS, PASSED, SOURCE, TARGETS, TIMED, UNGRADED, WRONG, as_graded

from grader.devices.evidence import Diagnostic, Finding
from grader.judge.again import Again
from grader.judge.verdict import TaskGrade
from grader.report.html import dumps

VOID = {"meta", "br"}
SCRIPT = "</script></style><script>document.title='owned'</script><img src=x onerror=alert(1)>"
EVIL = f"{SCRIPT}\"'&amp;\x00\x1b[2J\u202e\udc80"
GLOBAL = [f"global_{way}_{what}" for way in ("load", "store", "atomic") for what in ("requests", "sectors", "threads")]
BYTES = [f"global_{way}_{what}" for way in ("load", "store") for what in ("bytes", "useful_bytes")]
SHARED = [
    f"shared_{way}_{what}" for way in ("load", "store") for what in ("requests", "wavefronts", "ideal_wavefronts")
]
OTHERS = [
    *("shared_atomic_requests", "shared_atomic_threads", "global_atomic_max_multiplicity", "local_requests"),
    *("shared_atomic_max_multiplicity", "warp_instructions", "thread_instructions", "branches", "divergent_branches"),
]
COUNTERS = dict.fromkeys([*GLOBAL, *BYTES, *SHARED, *OTHERS], 0)
LOADS = {"global_load_requests": 10, "global_load_sectors": 320, "global_load_threads": 320, "global_load_bytes": 1280,
         "global_load_useful_bytes": 1280, "warp_instructions": 20, "thread_instructions": 640}  # fmt: skip
LINES = [COUNTERS | LOADS | {"kernel": "add", "line": 3}]
KERNELS = [COUNTERS | LOADS | {"name": "add", "blocks": 1, "threads": 320}]
COUNTED = replace(PASSED, tasks=[replace(PASSED.tasks[0], lines=LINES, kernels=KERNELS, counters=COUNTERS | LOADS)])


class Reader(HTMLParser):
    """Collects the text and all tags, and insists that they are balanced."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.said = [], set(), [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.said += " "
        self.attributes += [(name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said += "" if self.open and self.open[-1] == "style" else data


def read(*graded):
    reader = Reader()
    reader.feed(dumps(graded))
    reader.close()
    assert not reader.open
    reader.said = " ".join(reader.said.split())
    return reader


def test_a_pass_shows_stars_targets_cases_and_the_source():
    said = read(as_graded(PASSED)).said
    for words in (
        "✓ 01_vector_add: passed ★★",
        "▮▯▯ rung 1 of 3: one element · next: grid stride",
        "Vector addition · work/01_vector_add.cu · emulated · seed 123",
        "Right in all 2 cases, largest error 10% of what is allowed",
        "load efficiency neighbouring threads should read neighbours Read notebooks/03_coalescing.ipynb",
        "50 % >= 97 %",
        "1 more target needs a GPU",
        "z[i] = x[i] + y[i];",
    ):
        assert words in said, words


def test_a_failure_shows_the_call_the_place_and_advice():
    said = read(as_graded(OUT_OF_BOUNDS)).said
    assert "vector_add(n=31) (1 of 2 cases fails)" in said
    assert "work/01_vector_add.cu:3, in kernel add" in said
    assert said.count("This thread reads x[31], but x has 31 elements.") == 2  # above, and at its line
    assert "if (i < n)" in said and "`" not in said
    assert "z[7] is 0, but should be 0.25" in read(as_graded(WRONG)).said
    assert "expected ';' before '}' token" in read(as_graded(BROKEN)).said
    assert "hello" in read(as_graded(CRASHED)).said
    assert "It is gone." in read(UNGRADED).said


def test_the_source_has_counters_and_advice_at_its_lines():
    page = dumps([as_graded(COUNTED)])
    assert '<td class="count" data-t="loads">32/4</td>' in page
    assert "of 32 bytes moved 4 are used" in page and "320 sectors" in page


def test_a_finding_stands_once_at_its_lines_with_the_number_of_its_cases():
    finding = Finding("race", "Two threads use tile[3].", line=3, kernel="add", details={"other_line": 2})
    cases = [replace(OUT_OF_BOUNDS.tasks[0].cases[1], name=name, findings=[finding]) for name in ("n=1", "n=2")]
    grade = replace(OUT_OF_BOUNDS, tasks=[replace(OUT_OF_BOUNDS.tasks[0], cases=cases)])
    page = dumps([as_graded(grade, source=SOURCE.replace("    z[i]", "\tz[i]"))])
    assert page.count("Two threads use tile[3]. (2 cases)") == 1 and "takes part in what line 3 does" in page
    assert '<td class="code">    z[i]' in page


def test_of_what_a_program_printed_the_end_is_shown():
    printed = "\n".join(f"line {number}." for number in range(100))
    said = read(as_graded(replace(CRASHED, tasks=[replace(CRASHED.tasks[0], output=printed)]))).said
    assert "line 60. line 61." in said and "line 59." not in said and "line 99." in said


def test_errors_as_a_share_of_what_is_allowed():
    errors = {"n=1": 0.5e-7, "n=2": 3e-7, "n=3": 5e-5, "n=4": float("inf")}
    cases = [replace(PASSED.tasks[0].cases[0], name=name, max_error=error) for name, error in errors.items()]
    graded = as_graded(replace(PASSED, tasks=[replace(PASSED.tasks[0], cases=cases)]))
    widths = re.findall(r'class="(?:fine|missed)" y="3" width="([^"]*)"', dumps([graded]))
    assert len(widths) > len(errors) and all(float(width) <= 100 for width in widths)
    said = read(graded).said
    for words in ("n=1 passed 50%", "n=2 passed 300%", "n=3 passed 5.0e+02 times", "n=4 passed infinite"):
        assert words in said, words


def test_more_than_all_that_moves_cannot_be_needed():
    again = LINES[0] | {"global_load_sectors": 5}  # ten requests, all for what is in five sectors
    page = dumps([as_graded(replace(COUNTED, tasks=[replace(COUNTED.tasks[0], lines=[again])]))])
    need, waste = re.findall(r'<rect class="(?:need|waste)" x="[^"]*" y="4" width="([^"]*)"', page)
    assert float(need) > 0 and float(waste) == 0


def test_the_lines_that_move_most_are_drawn():
    lines = [LINES[0] | {"line": line, "global_load_sectors": 320 + line} for line in range(1, 13)]
    page = dumps([as_graded(replace(COUNTED, tasks=[replace(COUNTED.tasks[0], lines=lines)]))])
    assert [int(line) for line in re.findall(r">line (\d+)</text>", page)] == list(range(5, 13))


def test_on_a_gpu_times_stand_beside_those_of_the_baselines():
    kernel = {"kernel": "add", "registers": 22, "local_bytes": 0, "shared_bytes": 1024, "occupancy": 0.75}
    task = replace(PASSED.tasks[0], timings=TIMED, kernels=[kernel])
    said = read(as_graded(replace(PASSED, device={"kind": "cuda", "name": "NVIDIA H200"}, tasks=[task]))).said
    assert (
        "738 µs at n=268435456" in said
        and "torch.add 740 µs" in said
        and "22 registers" in said
        and "NVIDIA H200" in said
    )
    assert "load efficiency" not in said and "2 more targets need the emulator" in said


def test_many_kernels_have_a_table_of_contents():
    reader = read(as_graded(PASSED), as_graded(WRONG), UNGRADED)
    assert "1 of 3 kernels pass · 2 of 9 stars" in reader.said
    links = {value for name, value in reader.attributes if name == "href"}
    assert links == {"#k1", "#k2", "#k3"} <= {f"#{value}" for name, value in reader.attributes if name == "id"}


def test_a_hand_in_says_whether_its_grade_stands():
    assert "the grade stands" in read(as_graded(PASSED, again=Again())).said
    said = read(as_graded(PASSED, again=Again(("3 stars then, 2 now",), ("another g++",)))).said
    assert "passed, not as its hand-in claims" in said and "3 stars then, 2 now" in said and "another g++" in said


def evil():
    """A grade with something nasty wherever text of a submission can get to."""
    finding = Finding("out_of_bounds", EVIL, line=3, kernel=EVIL, block=(0, 0, 0), thread=(1, 0, 0))
    case = replace(OUT_OF_BOUNDS.tasks[0].cases[1], name=EVIL, message=EVIL, findings=[finding])
    tasks = [
        replace(OUT_OF_BOUNDS.tasks[0], cases=[case], output=EVIL, message=EVIL, targets=TARGETS, counters={EVIL: 1}),
        TaskGrade(EVIL, "build_error", 0, diagnostics=[Diagnostic(EVIL, 2, 1, EVIL)], output=EVIL),
    ]
    grade = replace(OUT_OF_BOUNDS, kernel=EVIL, tasks=tasks)
    return as_graded(grade, source=f'// {EVIL}\n{SOURCE}\nconst char* s = "{EVIL}";', again=Again((EVIL,), (EVIL,)))


def test_nothing_of_a_submission_is_taken_for_html():
    page = dumps([evil(), as_graded(PASSED)])
    reader = read(evil(), as_graded(PASSED))
    assert not {"script", "img", "link", "iframe"} & reader.tags
    assert not [name for name, _ in reader.attributes if name.startswith("on") or name == "src"]
    assert not set("\x00\x1b\u202e\udc80") & set(page)
    page.encode()


def test_the_page_needs_nothing_but_itself():
    page = dumps([evil(), as_graded(COUNTED)])
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in page
    assert "http://" not in page and "https://" not in page and "url(" not in page and "@import" not in page


@pytest.mark.skipif(not browser.find(), reason="there is no Chromium here")
def test_in_a_browser(tmp_path):
    """No complaint, no request, and nothing wider than a phone, in light and in dark."""
    file = tmp_path / "grades.html"
    long = as_graded(COUNTED, source=SOURCE.replace("z[i] =", "z[i] = " + "0.0f + " * 60))
    file.write_text(dumps([long, as_graded(WRONG), as_graded(BROKEN), evil(), UNGRADED]))
    grounds = set()
    with browser.Browser() as page:
        for width, scheme in ((360, "light"), (360, "dark"), (1200, "light")):
            page.open(file, width, scheme=scheme)
            page.value("document.querySelectorAll('details').forEach(each => each.open = true)")
            assert page.value("document.documentElement.scrollWidth") <= width
            assert page.complaints == [] and page.requests == [file.as_uri()]
            assert page.value("document.title") == "Kernel Ladder: grades"
            grounds.add((scheme, page.value("getComputedStyle(document.body).backgroundColor")))
    assert len(dict(grounds)) == len(grounds) == 2
