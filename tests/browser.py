"""A headless Chromium for tests, driven by its DevTools protocol over a pipe: no driver, no port, no network."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60.0  # seconds
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    "--no-first-run",
)


def find() -> str | None:
    """The path of a browser; None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser. A context manager: on the way out the browser and its profile are gone."""

    def __enter__(self) -> Browser:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, theirs = os.pipe(), os.pipe()  # what it reads as 3, what it writes as 4
        self.reading, self.writing, self.rest, self.number = theirs[0], ours[1], b"", 0
        self.events: list[dict[str, Any]] = []
        # bash moves the pipes to the numbers that the browser expects
        command = [find(), *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"]
        shell = ["bash", "-c", f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]} 2>/dev/null', "browser", *command]
        self.process = subprocess.Popen(shell, pass_fds=(ours[0], theirs[1]), start_new_session=True)
        os.close(ours[0])
        os.close(theirs[1])
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.reading)
        os.close(self.writing)
        self.profile.cleanup()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer; events that come in between are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        session = {"sessionId": self.session} if hasattr(self, "session") else {}
        os.write(self.writing, json.dumps(message | session).encode() + b"\0")
        while (answer := self._read()).get("id") != self.number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.reading], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            data = os.read(self.reading, 1 << 16)
            assert data, "the browser has ended"
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def open(self, page: Path, width: int, height: int = 800, scheme: str = "light", touch: bool = False) -> None:
        """Loads a file at a width in pixels, light or dark; with `touch` for fingers, with 3 × 3 dots a pixel."""
        self.events.clear()
        screen = {"width": width, "height": height, "deviceScaleFactor": 3 if touch else 1, "mobile": width < 500}
        self.ask("Emulation.setDeviceMetricsOverride", **screen)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=5 if touch else 1)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=page.absolute().as_uri())
        end = time.monotonic() + PATIENCE
        while self.value("document.readyState") != "complete" or self.value("location.protocol") != "file:":
            assert time.monotonic() < end, "the page does not load"

    def swipe(self, *places: tuple[float, float]) -> None:
        """A finger is put on the first place (pixels of the window), goes through the others, and is lifted."""
        for number, (x, y) in enumerate(places):
            kind = "touchMove" if number else "touchStart"
            self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        time.sleep(0.4)  # what comes sooner would be a double tap

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives on this page."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    @property
    def complaints(self) -> list[dict[str, Any]]:
        """What the console and the log have said since the page was opened."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in kinds]

    @property
    def requests(self) -> list[str]:
        """All that the page asked for, itself included."""
        sent = [event for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def picture(self) -> bytes:
        """The whole page as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"])
