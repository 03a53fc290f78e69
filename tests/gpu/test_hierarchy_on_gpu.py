"""The memories of this machine's GPU: the further away, the slower."""

from grader.devices.cuda.card import find_card
from grader.faces.hierarchy import measure


def test_nearer_memories_answer_sooner():
    card, _ = find_card()
    found = measure(card)
    near, far = found["global_ns"][str(1 << 14)], found["global_ns"][str(1 << 30)]
    assert 0 < found["shared_ns"] < far and near < far
    assert found["transfer_us"]["to_device_pinned"] > 0
