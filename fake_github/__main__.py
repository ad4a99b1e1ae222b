"""The fake GitHub as a process: `python -m fake_github`. It prints one line: a JSON object with its addresses."""

import json
import threading
from pathlib import Path

import click

from fake_github import FakeGitHub
from fake_github.access import new_private_key


@click.command()
@click.option("--port", default=0, help="Where to listen on loopback; 0 picks a free port.")
@click.option("--key-file", type=click.Path(dir_okay=False, path_type=Path), help="The App's key; made when absent.")
@click.option("--webhook-url", help="Where webhooks go.")
@click.option("--repository", default="acme/widgets", show_default=True, help="A repository with the App installed.")
def main(port: int, key_file: Path | None, webhook_url: str | None, repository: str) -> None:
    """Run a fake GitHub on loopback until it is interrupted."""
    if key_file and not key_file.exists():
        key_file.touch(mode=0o600)
        key_file.write_text(new_private_key())
    fake = FakeGitHub(port=port, private_key=key_file.read_text() if key_file else None)
    fake.app.webhook_url = webhook_url
    with fake:
        fake.create_repository(repository, collaborators={"maintainer": "maintain"})
        installation = fake.install(repository.partition("/")[0], [repository])
        shown = {"url": fake.url, "web_url": fake.web_url, "app_id": fake.app.id, "installation": installation}
        click.echo(json.dumps(shown))
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
