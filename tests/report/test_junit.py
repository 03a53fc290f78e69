"""JUnit's XML: what readers of it count and show."""

from dataclasses import replace
from xml.etree import ElementTree

from grades import BROKEN, CRASHED, OUT_OF_BOUNDS, PASSED, UNGRADED, WRONG, as_graded

from grader.judge.again import Again
from grader.report.junit import dumps


def parsed(*graded):
    return ElementTree.fromstring(dumps(graded))


def test_a_suite_for_each_kernel_and_a_test_for_each_case():
    root = parsed(as_graded(PASSED), as_graded(WRONG))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "4", "1", "0")
    passed, wrong = root.findall("testsuite")
    assert (passed.get("tests"), passed.get("failures"), wrong.get("failures")) == ("2", "0", "1")
    assert float(passed.get("time")) == PASSED.seconds["total"]
    assert passed.get("file") == PASSED.kernel
    names = [(test.get("classname"), test.get("name")) for test in passed.findall("testcase")]
    assert names == [("01_vector_add.vector_add", "n=1"), ("01_vector_add.vector_add", "n=31")]
    facts = {fact.get("name"): fact.get("value") for fact in passed.findall("properties/property")}
    assert facts == {"status": "passed", "stars": "2", "seed": "123", "device": "emulated GPU",
                     "rung of vector_add": "rung 1 of 3: one element"}  # fmt: skip


def test_a_failure_says_what_the_terminal_says():
    (failure,) = parsed(as_graded(OUT_OF_BOUNDS)).findall("testsuite/testcase[@name='n=31']/failure")
    assert failure.get("type") == "out_of_bounds"
    assert "work/01_vector_add.cu:3, in kernel add" in failure.text and "if (i < n)" in failure.text


def test_what_no_case_shows_is_a_test_of_its_own():
    for grade, status in ((BROKEN, "build_error"), (CRASHED, "crash")):
        bare = replace(grade, tasks=[replace(grade.tasks[0], cases=[])])
        (test,) = parsed(as_graded(bare)).findall("testsuite/testcase")
        assert test.find("failure").get("type") == status
    assert "hello" in test.find("system-out").text


def test_a_bonus_task_that_fails_fails_nothing():
    bonus = replace(WRONG.tasks[0], name="backward", bonus=True)
    root = parsed(as_graded(replace(PASSED, tasks=[*PASSED.tasks, bonus])))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "0", "1")
    assert "z[7] is 0" in root.find("testsuite/testcase/skipped").get("message")


def test_a_kernel_without_a_grade_is_an_error():
    root = parsed(UNGRADED)
    assert (root.get("tests"), root.get("errors")) == ("1", "1")
    assert root.find("testsuite/testcase/error").get("message") == "It is gone."


def test_a_hand_in_is_a_test():
    stands, falls = as_graded(PASSED, again=Again()), as_graded(PASSED, again=Again(("3 stars then, 2 now",)))
    (one,), (other,) = ([*parsed(each).findall("testsuite/testcase[@name='hand-in']")] for each in (stands, falls))
    assert one.find("failure") is None
    assert other.find("failure").get("message") == "3 stars then, 2 now"


def test_whatever_a_submission_holds_the_xml_is_well_formed():
    case = replace(WRONG.tasks[0].cases[1], name="n<1> & \"'", message="]]> </failure>\x00\x1b\udc80\ufffe")
    task = replace(CRASHED.tasks[0], cases=[case], output="</system-out>\x07\u202e", status="wrong_result")
    root = parsed(as_graded(replace(WRONG, tasks=[task], kernel='"<a>".cu'), source="\x0c<&>\udcff"))
    assert root.find("testsuite/testcase").get("name") == case.name
    assert root.find("testsuite/testcase/failure").get("message").startswith("]]> </failure>")
    assert root.find("testsuite/testcase/system-out").text == "</system-out>��"
