"""Hand-ins: what is in them, that they can be graded again, and what happens to those that were changed."""

import json
from pathlib import Path

import pytest

from grader.course.catalog import UsageError
from grader.faces import cli
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
RIGHT = (ROOT / "kernels" / "01_vector_add" / "2_grid_stride.cu").read_text()


@pytest.fixture
def ladder(ladder):
    """Runs one command on the emulator."""
    return lambda *arguments: ladder(*arguments, "--device", "emulator")


@pytest.fixture
def handed_in(course, ladder):
    """handed_in(source) is the file that `ladder submit` writes."""

    def submit(source=RIGHT, code=0):
        (course / "mine.cu").write_bytes(source.encode("utf-8", "surrogateescape"))
        assert ladder("submit", "01", "mine.cu", "--seed", "7")[0] == code
        return max((course / "submissions").iterdir(), key=lambda file: file.stat().st_mtime_ns)

    return submit


@pytest.fixture(scope="module")
def text():
    """Of a hand-in that stands, for those who change it."""
    return []


@pytest.fixture
def file(course, handed_in, text):
    """That hand-in as a file."""
    text += [] if text else [handed_in().read_text()]
    (course / "a.json").write_text(text[0])
    return course / "a.json"


def change(file, **values):
    """Edits the file as a person might: `grade__stars=3`."""
    data = json.loads(file.read_text())
    for name, value in values.items():
        *path, last = (int(step) if step.isdigit() else step for step in name.split("__"))
        place = data
        for step in path:
            place = place[step]
        place[last] = value
    file.write_text(json.dumps(data))


def is_one_sentence(text):
    return text.startswith("ladder: ") and text.count("\n") == 1 and "Traceback" not in text


def test_a_hand_in_holds_source_grade_seed_and_environment(handed_in):
    file = handed_in()
    assert file.name == "01_vector_add.handin.json"
    data = json.loads(file.read_text())
    assert (data["lesson"], data["kernel"], data["status"], data["stars"], data["seed"]) == (
        *("01_vector_add", "mine.cu", "passed"), 2, 7)  # fmt: skip
    assert "\n".join(data["source"]) == RIGHT
    assert set(data["environment"]) == {"torch", "g++", "python", "system", "lesson"}
    (task,) = data["grade"]["tasks"]
    assert (task["position"]["rung"], task["position"]["next"]) == (2, "float4")
    assert task["counters"]["launches"] == 1 and task["lines"] == task["kernels"] == []


def test_graded_again_it_stands(handed_in, ladder, course):
    file = handed_in()
    stars = course / "work" / "progress.json"
    assert not stars.exists()  # the file that was handed in is not in work/
    code, out, err = ladder("check", str(file))
    assert (code, err) == (0, "") and not stars.exists()  # they are the learner's, not of who checks
    assert "mine.cu" in out and "seed 7" in out and out.rstrip().endswith("its grade stands.")
    claim = json.loads(ladder("check", str(file), "--json")[1])["hand_in"]
    assert claim == {"stands": True, "differs": [], "notes": []}


def test_earlier_hand_ins_stay(handed_in):
    assert [handed_in().name for _ in range(2)] == ["01_vector_add.handin.json", "01_vector_add-2.handin.json"]


@pytest.mark.slow
def test_a_kernel_that_fails_can_be_handed_in(handed_in, ladder):
    file = handed_in(RIGHT.replace("x[i] + y[i]", "x[i]"), code=1)
    code, out, _ = ladder("check", str(file))
    assert code == 1 and "wrong result" in out and "its grade stands" in out


def test_whatever_bytes_a_kernel_has_the_hand_in_has_them(handed_in, ladder):
    file = handed_in(f"// \udc80 é \x07\n{RIGHT}", code=1)
    code, out, _ = ladder("check", str(file))
    assert code == 1 and "is not in UTF-8" in out and "its grade stands" in out


