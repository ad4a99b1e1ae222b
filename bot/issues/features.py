"""The numbers the offline judge's rules read, by stable name."""

import re
from math import log1p

from bot.issues.breakage import says_how_it_ends, says_it_breaks
from bot.issues.language import specific_words
from bot.issues.signs import Signs, is_answered, without_commands, without_links

_OPENING = 2_000  # characters in which a report that says little else says that something fails, and when


def features_of(signs: Signs, readable: bool, images: int) -> dict[str, float]:
    """Every feature; `readable` says whether the wording could be read at all. images: how many a reader sees."""
    told = f"{signs.title}\n{signs.prose[:_OPENING]}"
    return {
        "specific_words": float(len(signs.words)),
        "concrete": float(len(signs.identifiers) + len(signs.literals)),
        "title_words": float(len(specific_words(without_links(without_commands(signs.title))))),
        "body_words": float(len(specific_words(signs.prose))),
        "images": float(images),
        "empty_sections": float(len(signs.empty_sections)),
        "filled_sections": float(sum(map(is_answered, signs.sections))),
        "opening_words": float(sum(len(specific_words(each.text)) for each in signs.sections if not each.heading)),
        "trace": float(signs.trace is not None),
        "numbered": float(signs.numbered),
        "prose_words": float(len(signs.prose.split())),
        "code_blocks": float(len(signs.code)),
        "code_lines": float(sum(block.text.count("\n") + 1 for block in signs.code)),
        "source_files": float(len(_source_files(signs))),
        "runnable": float(signs.runnable is not None),
        "command": float(signs.command is not None),
        "error": float(signs.error is not None),
        "observed": float(signs.observed is not None),
        "expected": float(signs.expected is not None),
        "expectation_implied": float(signs.expectation_implied),
        "steps": float(signs.steps is not None),
        "breaks": float(says_it_breaks(told)),
        "ends": float(says_how_it_ends(told)),
        "when": float(says_when(told)),
        "version": float(signs.version is not None),
        "goal": float(signs.goal is not None),
        "guesses": log1p(len(signs.guesses)),
        "links": log1p(len(signs.links)),
        "readable": float(readable),
    }


_SOURCE_FILE = re.compile(
    r"[\w./-]{1,200}\.(?:py|pyx|js|jsx|ts|tsx|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|scala)(?!\w)"
)


def _source_files(signs: Signs) -> set[str]:
    """The different source files that a report names, in prose, traces or code, by their last name."""
    texts = (signs.title, signs.prose, *(block.text for block in signs.code))
    return {found.rpartition("/")[2] for text in texts for found in _SOURCE_FILE.findall(text)}


# Written without spaces between words, so each may stand anywhere.
_UNSPACED = (
    "时候?|時候?|之?后|之?後|如果|每次|一旦|[点點]击|[点點]擊|打开|打開|选择|選擇|输入|輸入|执行|執行|运行|運行",
    "とき|時に|際に|(?:する|した|押す|開く|選ぶ)と|すると|したら|た後|クリック|押[しす]|選択|入力|実行",
    "(?:할|될|열|누를|켤|쓸)\\s?때|하면|[으]?면\\s|후에|클릭|누르|선택|실행",
)


_SPACED = (
    r"when(?:ever)?|after|while|if|every time|each time|as soon as|during|upon|once",
    r"когда|если|при|после|нажим\w+|нажат\w+|каждый раз",
    r"коли|якщо|при|після|натис\w+|щоразу",
    r"cuando|al \w+r|después de|tras|cada vez|mientras",
    r"quando|ao \w+r|depois de|após|sempre que",
    r"quand|lorsqu\w*|en \w+ant|après|dès|chaque fois|au moment",
    r"wenn|sobald|beim|nach|nachdem|klick\w*|jedes mal|falls",
    r"dopo|ogni volta|appena|cliccando",
    r"gdy|kiedy|jeśli|jeżeli|podczas|po (?:\w+niu|aktualizacji)|klik\w+",
    r"\w{3,}(?:[ıiuü]nca|[ıiuü]nce|erken|arken|d[ıiuü]ğ[ıiuü]nda)|sonra|eğer|her seferinde|tıkla\w+",
    r"saat|ketika|kalau|jika|setelah|sesudah|setiap kali|waktu",
    r"khi|nếu|lúc|mỗi lần|bấm|nhấn",
    r"als ik|wanneer|zodra|nadat|telkens",
    r"عند|عندما|إذا|بعد|كلما",
)


_PATTERN = re.compile("|".join((*_UNSPACED, *(rf"(?<!\w)(?:{words})(?!\w)" for words in _SPACED))), re.I)


def says_when(text: str) -> bool:
    """Whether a text in one of these languages tells of a moment, a condition or a step."""
    return bool(_PATTERN.search(text))
