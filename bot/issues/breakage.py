"""Ways to say "it does not work" in the languages that GitHub is written in most: that something fails, and not what
happens instead. Nouns such as "bug" and "error" are none: they stand above reports that go on to tell."""

import re

# Written without spaces between words, so each may stand anywhere.
_UNSPACED = (
    "崩溃|閃退|闪退|报错|報錯|出错|出錯|失败|失敗|无法|無法|不能|不了|没法|不行|卡死|卡住|白屏|黑屏|打不开|打不開|跑不[通起]|不生效|没有?反应|沒有?反應"
    "|死机|當機|失效|没用|不成功",
    "(?:動|開|使|繋|起動|ログイン)(?:かない|きません|けない|けません|えない|えません|がらない)|できな|できません|できず|落ち[るたま]|失敗"
    "|クラッシュ|固ま[るり]|おかしい",
    "안\\s?[돼되됩]|못\\s?(?:합니다|해|하)|멈[춤추춥췄]|꺼[짐집]|튕[김깁]|실패|작동하지|실행되지|열리지",
)
_SPACED = (
    r"(?:\w{2,6}n['’]?t|not|no longer|stop(?:s|ped)?|cannot|unable to|fail(?:s|ed|ing)? to|impossible to|never)"
    r" (?:\w+ ){0,2}(?:work|run|start|open|load|launch|install|respond|function|connect|log ?in|sign ?in|updat|use"
    r"|access|show|appear|play|help|save|build|compil|finish|react|sync)\w*"
    r"|(?:all|is|are|it['’]s|totally|completely) broken|crash(?:es|ed|ing)?|fail(?:s|ed|ing)?|does nothing"
    r"|nothing (?:happens|works)|ignor(?:es|ed|ing) (?:it|me|my|this|everything|all|the)|dies|freez\w+|hangs|stuck"
    r"|no (?:effect|reaction|response|answer|reply|connection)",
    r"не (?:работ|запуск|открыва|загруж|мог|удал|удаё|удае|получ|подключ|отображ|приход)\w*|вылета\w*|сломал\w*"
    r"|зависа\w*|перестал\w*|краш\w*",
    r"не (?:працю|запуска|відкрива|завантаж|мож|вда)\w*|вилітає|зламал\w*",
    r"no (?:me |se |puedo |puede )?(?:deja|abre|carga|arranca|funciona|inicia|puedo|conecta|instala)\w*"
    r"|se cuelga|roto|falla",
    r"não (?:funciona|consigo|abre|carrega|inicia|responde)\w*|trav(?:a|ou)|quebrad\w+|parou de \w+",
    r"n['e](?: ?(?:marche|fonctionne|arrive|peu[tx]|veut|démarre|s['’]))\w*|plant[eé]\w*|échoue\w*|cassé\w*|bloqué\w*"
    r"|impossible de \w+",
    r"(?:funktioniert|geht|startet|lädt|öffnet)\w* (?:\w+ )?(?:nicht|nix)|stürzt|absturz\w*|kaputt|hängt"
    r"|fehlgeschlagen",
    r"non (?:funziona|riesco|va|parte|si apre|si avvia)\w*|si blocca|si pianta",
    r"nie (?:działa|mogę|można|uruchamia|otwiera|da się|udaje)\w*|zawiesza\w*",
    r"çalışm[ıi]yor\w*|bozuk|olmuyor|aç[ıi]lm[ıi]yor|yapam[ıi]yor\w*|çöküyor",
    r"không (?:được|thể|hoạt động|mở|chạy|\w+ được)|hỏng",
    r"(?:tidak|ga|gak|nggak|engga) (?:bisa|dapat|jalan|berfungsi)|gagal|rusak",
    r"werkt (?:\w+ )?niet|doet het niet|start niet|opent niet|kapot",
    r"لا يعمل|لا تعمل|تعطل|فشل",
)
# Of these the ones that are all there is to see: it ends, it stands still, it does nothing.
_ENDS_UNSPACED = (
    "崩溃|閃退|闪退|卡死|卡住|白屏|黑屏|没有?反应|沒有?反應|死机|當機",
    "落ち[るたま]|クラッシュ|固ま[るり]",
    "멈[춤추춥췄]|꺼[짐집]|튕[김깁]",
)
_ENDS_SPACED = (
    r"crash(?:es|ed|ing)?|dies|freez\w+|hangs|stuck|does nothing|nothing happens|ignor(?:es|ed|ing) \w+"
    r"|no (?:effect|reaction|response|answer|reply)",
    r"вылета\w*|зависа\w*|краш\w*|вилітає",
    r"se cuelga|trav(?:a|ou)|não responde|plant[eé]\w*|stürzt|absturz\w*|hängt|si blocca|si pianta|zawiesza\w*|çöküyor",
)


def _any(unspaced: tuple[str, ...], spaced: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join((*unspaced, *(rf"(?<!\w)(?:{words})(?!\w)" for words in spaced))), re.I)


_PATTERN, _ENDS = _any(_UNSPACED, _SPACED), _any(_ENDS_UNSPACED, _ENDS_SPACED)


def says_it_breaks(text: str) -> bool:
    """Whether a text in one of these languages says that something does not work."""
    return bool(_PATTERN.search(text))


def says_how_it_ends(text: str) -> bool:
    """Whether it says what is seen when it fails: a crash, a standstill or no answer. Nobody need ask what happens."""
    return bool(_ENDS.search(text))
