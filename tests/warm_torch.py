"""Imported by the process that tests/warm.py forks from: what builds and commands need, without starting CUDA before
the fork, nor a thread.
"""

import grader.devices.build.build
import grader.devices.build.program_rules
import grader.devices.cuda.compile
import grader.devices.emulator.compile
import grader.faces.check
import grader.faces.cli
import grader.faces.ran
import grader.faces.run
import grader.report.program
import grader.report.terminal  # noqa: F401
from grader.devices.build import frontend
from grader.devices.emulator.library import runtime_content
from grader.devices.worker.server import import_torch

import_torch()
frontend.warm()
runtime_content()
