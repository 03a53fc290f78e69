"""A class on a Ray cluster whose nodes are processes of this machine, two of which are killed while it grades."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from grader.classroom.ledger import Ledger, Submitted
from grader.classroom.ray_cluster import grade_on_ray
from grader.course.catalog import UsageError

SIMULATED = Path(__file__).with_name("simulated.py")
without_ray = importlib.util.find_spec("ray") is None


@pytest.mark.skipif(not without_ray, reason="Ray is installed")
def test_without_ray_one_sentence_says_what_to_type(tmp_path):
    with Ledger(tmp_path / "class.sqlite", new=True) as ledger, pytest.raises(UsageError, match=r"pip install .*class"):
        grade_on_ray(ledger, None, 1, None, {}, lambda *_: None)


@pytest.mark.slow
@pytest.mark.skipif(without_ray, reason="Ray is not installed (the extra `class`)")
def test_two_of_four_nodes_are_killed_and_every_result_is_there_once(tmp_path):
    from ray.cluster_utils import Cluster

    count, log, told = 200, tmp_path / "log", []
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1, memory=4 << 30) for _ in range(4)]

    def tell(submitted: Submitted, result) -> None:
        told.append(submitted.learner)
        if len(told) in (30, 60):
            cluster.remove_node(nodes.pop(), allow_graceful=False)

    try:
        with Ledger(tmp_path / "class.sqlite", new=True) as ledger:
            for number in range(count):
                text = "die" if number == 100 else f"{number % 4} {number}"
                ledger.add(Submitted(f"person {number}", "01_vector_add", text, "x.cu", number))
            command = [sys.executable, str(SIMULATED), str(log)]
            grade_on_ray(ledger, cluster.address, 1, 60.0, {}, tell, command)
            rows = {int(row.key.learner.partition(" ")[2]): row.result for row in ledger.rows()}
            assert [key.learner for key in ledger.to_grade()] == ["person 100"]
    finally:
        cluster.shutdown()
    assert len(nodes) == 2 and rows.pop(100).status == "not_graded"
    assert len(rows) == count - 1 and all(result.stars == number % 4 for number, result in rows.items())
    assert sorted(Counter(told).values()) == [1] * count
    begun = log.read_text().splitlines()
    assert len(set(begun)) == count  # each was begun, a few twice
