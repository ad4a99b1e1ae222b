"""Words that say when something happens ("when I save", "after the update") in the languages that GitHub is written in
most. A sign that a report says how, and no more."""

import re

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
