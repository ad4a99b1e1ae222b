"""The fake GitHub as one object: the world, its HTTP server, and handles to look at it and to break it."""

import functools
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from flask import Flask
from werkzeug.routing import Rule
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from fake_github.access import Access, new_private_key, public_half
from fake_github.app_registration import AppRegistration, SignIn, app_registration_blueprint
from fake_github.checks import CheckActions
from fake_github.downloads import Attachments, downloads_blueprint
from fake_github.git import GitHost, git_blueprint
from fake_github.machines import Machines
from fake_github.pages import pages_blueprint
from fake_github.rest import rest_blueprint
from fake_github.traffic import Exchange, Fault, Traffic
from fake_github.views import CheckView, IssueView, view_check, view_issue
from fake_github.webhooks import SentDelivery
from fake_github.world import Token

HOST = "127.0.0.1"


class Route(Rule):
    """A route that prepares what `url_for` needs of it when first asked: else that is most of the work of a start."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        prepared = functools.cache(functools.partial(super()._compile_builder, append_unknown))
        return lambda *given, **values: prepared()(*given, **values)


class Application(Flask):
    url_rule_class = Route


class QuietRequestHandler(WSGIRequestHandler):
    """No line in the log for every request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


class FakeGitHub(CheckActions):
    """See the package's docstring. port 0 picks a free one; `clock` is GitHub's clock, not the server's."""

    def __init__(
        self,
        *,
        port: int = 0,
        slug: str = "bouncer",
        app_id: int = 4242,
        private_key: str | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.private_key = private_key or new_private_key()
        super().__init__(app_id=app_id, slug=slug, public_key=public_half(self.private_key), clock=clock)
        self.traffic = Traffic()
        self.access = Access(self)
        self.machines = Machines(self)
        self.git = GitHost(self)
        self.sign_in = SignIn(self)
        self.attachments = Attachments(self)
        self.registration = AppRegistration(self, self.sign_in)
        self._port = port
        self._server: BaseWSGIServer | None = None

    # Its life

    def start(self) -> None:
        """Listen; a stopped one comes back under the same address with all it knew."""
        flask = Application(__name__)
        flask.context_processor(lambda: {"app": self.app, "bot": self.bot})
        flask.register_blueprint(rest_blueprint(self))
        flask.register_blueprint(git_blueprint(self))
        flask.register_blueprint(downloads_blueprint(self))
        flask.register_blueprint(app_registration_blueprint(self, self.registration))
        flask.register_blueprint(self.sign_in.blueprint())
        flask.register_blueprint(pages_blueprint(self))
        flask.add_url_rule("/_fake/state", view_func=self._state)
        self._server = make_server(HOST, self._port, flask, threaded=True, request_handler=QuietRequestHandler)
        self._port = self._server.server_port
        self.web_url = f"http://{HOST}:{self._port}"
        self.url = f"{self.web_url}/api/v3"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), name="fake-github", daemon=True).start()
        self.webhooks.start()

    def stop(self) -> None:
        """Stop listening; connections are refused from now on."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def close(self) -> None:
        self.traffic.close()
        self.stop()
        self.webhooks.stop()
        self.git.close()

    def __enter__(self) -> "FakeGitHub":
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    # Addresses and secrets

    def environment(self) -> dict[str, str]:
        """The variables that make Bouncer talk to this GitHub, secrets included. Writes are not paced here."""
        return {
            "BOUNCER_APP_ID": str(self.app.id),
            "BOUNCER_PRIVATE_KEY": self.private_key,
            "BOUNCER_WEBHOOK_SECRET": self.app.webhook_secret,
            "BOUNCER_CLIENT_ID": self.client[0],
            "BOUNCER_CLIENT_SECRET": self.client[1],
            "BOUNCER_GITHUB_API_URL": self.url,
            "BOUNCER_GITHUB_WEB_URL": self.web_url,
            "BOUNCER_SECONDS_BETWEEN_WRITES": "0",
        }

    # Looking at it

    def issue(self, repo_name: str, number: int) -> IssueView:
        with self.lock:
            return view_issue(self.repo(repo_name).issues[number])

    def checks(self, repo_name: str) -> list[CheckView]:
        with self.lock:
            return [view_check(run) for run in self.repo(repo_name).checks.values()]

    def _state(self) -> dict[str, Any]:
        """For whoever has this GitHub as a process of its own: issues and checks of each repository."""
        with self.lock:
            return {
                name: {
                    "issues": [asdict(self.issue(name, number)) for number in repo.issues],
                    "checks": [asdict(check) for check in self.checks(name)],
                }
                for name, repo in ((each.full_name, each) for each in self.repos.values())
            }

    def calls(self) -> Counter[tuple[str, str]]:
        """How often each (method, OpenAPI route) was called since the last `forget_calls`."""
        return Counter((call.method, call.route) for call in list(self.traffic.exchanges))

    def writes(self, repo_name: str = "", number: int | None = None) -> list[Exchange]:
        """Calls that changed something, tokens apart, oldest first; of one repository or issue if named."""
        calls = [call for call in list(self.traffic.exchanges) if call.took_effect]
        found = [call for call in calls if not call.route.endswith("/access_tokens")]
        if repo_name:
            found = [call for call in found if call.path.lower().startswith(f"/repos/{repo_name.lower()}/")]
        if number is not None:
            found = [call for call in found if call.parameters.get("issue_number") == number]
        return found

    def forget_calls(self) -> None:
        self.traffic.exchanges.clear()

    @property
    def deliveries(self) -> list[SentDelivery]:
        """Every webhook delivery so far, redeliveries included, oldest first."""
        return list(self.webhooks.deliveries)

    def wait_for_webhooks(self, timeout: float = 30.0) -> None:
        """Return when everything emitted so far was tried."""
        self.webhooks.wait(timeout)

    def attach(self, name: str, content: bytes, *, private: bool = False) -> str:
        """Upload a file as GitHub's text fields do; its address. private: in a private repository."""
        return self.attachments.keep(name, content, private=private)

    # Breaking it

    def fail(self, status: int = 502, times: int = 1, **how: Any) -> None:
        """The next calls get this status; how: as `Fault` has it."""
        self.traffic.add(Fault(times, status=status, **how))

    def drop(self, times: int = 1, **how: Any) -> None:
        """The next calls lose their connection without an answer."""
        self.traffic.add(Fault(times, drop=True, **how))

    def halve(self, half: str = "cut", times: int = 1, **how: Any) -> None:
        """The next calls do their work, and their answer ends in its middle; see `Fault.half`."""
        self.traffic.add(Fault(times, after_effect=True, half=half, **how))

    def slow_down(self, seconds: float, times: int = 1, **how: Any) -> None:
        """The next calls take so long; with `after_effect` the work is done at once and only the answer is late."""
        self.traffic.add(Fault(times, delay=seconds, **how))

    def limit_rate(self, *, retry_after: int | None = None, reset_in: int | None = None, times: int = 1) -> None:
        """Refuse the next calls for a secondary (`retry_after`) or the primary rate limit (`reset_in`), in seconds."""
        if reset_in is not None:
            reset = int((self.now() + timedelta(seconds=reset_in)).timestamp())
            headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
            self.fail(403, times, message="API rate limit exceeded for installation ID 1.", headers=headers)
            return
        message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        self.fail(403, times, message=message, headers={"retry-after": str(retry_after)} if retry_after else {})

    def lose_webhooks(self, count: int) -> None:
        """The next deliveries never arrive; they can be redelivered."""
        self.webhooks.lose_next += count

    def expire_tokens(self) -> None:
        """All installation tokens given out so far stop working."""
        with self.lock:
            past = self.now() - timedelta(seconds=1)
            self.tokens = {name: Token(item.installation, past) for name, item in self.tokens.items()}
