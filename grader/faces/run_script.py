"""`ladder run script.py`: a script with a PyTorch extension, as if `import grader.emulate` were its first line."""

from __future__ import annotations

import runpy
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.course.catalog import UsageError
from grader.faces.exit import NOT_PASSED


def run_script(files: Sequence[Path], arguments: Sequence[str], exit_zero: bool) -> int:
    """Runs the one script. Returns its exit code, or 1 if there were findings; raises UsageError."""
    script, *more = files
    if more:
        raise UsageError(f"a script runs alone: let {script} load {more[0].name}, and type arguments behind --")
    if not script.is_file():
        raise UsageError(f"there is no file {script}")
    from grader.faces.emulate import EmulatorWarning

    found, show = [], warnings.showwarning

    def shown(message: Warning | str, category: type[Warning], *where: Any, **how: Any) -> None:
        found.extend([message] if issubclass(category, EmulatorWarning) else [])
        show(message, category, *where, **how)

    warnings.showwarning = shown
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    code = _ended(script)
    return NOT_PASSED if found and not exit_zero else code


def _ended(script: Path) -> int:
    """The exit code, as `python script.py` has it."""
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except Exception as error:  # the script's own
        own = error.__traceback__
        while own and own.tb_frame.f_code.co_filename != str(script):
            own = own.tb_next
        traceback.print_exception(type(error), error, own)
        return 1
    return 0
