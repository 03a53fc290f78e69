"""How runs of other people's programs are judged, and how bugs are planted in them."""

from __future__ import annotations

import json

import pytest

from benchmarks.corpus import fetch, planted, run


def told(**facts) -> str:
    return json.dumps({"kernels": [1], "findings": [], "ended": "", "exit_code": 0} | facts)


def finding(message: str) -> dict[str, object]:
    return {"kind": "trap", "message": message, "file": "a/b.cu", "line": 7}


@pytest.mark.parametrize(
    ("code", "out", "said", "outcome"),
    [
        (0, told(), "max error: 0", "right"),
        (0, told(exit_code=3), "", "ended"),
        (0, told(findings=[finding("x is read past its end")]), "", "finding"),
        (1, told(findings=[finding("cufftPlan1d is a library's function, which is not emulated")]), "", "refused"),
        (1, told(findings=[finding("cufftPlan1d is not emulated"), finding("a race")]), "", "finding"),
        (124, told(ended="stopped after 20 s", findings=[finding("a race")]), "", "out of time"),
        (2, "", "prog.cu:3: 'x' was not declared", "not built"),
        (2, "", "ladder: KeyError: 'x'; this is a fault in Kernel Ladder, see /tmp/log", "broken"),
        (-9, "", "", "broken"),
    ],
)
def test_an_outcome_is_told_from_what_ladder_run_says(code, out, said, outcome):
    assert run.judged(code, out, said)["outcome"] == outcome


def test_headers_are_looked_for_where_a_program_would_have_them(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "FILES", tmp_path)
    texts = {
        "src/a.cu": "".join(f"#include {each}\n" for each in ('"near.h"', "<far.h>", "<unistd.h>", '"helper_cuda.h"')),
        "src/near.h": "",
        "include/far.h": '#include "deep.h"\n',
        "more/deep.h": "",
        "windows/unistd.h": "",  # another program's, for the system has one
        "other/helper_cuda.h": "",  # likewise: the emulator has one
        "Common/helper_cuda.h": "",
    }
    for name, text in texts.items():
        file = tmp_path / "me+it" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    found = run.folders_of_headers(run.Program("me/it", "src/a.cu", ""))
    assert {each.name for each in found} == {"include", "more", "Common"}


def test_a_bug_takes_the_place_of_one_text_in_one_line():
    bug = {"program": "me/it/a.cu", "line": 2, "was": "__syncthreads();", "now": ";"}
    text = "  __syncthreads();\n  __syncthreads();\n  y = x;\n"
    assert planted.with_bug(text, bug) == "  __syncthreads();\n  ;\n  y = x;\n"
    with pytest.raises(SystemExit, match=r"me/it/a\.cu: line 3 has no `__syncthreads\(\);`"):
        planted.with_bug(text, bug | {"line": 3})


def test_lists_name_no_program_twice_and_options_belong_to_programs():
    names = []
    for listed in fetch.LISTS:
        for each in fetch.repositories(listed):
            names += [f"{each['name']}/{file}" for file in each["files"]]
            assert set(each.get("options", {})) <= set(each["files"])
    assert len(names) == len(set(names)) > 300
    bugs = planted.planted_bugs()
    assert {each["program"] for each in bugs} <= set(names) and len(bugs) >= 33
    assert len({each["bug"] for each in bugs}) >= 8 and all(each["at"] for each in bugs)


def test_a_corpus_that_was_not_fetched_is_told_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "FILES", tmp_path)
    with pytest.raises(SystemExit, match=r"is not here: type `python -m benchmarks.corpus.fetch`"):
        run.must_be_here(run.programs("list"))
    run.must_be_here([])
