"""`import grader.emulate` at the head of a script: its PyTorch extension runs without a GPU (faces/emulate.py)."""

from grader.faces.emulate import EmulatorWarning as EmulatorWarning
from grader.faces.emulate import load as load
from grader.faces.emulate import load_inline as load_inline
