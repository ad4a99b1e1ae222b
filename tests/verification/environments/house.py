"""A package index on this machine, wheels for it, and programs that need them."""

import base64
import hashlib
import io
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path

from bot.settings import Settings
from bot.verification.values import Program

# Builds this tree's package as editable, with nothing but the standard library.
BACKEND = """
import zipfile

def build_editable(directory, config_settings=None, metadata_directory=None):
    name = "widget-1.0-py3-none-any.whl"
    requires = "".join(f"Requires-Dist: {line}\\n" for line in open("needs.txt").read().split())
    with zipfile.ZipFile(f"{directory}/{name}", "w") as wheel:
        wheel.writestr("widget.pth", "/work/src\\n")
        info = "widget-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: widget\\nVersion: 1.0\\n{requires}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "widget"
version = "1.0"
dynamic = ["dependencies"]
"""


def widget(code: str = "import helper\nVALUE = helper.VALUE\n", needs: str = "helper", **more: str) -> Program:
    """A program named `widget` that needs packages of the index."""
    files = {
        "pyproject.toml": f"{PROJECT}# {needs}\n",
        "backend.py": BACKEND,
        "needs.txt": needs,
        "src/widget.py": code,
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    return Program(None, {name: text.encode() for name, text in files.items()})


def wheel(name: str, code: str) -> tuple[str, bytes]:
    """A wheel's file name and content."""
    content = io.BytesIO()
    files = {
        f"{name}.py": code,
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    with zipfile.ZipFile(content, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(text)}\n"
        archive.writestr(f"{name}-1.0.dist-info/RECORD", record + f"{name}-1.0.dist-info/RECORD,,\n")
    return f"{name}-1.0-py3-none-any.whl", content.getvalue()


def installed_wheel(name: str) -> tuple[str, bytes]:
    """The wheel of a pure package as it is installed here: its file name and content."""
    found = distribution(name)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in found.files or ():
            if not path.parts[0].startswith("..") and "__pycache__" not in path.parts:
                archive.writestr(str(path), path.read_binary())
    return f"{name}-{found.version}-py3-none-any.whl", content.getvalue()


@contextmanager
def index(wheels: dict[str, str], installed: Iterable[str] = ()) -> Iterator[str]:
    """A package index that holds these modules, one a package, and these packages as they are installed here; its
    address."""
    built = {name: wheel(name, code) for name, code in wheels.items()}
    built |= {name: installed_wheel(name) for name in installed}
    files = dict(built.values())

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            *_, name = self.path.strip("/").split("/")
            if name in files:
                self._send(200, files[name])
            elif name in built:
                self._send(200, f'<a href="/files/{built[name][0]}">{built[name][0]}</a>'.encode())
            elif name.isdecimal():
                self._send(302, b"", f"http://127.0.0.1:{name}/")
            else:
                self._send(404, b"")

        def _send(self, status: int, body: bytes, location: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


def settings(cache: Path, address: str = "") -> Settings:
    return Settings(cache_dir=cache, package_index=address)
