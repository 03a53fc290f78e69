"""Control groups of either version: the limits that are there, and the group that a server makes for its workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.devices.worker import control_group
from grader.devices.worker.control_group import MEMORY, PROCESSES, limit_of, make_group
from grader.devices.worker.outside import in_a_group

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
    found = [limit_of(layer, tmp_path, tmp_path / "own") for layer in (MEMORY, PROCESSES)]
    assert tuple(found) == expected


def laid_out(folder: Path, own: str, **files: str) -> tuple[Path, Path]:
    """Where groups lie, and the file that names this process's, as `make_group` wants them."""
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "own").write_text(own)
    return folder, folder / "own"


def test_a_group_of_version_2_has_both_limits_and_its_own_processes(tmp_path):
    own = "0::/ours.scope\n"
    controllers = {"ours.scope__cgroup_controllers": "cpu memory pids", "ours.scope__cgroup_procs": ""}
    place = laid_out(tmp_path, own, **controllers)
    made = make_group(*place)
    assert not made.lacking and len({*made.folders.values()}) == 1
    group = made.folders[MEMORY]
    assert (tmp_path / "ours.scope" / "cgroup.subtree_control").read_text() == "+memory +pids"
    assert (group / "memory.max").read_text() == str(control_group.most_bytes())
    assert (group / "pids.max").read_text() == str(control_group.most_processes())
    assert (group / "cgroup.procs").read_text() == "0"


def test_the_processes_of_a_session_are_not_moved(tmp_path):
    files = {"ours.scope__cgroup_controllers": "memory pids", "ours.scope__cgroup_procs": "17\n"}
    place = laid_out(tmp_path, "0::/ours.scope\n", **files)
    (tmp_path / "ours.scope" / "cgroup.type").write_text("domain")
    made = make_group(*place)
    assert made.folders == {} and "Delegate=yes" in made.lacking[MEMORY]
    assert sorted(file.name for file in (tmp_path / "ours.scope").iterdir()) == [
        "cgroup.controllers", "cgroup.procs", "cgroup.type"
    ]  # fmt: skip


def test_what_a_killed_server_has_left_is_removed(tmp_path):
    root, own = laid_out(tmp_path, "5:memory:/\n4:pids:/\n", memory__x="", pids__x="")
    (root / "memory" / "kernel-ladder.999999999.0").mkdir()
    mine = make_group(root, own).folders
    assert [folder.name for folder in (root / "memory").glob("kernel-ladder.*")] == [mine[MEMORY].name]
    assert (mine[MEMORY] / "memory.limit_in_bytes").exists() and (mine[PROCESSES] / "pids.max").exists()


def test_where_there_is_no_controller_that_is_the_reason(tmp_path):
    made = make_group(*laid_out(tmp_path, ""))
    assert made.folders == {}
    assert made.lacking[PROCESSES] == "no control group can be made here (there is no controller `pids`)"


ATTACKS = """
import os, signal, sys, threading, time
from grader.devices.worker import control_group, outside
control_group.MOST_BYTES, control_group.PROCESSES_BESIDE_THREADS = 96 << 20, 24

def eat():  # what no limit of one process sees: it is not mapped
    file = os.memfd_create("x")
    for _ in range(40):
        os.write(file, bytes(8 << 20))

def flood():
    threads = [threading.Thread(target=time.sleep, args=(20,), daemon=True) for _ in range(200)]
    try:
        [each.start() for each in threads]
    except RuntimeError:
        os._exit(7)

with outside.in_a_group("none") as held:
    groups = open("/proc/self/cgroup").read()
    for attack in (eat, flood):
        child = os.fork()
        if child == 0:
            attack()
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(*held["held"])
print("kernel-ladder." in groups, "kernel-ladder." in open("/proc/self/cgroup").read())
"""


def cannot_make() -> str:
    with in_a_group("none") as held:
        return "; ".join(held["lacking"].get(layer, "") for layer in (MEMORY, PROCESSES)).strip("; ")


@pytest.mark.skipif(bool(cannot_make()), reason=cannot_make())
def test_what_one_process_s_limits_do_not_bound_the_group_does():
    done = subprocess.run([sys.executable, "-c", ATTACKS], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["-9", "7", "memory processes", "True False"], done.stderr
