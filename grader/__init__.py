"""Imported before torch is: what holds for every process of the grader."""

import os

# torch's threads would look busily for work for a while after each small product, on the processors that compile.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
