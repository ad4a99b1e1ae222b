"""Words for "it does not work" in the languages that GitHub is written in most. A sign of a bug report, and no more."""

import re

# Written without spaces between words, so each may stand anywhere.
_UNSPACED = (
    "崩溃|闪退|报错|出错|错误|失败|异常|无法|不能|不了|没法|不行|卡死|卡住|白屏|黑屏|打不开|不生效|没有?反应|丢失|乱码|死机|失效|没用"
    "|不成功|問題|錯誤|無法|當機|失敗",
    "エラー|バグ|(?:動|開|使|繋|起動|ログイン)?(?:かない|きません|けない|けません|えない|えません|がらない)|できな|できません|でき[ずん]"
    "|しない|しません|されない|されません|落ち[るたま]|不具合|失敗|クラッシュ|固ま[るり]|おかしい|消え[るた]",
    "오류|에러|버그|실패|안\\s?[돼되됩]|않(?:습니다|아요|음|는|네)|못\\s?(?:합니다|해|하)|멈[춤추]|꺼[짐집]|튕[김깁]",
)
_SPACED = (
    r"не (?:работ|запуск|открыва|загруж|вид|мог|удал|удаё|удае|получ|подключ|отображ|сохран|приход|наход)\w*|ошибк\w*"
    r"|вылета\w*|пада\w{2,3}|сломал\w*|баги?|зависа\w*|перестал\w*|пропал\w*|неправильно|некорректно|сбой|краш\w*",
    r"не (?:працю|запуска|відкрива|завантаж|мож|вда)\w*|помилк\w*|вилітає|зламал\w*|збій",
    r"no (?:me |se |puedo |puede )?(?:deja|abre|carga|arranca|funciona|inicia|puedo|aparece|conecta|instala)\w*"
    r"|error(?:es)?|fall[aoóa]\w*|problemas?|se cuelga|roto|imposible",
    r"não (?:funciona|consigo|abre|carrega|aparece|inicia|salva|é possível|está)\w*|erros?|falh\w+"
    r"|trav\w+|quebrad\w+|parou",
    r"n['e](?: ?(?:marche|fonctionne|arrive|peu[tx]|veut|démarre|affiche|s['’]))\w*|erreurs?|bugs?|plant[eé]\w*"
    r"|impossible|problèmes?|échoue\w*|cass[eé]\w*|bloqué\w*",
    r"nicht (?:mehr|geht|möglich|gefunden|korrekt|angezeigt)|(?:funktioniert|geht|startet|lädt|öffnet)\w* (?:\w+ )?"
    r"nicht|fehler\w*|probleme?|absturz\w*|stürzt|falsch\w*|kaputt|hängt|fehlgeschlagen|doppelt",
    r"non (?:funziona|riesco|si |va|parte|è possibile)\w*|error[ei]|problem[ai]|impossibile|si blocca|crash\w*",
    r"nie (?:działa|mogę|można|uruchamia|otwiera|da się)\w*|błąd\w*|błęd\w*|awari\w*|zawiesza\w*",
    r"çalışm[ıi]yor\w*|hata\w*|sorun\w*|bozuk|olmuyor|aç[ıi]lm[ıi]yor|yapam[ıi]yor\w*|gelmiyor|çöküyor",
    r"không (?:được|thể|hoạt|mở|gõ|chạy|\w+ được)|lỗi|hỏng",
    r"tidak (?:bisa|dapat|jalan|muncul|berfungsi)|gagal|rusak|masalah",
    r"خطأ|مشكلة|لا يعمل|لا تعمل|تعطل|فشل",
)
_PATTERN = re.compile("|".join((*_UNSPACED, *(rf"(?<!\w)(?:{words})(?!\w)" for words in _SPACED))), re.I)


def says_it_breaks(text: str) -> bool:
    """Whether a text in one of these languages speaks of something that fails. English has its own words in `kind`."""
    return bool(_PATTERN.search(text))
