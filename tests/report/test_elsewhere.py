"""Of an index that leaves its array a case that stays inside may tell more."""

from grader.devices.evidence import Finding
from grader.judge.verdict import CaseGrade
from grader.report.advice import advice

OUTSIDE = Finding("out_of_bounds", "reads b[9], past its end", line=1, details={"array": "b", "space": "global"})
SAID = "What out holds is right where row i of b begins at i * m, and it begins at i * 34 here."


def told(pattern: str, said: str, name: str = "n=3") -> str:
    case = CaseGrade("n=9", "out_of_bounds", findings=[OUTSIDE])
    other = CaseGrade(name, "wrong_result", details={"pattern": pattern, "pattern_message": said})
    return advice("out_of_bounds", case, ["sum += b[k * m + j];"], [case, other])


def test_what_is_known_of_this_array_is_told():
    assert told("input_begins_at_m_1", SAID).endswith(SAID) and "At n=3" in told("input_begins_at_m_1", SAID)


def test_what_is_known_of_another_is_not():
    assert SAID not in told("input_begins_at_m_1", SAID.replace(" b ", " a "))
    assert SAID not in told("input_begins_at_m_1", SAID, name="n=3 m=1")
    assert "turned" not in told("input_tile_16", "What out holds is right for b with each tile turned round")
