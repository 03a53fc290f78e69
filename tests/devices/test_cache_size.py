"""How much a cache holds, while others put files there and take them away."""

from __future__ import annotations

import os

from grader.devices.cache import bytes_within


def test_a_file_that_is_gone_before_it_is_looked_at_counts_nothing(tmp_path, monkeypatch):
    (tmp_path / "build").mkdir()
    for name in ("kept", "gone"):
        (tmp_path / "build" / name).write_bytes(bytes(100))
    lstat = os.lstat

    def asked(path, **how):
        if str(path).endswith("gone"):
            os.unlink(path)
        return lstat(path, **how)

    monkeypatch.setattr(os, "lstat", asked)
    assert bytes_within(tmp_path) == 100
    assert bytes_within(tmp_path / "nowhere") == 0
