"""Prompt templates: `prompts/NAME.md`, Markdown with Jinja blocks `system` and `user` under a YAML front matter.

The front matter names the prompt, its version and the JSON schema of its answer, unless it opens a conversation. The
version goes up whenever anything in the file changes (a test holds that), because a judgement is only comparable with
others of the same version.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml
from jinja2 import StrictUndefined, Template
from jinja2.sandbox import SandboxedEnvironment


@dataclass(frozen=True, slots=True)
class Prompt:
    """One loaded template. `schema` is the answer's JSON schema, its properties in the order they are to be written.
    characters: of the whole file, roughly what is sent beside the values. digest: of the whole file, for who keeps
    answers: those to another text are none."""

    name: str
    version: int
    schema: Mapping[str, Any]
    template: Template
    characters: int
    digest: str

    @property
    def title(self) -> str:
        """How verdicts name it, e.g. `issue-specification/2`."""
        return f"{self.name}/{self.version}"

    def messages(self, **values: str) -> tuple[dict[str, str], ...]:
        """The chat messages. Values are inserted as they are, never read as templates."""
        return tuple({"role": role, "content": self._block(role, values)} for role in ("system", "user"))

    def _block(self, name: str, values: Mapping[str, str]) -> str:
        context = self.template.new_context(dict(values))
        return "".join(self.template.blocks[name](context)).strip()


@cache
def load(name: str) -> Prompt:
    """The packaged prompt of that name. Raises FileNotFoundError when there is none."""
    return parse(resources.files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8"))


def parse(source: str) -> Prompt:
    """A prompt from the text of its file. Raises ValueError when the front matter is missing."""
    opening, front, body = source.split("---\n", 2)
    if opening:
        raise ValueError("a prompt starts with its front matter")
    about = yaml.safe_load(front)
    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    template, schema = environment.from_string(body), about.get("schema", {})
    digest = hashlib.sha256(source.encode()).hexdigest()
    return Prompt(about["name"], about["version"], schema, template, len(source), digest)


def digest_of_all() -> str:
    """Of every packaged prompt, for what is asked with many of them."""
    files = sorted(file.name for file in resources.files("prompts").iterdir() if file.name.endswith(".md"))
    told = "\0".join(load(name.removesuffix(".md")).digest for name in files)
    return hashlib.sha256(told.encode()).hexdigest()
