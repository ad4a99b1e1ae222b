"""Files that people attach to a text: `/user-attachments/files/ID/NAME` leads on to where they are kept, and those of a
private repository to nobody who is not signed in, which no App ever is."""

from urllib.parse import quote

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from fake_github.world import World


class Attachments:
    """asked: the addresses that were asked for, in order."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asked: list[str] = []
        self._kept: dict[int, tuple[bytes, bool]] = {}

    def keep(self, name: str, content: bytes, *, private: bool) -> str:
        """Its address, for the text."""
        with self.world.lock:
            number = self.world.next_id()
            self._kept[number] = (content, private)
        return f"{self.world.web_url}/user-attachments/files/{number}/{quote(name)}"

    def blueprint(self) -> Blueprint:
        pages = Blueprint("attachments", __name__)

        @pages.get("/user-attachments/files/<int:number>/<name>")
        def attachment(number: int, name: str) -> BaseResponse:
            self.asked.append(request.path)
            _, private = self._kept.get(number, (b"", True))
            return Response("Not Found", 404) if private else redirect(f"/_attached/{number}")

        @pages.get("/_attached/<int:number>")
        def content(number: int) -> Response:
            if "Authorization" in request.headers:
                return Response("Only one auth mechanism allowed", 400)
            return Response(self._kept[number][0], content_type="application/octet-stream")

        return pages
