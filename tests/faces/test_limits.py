"""What a control group allows, as either version of Linux's control groups writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.faces.limits import limit_of

TREES = {
    "version 2": (
        "0::/user.slice/ladder.scope\n",
        {
            "user.slice/ladder.scope/memory.max": "max",
            "user.slice/memory.max": "8589934592",
            "user.slice/ladder.scope/pids.max": "512",
        },
        (8 << 30, 512),
    ),
    "version 1": (
        "5:memory:/docker/1\n4:pids:/docker/1\n3:cpu,cpuacct:/docker/1\n",
        {"memory/docker/1/memory.limit_in_bytes": "1073741824", "pids/docker/1/pids.max": "max"},
        (1 << 30, None),
    ),
    "no limit": (
        "5:memory:/\n",
        {"memory/memory.limit_in_bytes": "9223372036854771712"},
        (None, None),
    ),
    "none of it": ("", {}, (None, None)),
}


@pytest.mark.parametrize("tree", TREES)
def test_the_smallest_limit_of_all_groups_above_holds(tmp_path: Path, tree):
    own, files, expected = TREES[tree]
    (tmp_path / "own").write_text(own)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    assert (limit_of("memory", tmp_path, tmp_path / "own"), limit_of("pids", tmp_path, tmp_path / "own")) == expected
