"""One large file from an index of Python packages: listed, fetched in as many goes as it takes, and proved by its hash.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import html.parser
import http.client
import json
import os
import queue
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urljoin, urlsplit

STALLED = 30.0  # seconds without a byte after which a connection counts as lost
TRIES = 5  # connections in a row that bring no byte; a byte begins the count again
CHUNK = 1 << 18

Failures = (OSError, http.client.HTTPException, ValueError)  # what a connection and its answer may end in


class InstallError(Exception):
    """The packages cannot be installed. Its text is one sentence: why, and what to do."""


class DownloadError(InstallError):
    """A file cannot be had. Its text says why."""


@dataclass(frozen=True)
class Wheel:
    """A file that an index offers; those without a hash are not listed."""

    name: str
    url: str
    sha256: str


def list_wheels(index: str, project: str, patience: float) -> list[Wheel]:
    """What an index offers of a project. Raises DownloadError, also if no answer begins within so many seconds."""
    request = urllib.request.Request(
        f"{index.rstrip('/')}/{project}/", headers={"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.1"}
    )
    try:
        with _within(patience, lambda: _open(request)) as answer:
            text, kind, base = answer.read().decode(), answer.headers.get_content_type(), answer.url
        found = _from_json(text) if kind.endswith("json") else _from_page(text)
    except (*Failures, LookupError, TypeError) as error:
        raise DownloadError(reason(error)) from error
    return [Wheel(name, urljoin(base, url), sha256) for name, url, sha256 in found if sha256]


def _from_json(text: str) -> list[tuple[str, str, str]]:
    """PEP 691."""
    files = [each for each in json.loads(text)["files"] if not each.get("yanked")]
    return [(each["filename"], each["url"], each["hashes"].get("sha256", "")) for each in files]


def _from_page(text: str) -> list[tuple[str, str, str]]:
    """PEP 503: links, with the hash behind the `#`."""
    links: list[tuple[str, str, str]] = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            url, _, sha256 = (dict(attrs).get("href") or "").partition("#sha256=")
            if tag == "a" and "data-yanked" not in dict(attrs):
                links.append((unquote(urlsplit(url).path.rpartition("/")[2]), url, sha256))

    Reader().feed(text)
    return links


def _within(seconds: float, ask: Callable[[], Any]) -> Any:
    """What `ask` returns or raises; TimeoutError after so many seconds. A time-out of urllib does not limit DNS."""
    answers: queue.Queue[Any] = queue.Queue()

    def work() -> None:
        try:
            answers.put((ask(), None))
        except Exception as error:
            answers.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        answer, error = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if error:
        raise error
    return answer


def _open(request: urllib.request.Request) -> Any:
    context = ssl.create_default_context()
    if certificates := os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE"):
        context.load_verify_locations(certificates)
    return urllib.request.urlopen(request, timeout=STALLED, context=context)


def reason(error: BaseException) -> str:
    """`Connection refused`, without the wrapping that urllib puts around it."""
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    return getattr(inner, "strerror", None) or str(inner) or type(inner).__name__


# ---- the file ----


def size_of(wheel: Wheel) -> int | None:
    """How many bytes it has, as the server says; None if it does not say."""
    try:
        with _open(urllib.request.Request(wheel.url, method="HEAD")) as answer:
            return int(answer.headers["Content-Length"])
    except (*Failures, TypeError):
        return None


def begun(wheel: Wheel, folder: Path) -> int:
    """How many bytes an earlier try has left in the folder."""
    part = _part(wheel, folder)
    return part.stat().st_size if part.exists() else 0


def fetch(wheel: Wheel, folder: Path) -> Path:
    """Puts a wheel into a folder and returns its path, going on where an earlier try stopped. Raises DownloadError.

    Two that fetch the same file wait for one another; the second finds it there.
    """
    whole = folder / wheel.name
    with open(_part(wheel, folder), "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if whole.exists():
            return whole
        went_on = file.tell() > 0
        _fetch_into(file, wheel)
        if went_on and _hash(file) != wheel.sha256:  # what lay there was of another file
            file.truncate(0)
            _fetch_into(file, wheel)
        if _hash(file) != wheel.sha256:
            file.truncate(0)
            raise DownloadError("what arrived is not what its index promises (its SHA-256 differs)")
        os.replace(file.name, whole)
    return whole


def _part(wheel: Wheel, folder: Path) -> Path:
    return folder / f"{wheel.name}.part"


def _hash(file: IO[bytes]) -> str:
    file.flush()
    with open(file.name, "rb") as copy:
        return hashlib.file_digest(copy, "sha256").hexdigest()


def _fetch_into(file: IO[bytes], wheel: Wheel) -> None:
    """Fetches what is missing behind what the file holds, over as many connections as it takes."""
    left = TRIES
    while True:
        before = file.seek(0, os.SEEK_END)
        try:
            return _go_on(file, wheel)
        except Failures as error:
            code = getattr(error, "code", 0)
            if code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                return  # nothing is missing, or the file is another one; its hash will tell
            left = TRIES if file.tell() > before else left - 1
            if not left or 400 <= code < 500:
                raise DownloadError(f"{reason(error)}, with {file.tell() / 1e6:.0f} MB fetched") from error
            time.sleep(0.0 if left == TRIES else 1.0)


def _go_on(file: IO[bytes], wheel: Wheel) -> None:
    here = file.tell()
    request = urllib.request.Request(wheel.url, headers={"Range": f"bytes={here}-"} if here else {})
    with _open(request) as answer:
        if answer.status != http.client.PARTIAL_CONTENT:
            here = file.truncate(0)
        length = answer.headers["Content-Length"]
        total = here + int(length) if length else None
        show = _Progress(wheel.name, here, total)
        try:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                here += len(chunk)
                show(here)
        finally:
            show.close()
    if total and here < total:
        raise ConnectionError("the connection ended early")


class _Progress:
    """One line that is written again and again on a terminal; elsewhere a line for each quarter."""

    def __init__(self, name: str, here: int, total: int | None) -> None:
        self.name, self.first, self.total = name, here, total
        self.start = self.shown = time.monotonic()
        self.terminal = sys.stdout.isatty()
        self.quarter = here * 4 // total if total else 0

    def __call__(self, here: int) -> None:
        now = time.monotonic()
        if self.terminal and (now - self.shown > 0.1 or here == self.total):
            self.shown = now
            print(f"\r  {self._line(here, now)}\033[K", end="", flush=True)
        elif not self.terminal and self.total and (quarter := here * 4 // self.total) > self.quarter:
            self.quarter = quarter
            print(f"  {self._line(here, now)}", flush=True)

    def _line(self, here: int, now: float) -> str:
        rate = (here - self.first) / max(now - self.start, 1e-3)
        share = f"{here / 1e6:.0f} of {self.total / 1e6:.0f} MB" if self.total else f"{here / 1e6:.0f} MB"
        left = f", {(self.total - here) / rate:.0f} s left" if self.total and rate else ""
        return f"{self.name.partition('-cp')[0]}  {share}, {rate / 1e6:.1f} MB/s{left}"

    def close(self) -> None:
        if self.terminal:
            print(flush=True)
