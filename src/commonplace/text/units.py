"""Read the unit of measure behind a number, whatever language and abbreviation it is written in. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from commonplace.text.numerals import Numeral, numerals, plain
from commonplace.text.patterns import pattern

_WRITTEN: Final = {
    "µg": r"mcg|[µμ]g|mi[ck]rogram\w*|микрограмм\w*|мкг|微克|マイクログラム|마이크로그램",
    "mg": r"mg|mill?igram\w*|миллиграмм\w*|мг|毫克|ミリグラム|밀리그램",
    "kg": r"kg|kilos?|kilogram\w*|килограмм\w*|кг|公斤|千克|キログラム|킬로그램",
    "g": r"gr?|gram(?:s|me?s?|m[ei]|os?|as?|ów|men)?|грамм\w*|гр?|克|グラム|그램",
    "ml": r"ml|mill?ilit\w+|миллилитр\w*|мл|毫升|ミリリットル|밀리리터",
    "l": r"l|lit(?:er|re|ro|ri|r[óo]w)s?|литр\w*|л|升|リットル|리터",
    "mm": r"mm|mill?im[eéè]t\w+|миллиметр\w*|мм|毫米|ミリ(?:メートル)?|밀리미터",
    "cm": r"cm|[cz]ent[ií]m[eéè]t\w+|centymetr\w+|сантиметр\w*|см|厘米|センチ(?:メートル)?|센티미터",
    "km": r"km|[ck]il[oóò]m[eéè]t\w+|километр\w*|км|公里|キロメートル|킬로미터",
    "m": r"m[eè]t(?:er|re|ro|ri)s?n?|метр\w*|米|メートル|미터",
    "s": r"s|secs?|seconds?|sekunden?|secondes?|segundos?|second[io]|секунд\w*|sekund\w*|seconden|秒|초",
    "min": r"min(?:s|ut\w*)?|минут\w*|мин|分钟|分間|分(?!之)|분",
    "h": r"h|hours?|hrs?|stunden?|heures?|horas?|or[ae]|час\w*|godzin\w*|uur|小时|時間|시간",
    "day": r"days?|tage?n?|jours?|d[ií]as?|giorn[io]|дн\w+|день|dni|dagen|天|日間|일간",
    "week": r"weeks?|wochen?|semaines?|semanas?|settiman[ae]|недел\w+|tygodni\w*|we[ke]+n?|周|週間|주일?",
    "month": r"months?|monate?n?|mois|meses|mês|mes[ei]|месяц\w*|miesi\w+|maand(?:en)?|个月|[かヶ]月|개월",
    "%": r"%|per ?cent|prozent|pour cent|por ciento|per cento|por cento|процент\w*|procent\w*|パーセント|퍼센트",
    "€": r"€|eur|euros?|евро|欧元|ユーロ|유로",
    "$": r"\$|usd|dollars?|dólares|dollari|доллар\w*|dolar\w*|美元|ドル|달러",
    "£": r"£|gbp|pounds?|pfund|livres?|libras?|sterline|фунт\w*|funt\w*|英镑|ポンド|파운드",
}
_UNIT: Final = pattern(
    r"[\s-]?(?:" + "|".join(f"(?P<u{n}>{written})" for n, written in enumerate(_WRITTEN.values())) + r")(?![^\W\d_])"
)
_SIGN: Final = pattern(r"([€$£])\s?\Z")
_NAMES: Final = tuple(_WRITTEN)
_KINDS: Final = (  # of measure, each unit as so many of the first one
    {"s": 1, "min": 60, "h": 3600, "day": 86_400, "week": 604_800},
    {"mm": 1, "cm": 10, "m": 1000, "km": 1_000_000},
    {"µg": 1, "mg": 1000, "g": 1_000_000, "kg": 1_000_000_000},
    {"ml": 1, "l": 1000},
)
_LEAST: Final = 0.1  # of what somebody would write of an amount
_MOST: Final = 10_000


def measured(text: str) -> Iterator[tuple[Numeral, str]]:
    """Yield the numbers of a text, each with the unit that it counts; empty if it has none that is known."""
    folded = text.casefold()
    for number in numerals(text):
        match = _UNIT.match(folded, number.end)
        sign = _SIGN.search(folded, max(0, number.start - 2), number.start)
        yield number, _NAMES[int(match.lastgroup[1:])] if match and match.lastgroup else sign[1] if sign else ""


def other_units(value: str, unit: str) -> Iterator[tuple[str, str]]:
    """Yield an amount as people would write it in other units, each with its unit (`90 min` is `1.5 h`)."""
    kind = next((kind for kind in _KINDS if unit in kind), {})
    if not kind or not value.replace(".", "", 1).isdigit():
        return
    for other, size in kind.items():
        amount = float(value) * kind[unit] / size
        if other != unit and _LEAST <= amount <= _MOST and amount == round(amount, 2):
            yield plain(amount), other
