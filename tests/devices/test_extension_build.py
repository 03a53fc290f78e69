"""How a PyTorch extension is compiled for the emulator; what it then does: tests/emulator/test_extension.py."""

from __future__ import annotations

import pytest

from grader.devices.emulator import extension
from grader.devices.emulator.extension import Source

ALL = "-DLADDER_ALL_OF_TORCH"


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """compiled(what g++ says without all of torch, and with it) -> for each time it compiles: whether with all."""

    def build(lean: str, whole: str = ""):
        with_all = []

        def run(command, file, folder):
            if file is None:  # the link
                (folder / "unfinished.so").touch()
                return
            with_all.append(ALL in command)
            if said := whole if ALL in command else lean:
                raise RuntimeError(said)

        monkeypatch.setattr(extension, "_run", run)
        monkeypatch.setattr(extension, "_flags", lambda name, runtime: [])
        monkeypatch.setattr(extension, "_link_flags", lambda runtime: [])
        monkeypatch.setattr(extension.library_of, "runtime_library", lambda cache: tmp_path / "runtime.so")
        extension.build("module", [Source("a.cu", "int x;")], [], tmp_path)
        return with_all

    return build


def test_most_extensions_are_compiled_once(compiled):
    assert compiled("") == [False]


def test_one_that_uses_more_of_torch_gets_all_of_it(compiled):
    assert compiled("a.cu:1: error: 'Linear' is not a member of 'torch::nn'") == [False, True]


@pytest.mark.parametrize("said", ["a.cu:1: error: 'torch::jit' has not been declared", "a.cu:1: error: expected ';'"])
def test_a_slip_is_told_in_the_words_of_the_last_time(compiled, said):
    with pytest.raises(RuntimeError, match=said):
        compiled(said, said)
