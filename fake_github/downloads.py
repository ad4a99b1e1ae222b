"""Downloads: files that people attach to a text, and artifacts of workflows.

`/user-attachments/files/ID/NAME` leads on to where a file is kept, and one of a private repository nobody there who is
not signed in, which no App ever is. Addresses of what is kept are signed, so that a token sent there is one given away.
"""

from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from fake_github.world import World

if TYPE_CHECKING:
    from fake_github.server import FakeGitHub


class Attachments:
    """asked: the addresses that were asked for, in order. kept: content by number, and whether it is private."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asked: list[str] = []
        self.kept: dict[int, tuple[bytes, bool]] = {}

    def keep(self, name: str, content: bytes, *, private: bool) -> str:
        """Its address, for the text."""
        with self.world.lock:
            number = self.world.next_id()
            self.kept[number] = (content, private)
        return f"{self.world.web_url}/user-attachments/files/{number}/{quote(name)}"


def downloads_blueprint(world: "FakeGitHub") -> Blueprint:
    downloads = Blueprint("downloads", __name__)

    @downloads.get("/user-attachments/files/<int:number>/<name>")
    def attachment(number: int, name: str) -> BaseResponse:
        world.attachments.asked.append(request.path)
        _, private = world.attachments.kept.get(number, (b"", True))
        return Response("Not Found", 404) if private else redirect(f"/_attached/{number}")

    @downloads.get("/_attached/<int:number>")
    def attached(number: int) -> Response:
        return _content(world.attachments.kept[number][0], "application/octet-stream")

    @downloads.get("/_storage/<int:number>.zip")
    def artifact(number: int) -> Response:
        with world.lock:
            every = {item.id: item.content for run in world.machines.runs.values() for item in run.artifacts}
        return _content(every.get(number), "application/zip")

    return downloads


def _content(content: bytes | None, kind: str) -> Response:
    if "Authorization" in request.headers:
        return Response("Only one auth mechanism allowed", 400)
    return Response(content or b"", 404 if content is None else 200, content_type=kind)
