"""Says that something does not work, and when: in the languages that Bouncer answers in, and in English."""

import pytest

from bot.issues.features import BREAKS, WHEN

# Language -> it does not work; the same, with the moment in which it does not; what goes wrong instead.
SAID = {
    "en": ("The export doesn't work", "The export fails when I choose PDF", "The export loses the header row"),
    "zh": ("导出打不开", "点击导出以后打不开", "导出的表格少一行"),
    "ja": ("書き出しができません", "書き出しを押すと落ちます", "書き出した表が一行少ない"),
    "ko": ("내보내기가 안 됩니다", "내보내기를 누르면 멈춥니다", "내보낸 표에 한 줄이 없습니다"),
    "ru": ("Экспорт не работает", "Экспорт не работает, когда выбран PDF", "В таблице не хватает строки"),
    "uk": ("Експорт не працює", "Експорт не працює, коли вибрано PDF", "У таблиці бракує рядка"),
    "es": ("La exportación no funciona", "No funciona cuando elijo PDF", "A la tabla le falta una fila"),
    "pt": ("A exportação não funciona", "Não funciona quando escolho PDF", "Falta uma linha na tabela"),
    "fr": ("L'export ne marche pas", "Ne marche pas quand je choisis PDF", "Il manque une ligne au tableau"),
    "de": ("Der Export funktioniert nicht", "Funktioniert nicht, wenn ich PDF nehme", "Eine Zeile fehlt"),
    "it": ("L'esportazione non funziona", "Non funziona quando scelgo PDF", "Alla tabella manca una riga"),
    "pl": ("Eksport nie działa", "Eksport nie działa, gdy wybieram PDF", "W tabeli brakuje wiersza"),
    "tr": ("Dışa aktarma çalışmıyor", "PDF seçince çalışmıyor", "Tabloda bir satır eksik"),
    "vi": ("Không mở được", "Không mở được khi chọn PDF", "Bảng thiếu một dòng"),
    "id": ("Ekspor tidak bisa", "Ekspor tidak bisa kalau pilih PDF", "Tabel kurang satu baris"),
    "nl": ("De export werkt niet", "De export werkt niet als ik PDF kies", "De tabel mist een rij"),
}


@pytest.mark.parametrize("language", SAID)
def test_what_does_not_work_is_told_from_what_happens_instead(language: str) -> None:
    fails, when, instead = SAID[language]
    assert BREAKS.search(fails) and not WHEN.search(fails)
    assert BREAKS.search(when) and WHEN.search(when)
    assert not BREAKS.search(instead)
