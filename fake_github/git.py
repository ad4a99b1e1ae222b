"""The repositories as `git fetch` sees them: git's smart HTTP, answered by git's own `http-backend`.

`https://x-access-token:TOKEN@…/owner/name.git` as on GitHub: anybody may read a public repository, an installation
token opens the private ones it covers, and nobody pushes. Besides branches there is `refs/pull/N/head`.
"""

import os
import subprocess
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from fake_github.access import AccessRefused
from fake_github.objects import make_commit
from fake_github.world import Repo, World

if TYPE_CHECKING:
    from fake_github.server import FakeGitHub

_QUIET = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_CONFIG = """\
[core]
	repositoryformatversion = 0
	bare = true
[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
[http]
	receivepack = false
"""


class GitHost:
    """Bare repositories in a temporary directory, written from the world when somebody asks.

    calls: how often each service was asked of each repository, e.g. `("acme/widgets", "git-upload-pack")`.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.calls: Counter[tuple[str, str]] = Counter()
        self._home = tempfile.TemporaryDirectory(prefix="fake-github-", ignore_cleanup_errors=True)
        self._written: set[tuple[int, str]] = set()

    def directory(self, full_name: str) -> Path:
        """The bare repository, brought up to date. Tests may plant objects and refs in it."""
        with self.world.lock:
            repo = self.world.repo(full_name)
            root = Path(self._home.name, str(repo.id))
            if not root.exists():
                (root / "objects").mkdir(parents=True)
                (root / "refs").mkdir()
                (root / "config").write_text(_CONFIG)
            _put(root / "HEAD", f"ref: refs/heads/{repo.default_branch}\n")
            for commit in repo.commits.values():
                if (repo.id, commit.sha) not in self._written:
                    _, objects = make_commit(commit.files, commit.parent, commit.message, commit.author, commit.at)
                    _write_objects(root, objects)
                    self._written.add((repo.id, commit.sha))
            for name, sha in repo.branches.items():
                _write_ref(root, f"heads/{name}", sha)
            for name in repo.deleted_branches - set(repo.branches):
                (root / "refs" / "heads" / name).unlink(missing_ok=True)
            for issue in repo.issues.values():
                if issue.pull:
                    _write_ref(root, f"pull/{issue.number}/head", issue.pull.head)
            return root

    def diff(self, full_name: str, old: str, new: str) -> bytes:
        """What git prints between two commits, renames found."""
        command = ["git", "diff", "--no-color", "--no-ext-diff", "-M", old, new]
        root = self.directory(full_name)
        return subprocess.run(command, cwd=root, env=_QUIET, capture_output=True, check=True).stdout

    def close(self) -> None:
        self._home.cleanup()


def _write_objects(root: Path, objects: dict[str, bytes]) -> None:
    for sha, whole in objects.items():
        path = root / "objects" / sha[:2] / sha[2:]
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(zlib.compress(whole, 1))


def _write_ref(root: Path, name: str, sha: str) -> None:
    path = root / "refs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, f"{sha}\n")


def _put(path: Path, text: str) -> None:
    """At once: another git may be reading, and takes a repository whose HEAD is empty for none."""
    if not path.exists() or path.read_text() != text:
        fresh = path.with_name(f"{path.name}.lock")  # which git takes for no ref
        fresh.write_text(text)
        fresh.replace(path)


def git_blueprint(world: "FakeGitHub") -> Blueprint:
    git = Blueprint("git", __name__)

    @git.errorhandler(AccessRefused)
    def refuse(error: AccessRefused) -> Response:
        response = Response(f"{error}\n", error.status, content_type="text/plain")
        if error.status == 401:
            response.headers["WWW-Authenticate"] = 'Basic realm="GitHub"'
        return response

    def find(owner: str, name: str) -> Repo:
        """To whoever may not look, GitHub says 401 without credentials and 404 with the wrong ones."""
        if "Authorization" in request.headers:
            sent = request.authorization
            covered = world.access.installation((sent and sent.password) or "?").repositories
            repo = world.access.repository(covered, owner, name, write=False)
            world.access.permit("contents", "read")
            return repo
        try:
            return world.access.repository(set(), owner, name, write=False)
        except AccessRefused:
            raise AccessRefused(401, "Repository not found.") from None

    @git.route("/<owner>/<name>.git/<path:service>", methods=["GET", "POST"])
    def serve(owner: str, name: str, service: str) -> BaseResponse:
        fault = world.traffic.take(request.method, f"/{{owner}}/{{repo}}.git/{service}")
        if fault:
            world.traffic.pause(fault.delay)
            if fault.spoils:
                return Response(fault.message, fault.status or 502)
        with world.lock:
            moved = world.renamed.get(f"{owner}/{name}".lower())
            if moved is not None:
                query = request.query_string.decode()
                address = f"{world.web_url}/{world.repos[moved].full_name}.git/{service}"
                return redirect(f"{address}?{query}" if query else address, 301)
            repo = find(owner, name)
            world.git.calls[repo.full_name, service] += 1
            root = world.git.directory(repo.full_name)
        return _answer(root, service)

    return git


def _answer(root: Path, service: str) -> Response:
    variables = {
        **_QUIET,
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROJECT_ROOT": str(root.parent),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "PATH_INFO": f"/{root.name}/{quote(service)}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query_string.decode(),
        "CONTENT_TYPE": request.content_type or "",
        "CONTENT_LENGTH": str(request.content_length or 0),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "REMOTE_ADDR": request.remote_addr or "",
    }
    done = subprocess.run(["git", "http-backend"], input=request.get_data(), env=variables, capture_output=True)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
    return Response(body, int(headers.pop("Status", "200").split()[0]), headers)
