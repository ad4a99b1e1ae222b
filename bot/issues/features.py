"""The numbers the offline judge's rules read, by stable name; and what of them is told by words of many languages."""

import re
from math import log1p

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
        "breaks": float(bool(BREAKS.search(told))),
        "ends": float(bool(ENDS.search(told))),
        "when": float(bool(WHEN.search(told))),
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


# Ways to say a thing in the languages that GitHub is written in most. What is written without spaces between words may
# stand anywhere. Nouns such as "bug" and "error" do not say that something fails: they stand above reports that go on
# to tell.
_WHEN_UNSPACED = (
    "时候?|時候?|之?后|之?後|如果|每次|一旦|[点點]击|[点點]擊|打开|打開|选择|選擇|输入|輸入|执行|執行|运行|運行",
    "とき|時に|際に|(?:する|した|押す|開く|選ぶ)と|すると|したら|た後|クリック|押[しす]|選択|入力|実行",
    "(?:할|될|열|누를|켤|쓸)\\s?때|하면|[으]?면\\s|후에|클릭|누르|선택|실행",
)
_WHEN_SPACED = (
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
_BREAKS_UNSPACED = (
    "崩溃|閃退|闪退|报错|報錯|出错|出錯|失败|失敗|无法|無法|不能|不了|没法|不行|卡死|卡住|白屏|黑屏|打不开|打不開|跑不[通起]|不生效|没有?反应|沒有?反應"
    "|死机|當機|失效|没用|不成功",
    "(?:動|開|使|繋|起動|ログイン)(?:かない|きません|けない|けません|えない|えません|がらない)|できな|できません|できず|落ち[るたま]|失敗"
    "|クラッシュ|固ま[るり]|おかしい",
    "안\\s?[돼되됩]|못\\s?(?:합니다|해|하)|멈[춤추춥췄]|꺼[짐집]|튕[김깁]|실패|작동하지|실행되지|열리지",
)
_BREAKS_SPACED = (
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


# That something does not work; what is seen when it does not: a crash, a standstill or no answer; and a moment, a
# condition or a step.
BREAKS, ENDS = _any(_BREAKS_UNSPACED, _BREAKS_SPACED), _any(_ENDS_UNSPACED, _ENDS_SPACED)
WHEN = _any(_WHEN_UNSPACED, _WHEN_SPACED)
