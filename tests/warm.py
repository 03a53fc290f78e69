"""Python programs for the tests that need a process of their own, and torch: it is imported once for all of them."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["tests.warm_torch"])


def run_python(script: str, *arguments: str | Path, input: str = "") -> subprocess.CompletedProcess[str]:
    """What `python -c script arguments` does, in a second less; the process is a fork of one that has imported torch.

    Its code is negative where a signal ended it.
    """
    with tempfile.TemporaryDirectory() as folder:
        streams = [str(Path(folder, name)) for name in ("stdin", "stdout", "stderr")]
        Path(streams[0]).write_text(input)
        argv = ["-c", *map(str, arguments)]
        process = _server.Process(target=_run, args=(script, argv, streams, dict(os.environ)))
        process.start()
        process.join()
        out, err = (Path(stream).read_text() if Path(stream).exists() else "" for stream in streams[1:])
    return subprocess.CompletedProcess([sys.executable, *argv], process.exitcode, out, err)


def _run(script: str, argv: list[str], streams: Sequence[str], environment: dict[str, str]) -> None:
    for number, (stream, flags) in enumerate(zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)):
        opened = os.open(stream, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww"))
    sys.argv = argv
    os.environ.clear()
    os.environ.update(environment)
    exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})


_LADDER = """
import os, sys
os.chdir(sys.argv[1])
sys.argv[:2] = ["ladder"]
from grader.faces.cli import main
main()
"""


def run_ladder(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """What `ladder arguments` does in a folder, with no standby server and no seconds for imports."""
    return run_python(_LADDER, folder, *arguments)
