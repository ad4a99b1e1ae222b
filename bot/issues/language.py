"""Which language a report's prose is in, and which of its words say nothing about any project in particular.

The script decides where a language has its own, and common words where a text is plainly English or has many of one
language. Only what is left goes to py3langid, a model of 139 languages, which takes a second and 120 MB to load. Where
anything is in doubt the answer is English or `und`, for which Bouncer writes English: whoever files an issue on GitHub
can read it.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from bot.child_process import in_a_child

_MARKS = "\u064b-\u0652\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e"  # Arabic, Devanagari, Thai: parts of words
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_MARKS}])*(?:['’][^\W\d_]+)?")
_LONGEST = 4_000  # characters read; more does not make the guess better
_SURE = 0.8  # of py3langid's probability; below it nothing is said

# Letters of a language, and how much of a word each is.
_SCRIPTS = tuple(
    (code, re.compile(f"[{letters}]"), share)
    for code, letters, share in (
        ("ja", "\u3040-\u30ff", 1.0),
        ("ko", "\uac00-\ud7af", 1.0),
        ("zh", "\u4e00-\u9fff", 1.0),
        ("ru", "\u0400-\u04ff", 0.5),
        ("ar", "\u0600-\u06ff", 0.5),
        ("he", "\u0590-\u05ff", 0.5),
        ("el", "\u0370-\u03ff", 0.5),
        ("hi", "\u0900-\u097f", 0.5),
        ("th", "\u0e00-\u0e7f", 0.5),
    )
)
_UKRAINIAN = frozenset("іїєґІЇЄҐ")
_RUSSIAN = frozenset("ыэёЫЭЁ")
_NEITHER = frozenset("ўјљњћђџѓќѕәғқңөұүһЎЈЉЊЋЂЏЃЌЅӘҒҚҢӨҰҮҺ")  # Belarusian, Serbian, Kazakh and more
# What holds words together in Chinese, Japanese and Korean.
_GRAMMAR = re.compile(r"[的了不是我在有后後时時请請吗嗎没沒无無用会會\u3041-\u3096\uac00-\ud7af]")
_HARD = frozenset("ъЪ")  # between consonants a vowel of Bulgarian
_QUOTED = re.compile(r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|'[^'\n]{3,300}'(?!\w)")  # by programs
_CODE = re.compile(r"[_/\\=<>{}\[\]#@\d]|\w[.(:]\w|\(\)")  # in a word of Latin letters
_PERSIAN = frozenset("پچژگ")

_COMMON = {
    "en": "the is are was a an of to and in it this that when i not with for on be but have from as if or does "
    "should can my you we after no would using use get which there how what please works work error doesn't "
    "don't can't",
    "de": "der die das und ist nicht ich ein eine mit es wenn auf den dem von zu im wird bei nach wie kann kein "
    "auch aber habe beim sich für bitte geht funktioniert wir hat einen wäre oder werden sind nur",
    "fr": "le la les est pas je une des et que dans pour avec ne sur quand du il ce cela ça mais lorsque j'ai "
    "fonctionne marche bonjour merci au aux qui plus c'est n'est l'application après",
    "es": "el la los las es no una que de en para con cuando se del por lo pero al si como esto está funciona hola "
    "gracias favor más hay aplicación después al mi",
    "pt": "o os as é não uma que de em para com quando se do da no na por mas ao isso está funciona olá obrigado "
    "você aplicação mais depois meu minha há também",
    "it": "il lo la gli è non una che di in per con quando si del della ma al se come questo funziona ciao grazie "
    "dopo anche sono nel alla più",
    "nl": "de het een is niet ik en van op met als het dat wanneer voor te bij werkt maar kan geen deze er wordt naar",
    "pl": "nie jest się na że do to jak gdy po przy działa ale dla mi czy błąd proszę przez może jeśli",
    "tr": "bir ve bu için değil ile ama çalışmıyor olarak zaman sonra var yok hata lütfen gibi daha",
    "sv": "och att det är inte jag en ett på med när som för av till den fungerar men kan har om",
    "vi": "không là và của tôi khi bị có được cho này với lỗi các một vào",
    "id": "tidak yang dan di ini saya untuk dengan ketika dari ada bisa itu pada akan sudah mohon",
    "cs": "je se na není že když jako ale pro při nefunguje prosím jsem který",
}
_VOCABULARY = {code: frozenset(words.split()) for code, words in _COMMON.items()}

# What else says nothing: English, German, French, Spanish, Portuguese, Italian, Dutch, Russian, Ukrainian and more.
_IN_ANY_REPORT = """
about above again all almost already also always am any anybody anyone anything asap at away back bad badly because been
before being best better bit both broke broken bug bugs bugged buggy by came cannot cant check could couldn't crap crash
crashed crashes crashing currently day days dead did didn't different doesnt doing done dont down each else emergency
errors etc ever every everybody everyone everything example expected fail failed failing fails failure few find fine
first fix fixed fixing functionality garbage gets getting give gives go goes going good got great guys had happen
happened happens happening hard has hasn't haven't having he hello help helped helping here hey hi his hope horrible i'm
i've idea immediately important information instead into isn't isnt issue issues it's its just keep keeps kind kindly
know last later least less let library like literally little long look looking looks lot lots made make makes making
many may maybe me mean might more most much must myself need needed needs never new news next nice nobody none nope
nothing now off often ok okay old once one only other others our out over people perfectly plz pls possible pretty
problem problems project properly question questions quick quickly quite rather really reason release repo repository
resolve same saw say says screenshot see seems seen several shall she shouldn't since so software solution solve some
somebody somehow someone something sometimes somewhere soon sorry start started still stop stopped stops strange stuff
suddenly such support sure take takes tell terrible than thank thanks that's their them then these they thing things
think those though through time times today together told too tool totally tried try trying thx two ugly under unable
understand until up update upgrade urgent urgently us used useless user users uses usual usually very wasn't way week
well went were weird what's where while who whole why will wish without won't wont worked working worse worst wouldn't
wrong wtf yes yesterday yet your program app application code version latest title description tbd todo test ticket
report describe detail details correctly anymore response actual steps rfc reproduce behavior behaviour feature request
attached image picture pic img png jpg ios android gehen nichts funktionieren fehler kaputt hilfe dringend immer noch
mehr hallo danke schnell beheben mir jemand helfen warum seit gestern gar programm alles mein meine wieder rien salut
aide aidez erreur bogue svp problème corriger ca elle un depuis hier toujours encore tout pourquoi comment vite moi nada
ayuda urgente problema arreglar arreglen roto ya desde ayer siempre ayúdenme alguien puede rápido sale erro ajuda
arrumar corrigir quebrado parou niente errore aiuto favore rotto tutto fout kapot alsjeblieft doet meer niets не
работает ничего ошибка помогите пожалуйста срочно проблема исправьте сломано привет спасибо всё все меня это на что
почему опять вообще программа приложение баг так как больше працює помилка допоможіть будь ласка терміново nic pomocy
pilne zepsute mnie yardım acil sorun bozuk hiç fel hjälp snälla jalan rusak tolong bantu masalah hoạt động giúp
improvement improvements improve suggestion suggestions enhancement documentation docs results result wrongly xong nhưng
chạy mọi người mong nhóm phát triển thêm nhiều tính năng mới góp cài min cara pakainya gimana tanya dong sugerencia
sugerencias mejorar deberían faltan cosas запуске запуск вылетает вылетело делать ошибки bekomme bekommen kommt kommen
fehlermeldung machen mache soll sollte muss dein deine ihr ihre euer jetzt dann doch mal leider trotzdem wieso weshalb
jemanden etwas irgendwas ständig dauernd plötzlich seitdem neueste wunsch vorschlag weiß weiss läuft installiert
installieren gestartet starten souci soucis logiciel pouvez vous votre vos notre nos peux pouvoir puis peut quelqu'un
quoi faire sait sais fois mise jour impossible utiliser installé lancer besoin demande tengo tiene hacer qué sé sabe
saben podrían podría pueden puedo usar uso instalé instalar momento vez algo nadie solución solucionar saludos buenas
tardes días tengan instalei consigo conseguir alguém quê porque porquê funcionar pode podem ajudar consertar resolver
bom dia boa tarde tudo estou tenho tem fazer faço aqui gente socorro riesco posso potete sistemare usarlo ieri qualcuno
sa cosa devo ho installato salve buongiorno risolvere aggiornamento sempre continua mam masz zrobić robić robię ktoś
pomoże programem aplikacja aplikacji od wczoraj zawsze ciągle witam dzień dobry problemem naprawić naprawcie uygulama
uygulamam sürekli veriyor yardımcı olur musunuz edin eder misiniz açılmıyor neden nasıl yapmalıyım güncelleme
güncellemeden sonrasında kurdum yükledim programı teşekkürler merhaba arkadaşlar selam bozuldu hep mình bạn mở lên biết
chỉ dùng sao vậy thế nào nhé xin cảm ơn ứng phần mềm hỏng liên tục luôn nhờ hỗ trợ выходит сломалось почините обновления
обновление после снова всегда подскажите знает кто нибудь нужна нужно можно могу может нет есть здравствуйте проблемы
программу приложении установил запустить мой мою моя ошибку нічого виходить робити зламалося полагодьте оновлення після
знову завжди підкажіть хтось знає потрібно можна можу немає вітаю проблеми програму застосунок встановив запустити мій
kenapa punya terus dibantu diperbaiki dibuka aplikasi aplikasinya kak gak ga nggak udah bagaimana caranya banget muncul
padahal selalu krijg steeds foutmelding moet doen hulp graag kunnen jullie iemand weet programma sinds gisteren waarom
altijd geïnstalleerd opnieuw kunt wil mijn får hela tiden vad ska göra någon programmet sedan igår varför alltid hjälpa
לא עובד זה אצלי אפשר עזרה בבקשה יש בעיה באג תודה שלום למה הכל काम नहीं कर रहा है हो रही ऐप कृपया ठीक करें मदद समस्या एरर
لا يعمل تعمل التطبيق البرنامج عندي أرجو المساعدة مشكلة خطأ شكرا ساعدوني عندما هناك
"""
_MOST_IDEOGRAPHS = 8_000  # characters that are searched for what they say
_SAYS_NOTHING = frozenset(_IN_ANY_REPORT.split()).union(*_VOCABULARY.values())
# Chinese, Japanese and Korean put no spaces between words: these stand for the same emptiness.
_SAYS_NOTHING_CJK = re.compile(
    "程序|软件|应用|崩溃|闪退|失败|不能用了?|用不了|不工作|无法使用|没有?反应|不行了?|报错了?|出错了?|有(?:问题|bug)|求助|帮帮?忙|请教?"
    "|谢谢|紧急|尽快|修复|解决|怎么办?|为什么|大佬|你好|一下|错误|问题|无法|不能|坏了"
    "|用着用着|就出|麻烦|看一下|更新之?后|不知道|怎么回事|总是|一直|突然|又"
    "|建议|希望|功能|越来越|强大|请教|有人|在吗|个|一?下|安装|最新"
    "|インストール|しました|よろしく|ましたが|不具合|報告"
    "|動かない|動きません|動作しません|使えません|使えない|エラー|お願いします|助けて|ください"
    "|うまくいきません|うまくいかない|どうすれば|いいですか|なぜ|何故|急に|質問|要望|助け|困って|います"
    "|至急|直して|問題|出ます|です|ます|バグ|何も|こんにちは"
    "|안\\s?(?:돼요|됩니다|되요|되네요)|작동하지 않(?:습니다|아요)|오류|에러"
    "|실행하면|실행|발생|납니다|나요|스크린샷"
    "|설치했는데|설치|계속|자꾸|갑자기|빨리|왜|어떻게|하나요|해요|질문|실행이?|프로그램|앱이?"
    "|도와주세요|부탁드립니다|고쳐\\s?주세요|문제|버그|안녕하세요|제발|긴급"
)
_LATIN = re.compile(r"[A-Za-z]{2,}")
_FEWEST = 2  # words; of fewer nothing is guessed
_MANY = 10  # common words of one language alone that are enough to tell it
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK_RUN = re.compile(f"{_CJK.pattern}+")

NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


# In English alone: a few of them, and nearly nothing of another language, make a text English.
_ENGLISH = _VOCABULARY["en"].difference(
    ("a", "i", "in", "on", "no", "not", "as", "an", "am", "is", "was", "be", "with", "or", "to", "do", "my", "use"),
    ("error", "for", "have", "after"),
)
_ELSEWHERE = {code: words - _VOCABULARY["en"] for code, words in _VOCABULARY.items() if code != "en"}
_ALONE = {
    code: frozenset(word for word in words if sum(word in others for others in _VOCABULARY.values()) == 1)
    for code, words in _ELSEWHERE.items()
}

# What py3langid chooses from: the languages a comment is written in, and their nearest neighbours, which would be taken
# for one of them.
_OFFERED = (
    *("de", "en", "es", "fr", "id", "it", "nl", "pl", "pt", "tr", "vi"),
    *("cs", "da", "fi", "hu", "no", "ro", "sv"),
)


_loading = Lock()


def language(prose: str) -> str:
    """The ISO 639-1 code of the language most of the prose is in, or `und` when there is too little to tell."""
    prose = prose[:_LONGEST]
    told = _QUOTED.sub(" ", prose)
    return (None if told.isascii() else _by_script(told)) or _by_words(told)


def _by_script(told: str) -> str | None:
    """The language whose letters most of the words are in; `None` where they are Latin, or too few are not."""
    letters = sum(map(str.isalpha, told))
    for code, script, share in _SCRIPTS if letters else ():
        found = len(script.findall(told))
        if found / letters <= (0.15 if share == 1.0 else 0.4):
            continue
        latin = [word.lower() for word in _LATIN.findall(told)] if share == 1.0 else []
        if found / 2 < len(latin) and (_english(Counter(latin)) or not _GRAMMAR.search(told)):
            return None  # about two are a word: an English sentence with a few of them in it is about them
        if code == "ru":
            return _by_cyrillic(told)
        return "fa" if code == "ar" and _PERSIAN.intersection(told) else code
    return None


def _by_cyrillic(told: str) -> str:
    if _NEITHER.intersection(told):
        return "und"
    if _UKRAINIAN.intersection(told):
        return "uk"
    return "und" if _HARD.intersection(told) and not _RUSSIAN.intersection(told) else "ru"


def _by_words(told: str) -> str:
    told = " ".join(word for word in told.split() if not _CODE.search(word))
    words = Counter(word.lower() for word in _WORD.findall(told) if len(word) > 1)
    english = _english(words)
    if english > 3 * max(_hits(words, _ELSEWHERE).values()):
        return "en"
    alone = _hits(words, _ALONE)
    first, second = sorted(alone, key=alone.__getitem__, reverse=True)[:2]
    if alone[first] >= _MANY and alone[first] > 2 * max(alone[second], english):
        return first
    if words.total() < _FEWEST or in_a_child():  # which has no time to load a model, and long texts to read
        return "und"
    with _loading:
        model = _model()
    code, sure = model.classify(told)
    return str(code) if sure >= _SURE else "und"


def _hits(words: Counter[str], common: Mapping[str, frozenset[str]]) -> dict[str, int]:
    return {code: sum(words[word] for word in known.intersection(words)) for code, known in common.items()}


def _english(words: Counter[str]) -> int:
    return sum(words[word] for word in _ENGLISH.intersection(words))


@cache
def _model() -> Any:
    """py3langid, loaded where it is needed first: with numpy it takes a second and 120 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(_OFFERED)
    return model


@lru_cache(maxsize=8)  # one report is asked about many times
def specific_words(prose: str) -> tuple[str, ...]:
    """The different words, in order, that could not stand in just any report; two ideographs count as a word."""
    seen: dict[str, None] = {}
    plain = prose.isascii()  # most text is, and needs no look for ideographs
    for word in _WORD.findall(prose if plain else _CJK_RUN.sub(" ", prose)):
        lowered = word.lower().replace("’", "'")
        if len(lowered) > 1 and lowered not in _SAYS_NOTHING:
            seen[lowered] = None
    if plain:
        return tuple(seen)
    ideographs = _CJK.findall(_SAYS_NOTHING_CJK.sub(" ", prose[:_MOST_IDEOGRAPHS]))
    pairs = ["".join(ideographs[at : at + 2]) for at in range(0, len(ideographs) - 1, 2)]
    return (*seen, *pairs)
