"""Imported by the process that tests/warm.py forks from: what a build needs, without starting CUDA before the fork."""

import grader.devices.build.build
import grader.devices.cuda.compile  # noqa: F401
from grader.devices.worker.server import import_torch

import_torch()
