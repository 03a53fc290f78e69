"""Grades like grader.classroom.grading, by looking at the text: "sleep", "die", or how many stars it says.

python simulated.py LOG [SECONDS]        each kernel takes so long
"""

import json
import os
import sys
import time

seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.002
for line in sys.stdin:
    order = json.loads(line)
    text = order["source"]
    with open(sys.argv[1], "a") as log:
        log.write(text + "\n")
    if text.startswith("die"):
        os._exit(1)
    time.sleep(600 if text.startswith("sleep") else seconds)
    stars = int(text.split()[0]) if text[0].isdigit() else 0
    print(json.dumps({"status": "passed" if stars else "race", "stars": stars, "rungs": {"add": stars}}), flush=True)
