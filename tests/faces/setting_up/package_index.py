"""An index of packages on 127.0.0.1, with wheels that are made up, and with the faults that networks have."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import platform
import re
import subprocess
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
TORCH_TAG = f"{TAG}-{TAG}-manylinux_2_17_{platform.machine()}"


def make_wheel(name: str, version: str, requires: tuple[str, ...] = (), says: str = "", padding: int = 0) -> bytes:
    """A wheel of one module, `name.said`; with so many bytes that cannot be compressed."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {
        f"{name}.py": f"said = {says!r}\n".encode(),
        f"{info}/METADATA": (metadata + "".join(f"Requires-Dist: {each}\n" for each in requires)).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if padding:
        files[f"{name}.bin"] = hashlib.shake_128(name.encode()).digest(padding)
    hashes = {
        path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=") for path, data in files.items()
    }
    record = "".join(f"{path},sha256={digest.decode()},{len(files[path])}\n" for path, digest in hashes.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return wheel.getvalue()


def copy_environment(source: Path, target: Path) -> Path:
    """Copies an environment and returns its Python."""
    subprocess.run(["cp", "-a", source, target], check=True)
    return target / "bin" / "python"


class PackageIndex:
    """`/simple` and `/cpu` on a port of its own; the faults are attributes to set."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}  # by "simple/NAME-VERSION-TAG.whl"
        self.hashes: dict[str, str] = {}  # that are told instead of the true ones
        self.asked: list[str] = []  # "GET /cpu/torch/", "GET /files/... bytes=100-"
        self.cuts: list[int] = []  # the next answers with a wheel end after so many bytes
        self.ranges = True  # whether a part of a file can be asked for
        self.json = False  # PEP 691 instead of PEP 503
        self.late = 0.0  # seconds until the index of CPU builds answers
        self.instead = ""  # what a page says instead of what it should
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.answer(self)

            def do_HEAD(self) -> None:
                index.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, place: str, name: str, version: str, requires: tuple[str, ...] = (), tag: str = "py3-none-any",
            says: str = "", padding: int = 0) -> bytes:  # fmt: skip
        """Offers a wheel in `simple` or `cpu`, and returns it."""
        wheel = make_wheel(name, version, requires, says, padding)
        self.files[f"{place}/{name}-{version}-{tag}.whl"] = wheel
        return wheel

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    # ---- the answers ----

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        part = request.headers.get("Range", "")
        self.asked.append(f"{request.command} {request.path} {part}".strip())
        path = unquote(request.path).strip("/")
        if path.startswith("files/"):
            data = self.files.get(path.removeprefix("files/"))
            self._file(request, data, part) if data else request.send_error(404)
        else:
            place, _, name = path.partition("/")
            time.sleep(self.late if place == "cpu" else 0.0)
            self._page(request, place, [each for each in self.files if self._project(each) == (place, name)])

    @staticmethod
    def _project(file: str) -> tuple[str, str]:
        place, _, wheel = file.partition("/")
        return place, re.sub(r"[-_.]+", "-", wheel.split("-")[0])

    def _page(self, request: BaseHTTPRequestHandler, place: str, files: list[str]) -> None:
        if not files:
            return request.send_error(404)
        hashes = {each: self.hashes.get(each, hashlib.sha256(self.files[each]).hexdigest()) for each in files}
        rows = [(each.partition("/")[2], f"/files/{quote(each)}", hashes[each]) for each in files]
        if self.json:
            listed = [{"filename": name, "url": url, "hashes": {"sha256": sha256}} for name, url, sha256 in rows]
            text, kind = json.dumps({"files": listed}), "application/vnd.pypi.simple.v1+json"
        else:
            text = "".join(f'<a href="{url}#sha256={sha256}">{name}</a>\n' for name, url, sha256 in rows)
            kind = "text/html"
        text = self.instead or text
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(text.encode())))
        request.end_headers()
        request.wfile.write(text.encode())

    def _file(self, request: BaseHTTPRequestHandler, data: bytes, part: str) -> None:
        first = int(part.removeprefix("bytes=").partition("-")[0]) if part and self.ranges else 0
        if first >= len(data):
            return request.send_error(416)
        request.send_response(206 if first else 200)
        request.send_header("Content-Type", "application/octet-stream")
        request.send_header("Content-Length", str(len(data) - first))
        request.end_headers()
        if request.command == "GET":
            sent = data[first:]
            request.wfile.write(sent[: self.cuts.pop(0)] if self.cuts else sent)
            request.close_connection = True
