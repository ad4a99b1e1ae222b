"""What happens in the demo: three issues as people write them, and one reply."""

from dataclasses import dataclass

REPOSITORY = "tea-house/kettle"
MAINTAINER = "maintainer"


@dataclass(frozen=True, slots=True)
class Story:
    """One issue of the demo. reply: what the reporter answers once Bouncer has asked, if anything."""

    key: str
    title: str
    body: str
    reply: str | None = None


STORIES = (
    Story(
        key="vague",
        title="Export is broken",
        body="Since the update the export doesn't work anymore. Please fix asap, we really need this!",
    ),
    Story(
        key="clear",
        title="export_csv() drops the last row when the file has no trailing newline",
        body="""\
With kettle 2.4.1 on Python 3.12 (Debian 12), `export_csv()` loses the last record when the input file does not end
with a newline.

### Steps to reproduce

```python
from kettle import Table

open("in.csv", "w").write("name,degrees\\ngreen,80\\nblack,95")  # no newline at the end
table = Table.read("in.csv")
table.export_csv("out.csv")
print(open("out.csv").read())
```

### Actual behaviour

`out.csv` holds the header and `green,80` only. No error is raised.

### Expected behaviour

Both records are written, as in 2.3.0: `green,80` and `black,95`.
""",
    ),
    Story(
        key="clarified",
        title="Crash after the update",
        body="Saving crashes for me. It used to work before. Can somebody look into it?",
        reply="""\
Sure. This is kettle 2.4.1 with Python 3.11 on macOS 14. I run

```python
from kettle import Table

table = Table(columns=["name", "degrees"])
table.save("teas.ktl")
```

and get

```
Traceback (most recent call last):
  File "demo.py", line 4, in <module>
    table.save("teas.ktl")
  File "kettle/table.py", line 212, in save
    header = max(len(row[0]) for row in self.rows)
ValueError: max() iterable argument is empty
```

I expected `save()` to write a file with the two column names and no rows, as it did
in 2.3.0, instead of raising `ValueError`.
""",
    ),
)
