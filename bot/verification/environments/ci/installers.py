"""What uv, Poetry, PDM and Pipenv install, by the options of their command lines."""

from collections.abc import Sequence

from bot.verification.environments.manifests import Manifests, mapping
from bot.verification.environments.python import OF_DEVELOPMENT, Needs, groups_of

_NO_DEFAULT = {"--no-dev", "--no-default-groups", "--prod", "--no-default", "--production"}


def needs_of(tool: str, manifests: Manifests, words: Sequence[str]) -> Needs:
    """What `TOOL sync`, `TOOL install` or `uv run` installs with these options."""
    project = manifests.toml("pyproject.toml")
    own, groups = mapping(project, "tool", tool), groups_of(manifests)
    extras = [*mapping(project, "project", "optional-dependencies"), *mapping(own, "extras")]
    both = values(words, "-G", "--with" if tool != "uv" else "-dG")  # PDM has one option for both
    asked = [*both, *values(words, "--group", "-dG")]
    wanted = [*both, *(each for value in values(words, "--extra", "-E", "--extras") for each in value.split())]
    every = ":all" in both or "-G:all" in words
    default = [name for name in groups if not mapping(own, "group", name).get("optional")]
    if tool in ("uv", "pipenv"):
        said = own.get("default-groups", ["dev"])
        default = [*groups] if said == "all" else [OF_DEVELOPMENT, *(said if isinstance(said, list) else ())]
    if _NO_DEFAULT & set(words) or (tool == "pdm" and asked):
        default = []
    only, left = values(words, "--only-group", "--only"), values(words, "--no-group", "--without")
    chosen = only or ([*groups] if every or "--all-groups" in words else [*default, *asked])
    return Needs(
        [each for each in extras if every or "--all-extras" in words or each in wanted],
        values(words, "--with-requirements"),
        values(words, "--with") if tool == "uv" else [],
        [each for each in chosen if each not in left],
        package=tool in ("poetry", "pdm") or (tool == "uv" and not only and "--no-install-project" not in words),
    )


def values(words: Sequence[str], *names: str) -> list[str]:
    """What options are given, those with commas apart."""
    found = [words[at + 1] for at, word in enumerate(words[:-1]) if word in names]
    found += [word.partition("=")[2] for word in words if word.partition("=")[0] in names and "=" in word]
    return [each for value in found for each in value.split(",") if each]
