"""Projects of Node: what installs them, in which version, and the packages of a workspace."""

import fnmatch
import re
import shlex
from collections.abc import Sequence

from bot import strict_yaml
from bot.verification.environments.manifests import Manifests, mapping, texts

MOST_PACKAGES = 40
_PACKAGE_MANAGER = re.compile(r"(npm|pnpm|yarn)@(\d[\w.-]{0,40})")
# Of a lock file, the newest pnpm that writes it.
_PNPM = {"5": "7", "6": "8", "9": "10"}
_YARN_3 = 7  # the newest of its lock files
_FROZEN = "--frozen-lockfile"


def package_manager(manifests: Manifests, tools: Sequence[str] = ()) -> tuple[str, str]:
    """Its name and version: as `packageManager` says, else as CI asks for it, else as the lock file was written."""
    said = [str(each.json("package.json").get("packageManager", "")) for each in (manifests, manifests.root)]
    for text in [*said, *tools]:
        if found := _PACKAGE_MANAGER.match(text):
            return found[1], found[2]
    for each in (manifests, manifests.root):
        if each.has("pnpm-lock.yaml"):
            first = " ".join(each.lines("pnpm-lock.yaml")[:3])
            lock = re.search(r"lockfileVersion: '?(\d)", first)
            return "pnpm", _PNPM.get(lock[1] if lock else "", "10")
        if each.has("yarn.lock"):
            berry = re.search(r"__metadata:\n  version: (\d+)", "\n".join(each.lines("yarn.lock")[:20]))
            return "yarn", "1" if berry is None else "4" if int(berry[1]) > _YARN_3 else "3"
    return "npm", ""


def install_line(manifests: Manifests, words: Sequence[str] = (), tools: Sequence[str] = ()) -> str:
    """The command line that installs what the project needs. words: as CI has them."""
    name, version = package_manager(manifests, tools)
    rest = list(words[1:]) if words[:1] == [name] or (words and words[0] == name) else []
    if name == "pnpm":
        return f"npx --yes pnpm@{version} {shlex.join(rest or ['install', _FROZEN])}"
    if name == "yarn" and version.startswith("1"):
        return f"npx --yes yarn@{version} {shlex.join(rest or ['install', _FROZEN])}"
    if name == "yarn":
        berry = f"YARN_NODE_LINKER=node-modules npx --yes --package=@yarnpkg/cli-dist@{version} yarn"
        return f"{berry} {shlex.join(rest or ['install', '--immutable'])}"
    if rest:
        return shlex.join(["npm", *rest])
    locked = any(manifests.has(each) for each in ("package-lock.json", "npm-shrinkwrap.json"))
    return "npm ci" if locked else "npm install --no-package-lock"


def packages(manifests: Manifests) -> list[str]:
    """The folders of a workspace's packages."""
    said = manifests.json("package.json").get("workspaces")
    patterns = texts(said) or texts(mapping(said).get("packages"))
    if manifests.has("pnpm-workspace.yaml"):
        try:
            data = strict_yaml.read(manifests.text("pnpm-workspace.yaml")).data
        except strict_yaml.YamlError:
            data = None
        patterns += texts(mapping(data).get("packages"))
    found = dict[str, None]()
    for pattern in patterns:
        clean = pattern.removeprefix("./").rstrip("/")
        if clean.startswith("!"):
            found = {path: None for path in found if not fnmatch.fnmatch(path, clean[1:])}
            continue
        found |= dict.fromkeys(_matching(manifests, clean.split("/"), ""))
    return [path for path in found if path and manifests.has(f"{path}/package.json")][:MOST_PACKAGES]


def _matching(manifests: Manifests, parts: list[str], above: str) -> list[str]:
    if not parts:
        return [above]
    part, rest = parts[0], parts[1:]
    if not set("*?[") & set(part):
        return _matching(manifests, rest, f"{above}/{part}".lstrip("/"))
    names = [name for name in manifests.names(above) if fnmatch.fnmatch(name, part.replace("**", "*"))]
    inside = [f"{above}/{name}".lstrip("/") for name in sorted(names) if name not in ("node_modules", ".git")]
    return [path for name in inside for path in _matching(manifests, rest, name)][:400]
