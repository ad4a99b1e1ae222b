"""Whether a YAML file is only laid out or commented in another way. Pure.

Two questions, and both must say so. The lines: nothing but blank lines, lines that are a comment and blanks at the end
of lines differ. The file: a reader of YAML finds the same in it, so that no such line stands in a script or a text of
several lines, ends one, or breaks the file.
"""

import yaml

LONGEST = 128 * 1024  # characters of a file that are looked at

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C takes a hundredth of the time


def only_layout(before: str, after: str) -> bool:
    """Whether two texts of a YAML file say the same to whatever reads them. What is in doubt is no yes."""
    if max(len(before), len(after)) > LONGEST or before == after:
        return False
    if _lines(before) != _lines(after):
        return False
    told = _told(before)
    return told is not None and told == _told(after)


def _lines(text: str) -> list[str]:
    """The lines that say something, with their indentation. A line that goes on over its end stays as it stands."""
    bare = (line if line.rstrip().endswith("\\") else line.rstrip(" \t") for line in text.split("\n"))
    return [line for line in bare if line and not _is_comment(line)]


def _is_comment(line: str) -> bool:
    """What is printed holds no sign that another reader takes for the end of the line."""
    text = line.lstrip(" ")
    return text.startswith("#") and not text.startswith("#!") and not text.endswith("\\") and text.isprintable()


def _told(text: str) -> list[tuple[object, ...]] | None:
    """All that a reader of YAML is told, in order; `None` where it is none. Aliases are left as they are, so a small
    file stays small."""
    try:
        return [_plain(event) for event in yaml.parse(text, Loader=_Loader)]
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _plain(event: yaml.Event) -> tuple[object, ...]:
    """An event without its place in the file."""
    said = (getattr(event, name, None) for name in ("anchor", "tag", "implicit", "value", "style", "explicit"))
    return (type(event).__name__, *said)