@pytest.mark.parametrize(
    "edit",
    long_tail(
        [
            {"stars": 3, "grade__stars": 3},
            {"stars": 3, "grade__stars": 3, "grade__tasks__0__stars": 3},
            {"grade__tasks__0__counters__launches": 2},
            {"grade__tasks__0__targets__0__value": 0.5},
        ],
        every=4,
        slow=2,
    ),
)
def test_a_grade_that_was_edited_does_not_stand(file, ladder, edit):
    change(file, **edit)
    code, out, err = ladder("check", str(file))
    assert (code, err) == (1, "")
    assert "The grade in the hand-in does not stand:" in out and " now" in out


def test_what_has_changed_since_is_said(file, ladder):
    change(file, environment__lesson="another", **{"environment__g++": "4.8"})
    said = " ".join(ladder("check", str(file))[1].split())
    assert "its grade stands" in said and "note: the lesson has changed since" in said
    assert "g++ 4.8 then" in said and "instructions and branches are not compared" in said
    change(file, grade__tasks__0__counters__launches=2)
    assert "note: g++ 4.8 then" in ladder("check", str(file))[1]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"source__0": "// another comment"}, "changed after it was graded"),
        ({"stars": 3}, "contradicts itself"),
        ({"grade": {}}, "damaged"),
        ({"grade__tasks__0__counters": []}, "damaged"),
        ({"grade__tasks__0__targets__0__value": "much"}, "damaged"),
        ({"grade__tasks__0__position": 2}, "damaged"),
        ({"schema": 9}, "damaged"),
        ({"lesson": 1}, "damaged"),
        ({"lesson": "01\x1b[2J"}, "damaged"),
        ({"kernel": "../mine.cu"}, "damaged"),
        ({"kernel": ".."}, "damaged"),
        ({"seed": -1, "grade__seed": -1}, "damaged"),
        ({"lesson": "09_gone"}, "no lesson `09_gone`"),
    ],
)
def test_a_hand_in_that_was_changed_is_one_sentence(file, ladder, edit, words):
    change(file, **edit)
    code, out, err = ladder("check", str(file))
    assert (code, out) == (2, "") and is_one_sentence(err) and words in err


@pytest.mark.parametrize(("kind", "device"), [("emulator", "emulator"), ("cuda", "auto")])
def test_it_is_graded_where_it_was_graded_before(file, monkeypatch, kind, device):
    change(file, grade__device__kind=kind)
    asked = []

    def grade(*_, device, seed, **how):
        asked.append((device, seed))
        raise UsageError("enough")

    monkeypatch.setattr("grader.grade.grade", grade)
    assert cli.run(["check", str(file)]) == 2
    assert asked == [(device, 7)]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff\x00", b"[" * 100_000])
def test_a_damaged_file_is_one_sentence(course, ladder, data):
    (course / "a.json").write_bytes(data)
    code, out, err = ladder("check", "a.json")
    assert (code, out) == (2, "") and is_one_sentence(err) and "a.json" in err


def test_a_file_that_is_too_large_is_not_read(course, ladder):
    with (course / "a.json").open("wb") as file:
        file.truncate(1 << 30)
    code, out, err = ladder("check", "a.json")
    assert (code, out) == (2, "") and is_one_sentence(err) and "too large" in err


def test_wrong_usage_is_one_sentence(course, ladder):
    (course / "submissions").write_text("a file")
    for arguments, words in (
        (["check", "none.json"], "No such file"),
        (["check", "01", "a.json"], "type `ladder check a.json`"),
        (["check", "a.json", "--seed", "1"], "alone"),
        (["check", "a.json", "--reference"], "alone"),
        (["submit", "01"], "submissions"),
        (["submit", "x"], "`ladder` lists them all"),
    ):
        code, out, err = ladder(*arguments)
        assert (code, out) == (2, "") and is_one_sentence(err) and words in err, arguments
