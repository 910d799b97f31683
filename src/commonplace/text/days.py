"""Read the days, months and times of day of a text: what a statement names, and all that a message can mean.

A statement names a date (`named`); a message said at an instant can mean several (`meant`): `next Saturday` is the
nearest two, `in three weeks` a day before and after, `August` the last and the next. The reading of a message is
generous on purpose: it only vouches for dates, it never makes one.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

from commonplace.text.dates import day_of
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern

_MONTH_NAMES: Final = (
    "january|januar|janvier|enero|gennaio|janeiro|januari|январ[а-я]+|stycze?[nń]\\w*|січ\\w+|ocak\\w*|jan",
    "february|februar|février|fevrier|febrero|febbraio|fevereiro|februari|феврал[а-я]+|lut(?:y|ego|ym)|şubat\\w*|feb",
    "march|märz|mars|marzo|março|maart|март[а-я]*|mar(?:zec|ca|cu)|mart(?:tan?|ın|ı)?|mar",
    "april|avril|abril|aprile|апрел[а-я]+|kwie(?:cień|tnia|tniu)|nisan\\w*|apr|abr|avr",
    "may|mai|mayo|maggio|maio|mei|maj[au]?|ма[йяе]|mayıs\\w*",
    "june|juni|juin|junio|giugno|junho|июн[а-я]+|czerw(?:iec|ca|cu)|haziran\\w*|jun",
    "july|juli|juillet|julio|luglio|julho|июл[а-я]+|lip(?:iec|ca|cu)|temmuz\\w*|jul",
    "august|août|aout|agosto|augustus|augusti|август[а-я]*|sierp(?:ień|nia|niu)|ağustos\\w*|aug|ago",
    "september|septembre|septiembre|setiembre|settembre|setembro|сентябр[а-я]+|wrze(?:sień|śnia|śniu)|eylül\\w*|sept?",
    "october|oktober|octobre|octubre|ottobre|outubro|октябр[а-я]+|październik\\w*|ekim\\w*|oct|okt|ott",
    "november|novembre|noviembre|novembro|ноябр[а-я]+|listopad\\w*|kasım\\w*|nov",
    "december|dezember|décembre|decembre|diciembre|dicembre|dezembro|декабр[а-я]+|grud(?:zień|nia|niu)|aralık\\w*|dec|dez|dic|déc",
)
_MONTH: Final = "(?P<month>" + "|".join(f"(?P<m{n}>{names})" for n, names in enumerate(_MONTH_NAMES, 1)) + r")\b\.?"
_MAYBE_NO_MONTH: Final = frozenset([
    "may", "march", "mars", "mart", "mai", "maj", "mar", "jan", "sept", "sep", "set", "ago", "dic", "maio", "marzo", "ма", "март",
])  # fmt: skip
_AS_MONTH: Final = pattern(
    r"(?:\b(?:in|by|until|till|since|before|after|from|next|last|this|early|late|mid|end of|start of|im|bis|ab|vor|nach|seit|ende|anfang|avant|après|dès|jusqu['’]en|jusqu['’]à|courant"
    r"|mitte|nächsten|en|para|desde|hasta|em|até|dès|fin|début|mi|à partir de|a|entro|fino a|om|vóór|vanaf|tot|w|od|do)[\s-])\Z"
)  # words before a word that is a month for sure
_AS_MONTH_CHARS: Final = 16
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.|-?(?:го|е|ого))?"
_OF: Final = r"\s*(?:of|de|di|do|del|den)?\s*"
_YEAR: Final = r"(?:[\s,.]*(?:de|del|di|do|of)?\s*(?P<year>(?:19|20)\d\d)\b(?!\s*(?:%|€|\$(?!\s?\d)|euro|mb|lines)))?"
_WIDE: Final = "[〇零一二三四五六七八九十]"
_NAMED: Final = tuple(
    pattern(source)
    for source in (
        r"(?<![\d.])(?P<year>(?:19|20)\d\d)\s?[/–-]\s?(?P<next>(?:(?:19|20)\d\d)|\d\d)(?![\d./-])",  # a season
        r"(?<![\d.])(?P<year>(?:19|20)\d\d)[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        (
            rf"(?:(?P<year>(?:19|20)\d\d)\s?[年년]\s?)?(?P<number>\d{{1,2}}|{_WIDE}{{1,2}})\s?[月월]\s?"
            rf"(?P<day>(?:\d{{1,2}}|{_WIDE}{{1,3}})(?=\s?[日号號일])|\d{{1,2}}(?![\d年]))[日号號일]?"
        ),
        r"(?<![\d.:/])(?P<day>\d{1,2})(?P<sign>[./-])(?P<number>\d{1,2})(?P=sign)(?P<year>(?:19|20)?\d\d)(?!\d|:\d)",
        r"(?<![\d.:/])(?P<day>\d{1,2})(?:/(?P<number>\d{1,2})(?![\d/]|:\d)|\.(?P<dotted>\d{1,2})\.(?!\d))",
        rf"\b{_DAY}{_OF}{_MONTH}{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}(?![\d:.,]\d){_YEAR}",
        r"(?<![\d.])(?P<year>(?:19|20)\d\d)-(?P<number>\d{2})(?![\d-])",
        rf"(?:(?P<year>(?:19|20)\d\d)\s?[年년]\s?)?(?P<number>\d{{1,2}}|{_WIDE}{{1,2}})\s?[月월](?!\s?[間간份]?\d)",
        rf"\b{_MONTH}{_YEAR}",
        r"(?<![\d.,:])(?P<year>(?:19|20)\d\d)(?!\d|[.,]\d|\s?(?:%|€|\$|euro|mb|ms)\b|:\d)",
    )
)
_CLOCK: Final = pattern(
    r"(?<![\d.:])(?P<hour>[01]?\d|2[0-4])(?:(?::|\s?h\s?|\s?ч\s?)(?P<minute>[0-5]\d)(?!\d)|\.(?P<dotted>[0-5]\d)(?=\s?(?:uhr|uur|h\b|am|pm|a\.m|p\.m))"
    r"|(?=\s?(?:uhr|uur|h\b|am\b|pm\b|a\.m|p\.m|o'clock|[時点點시])))\s?(?P<half>[am]\.?m\b|p\.?m\b)?"
)
_IN_ORDER: Final = (*_NAMED[:7], _CLOCK, *_NAMED[7:])
_DIGITLESS: Final = (_NAMED[2], _NAMED[8], _NAMED[9])  # those that can match in a text without a digit
_DIGIT: Final = pattern(r"\d")
WEEKDAYS: Final = tuple(
    pattern(rf"\b(?:{latin})|{wide}")
    for latin, wide in (
        ("mondays?|mon\\.|montag|lundi|lunes|lunedì|segundas?-feiras?|segundas|понедельник|poniedział|maandag|måndag|pazartesi", "(?:星期|礼拜|周)一|月曜|월요"),
        ("tuesdays?|tues?\\.|dienstag|mardi|martes|martedì|terça|вторник|wtor(?:ek|k)|dinsdag|tisdag|salı(?:\\b|y|lar|d[ae]n)", "(?:星期|礼拜|周)二|火曜|화요"),
        ("wednesdays?|wed\\.|mittwoch|mercredi|miércoles|mercoledì|quartas?-feiras?|quartas|сред[аыуе]|środ|woensdag|onsdag|çarşamba", "(?:星期|礼拜|周)三|水曜|수요"),
        ("thursdays?|thu(?:rs)?\\.|donnerstag|jeudi|jueves|giovedì|quinta|четверг|czwart|donderdag|torsdag|perşembe", "(?:星期|礼拜|周)四|木曜|목요"),
        ("fridays?|fri\\.|freitag|vendredi|viernes|venerdì|sexta|пятниц|piąt(?:ek|k)|vrijdag|fredag|cuma(?:y[aı]|lar\\w*|dan?|nın)?\\b", "(?:星期|礼拜|周)五|金曜|금요"),
        ("saturdays?|sat\\.|samstag|sonnabend|samedi|sábado|sabato|суббот|sobot|zaterdag|lördag|cumartesi", "(?:星期|礼拜|周)六|土曜|토요"),
        ("sundays?|sonntag|dimanche|domingo|domenica|воскресень|niedziel|zondag|söndag|pazar(?:[aı]n?|lar\\w*|dan?)?\\b", "(?:星期|礼拜|周)[日天]|日曜|일요"),
    )
)  # fmt: skip
_BESIDE: Final = pattern(
    rf"(?:{'|'.join(each.pattern for each in WEEKDAYS)})\w*(?:-feira)?\.?,?\s(?:(?:the|den|de|le|il|el|o)\s)?\Z",
    re.IGNORECASE,
)  # the weekday before a date
_BESIDE_CHARS: Final = 24
_OFFSETS: Final = tuple(
    (days, pattern(source))
    for days, source in (
        (0, r"\b(?:today|tonight|this (?:morning|evening|afternoon)|heute|aujourd|ce soir|hoy|oggi|hoje|сегодня|dziś|dzisiaj|vandaag|idag|bugün|bu (?:sabah|akşam)|now|ab sofort)\b|今天|今日|今晚|今夜|오늘"),
        (1, r"\b(?:tomorrow|morgen|demain|mañana|domani|amanhã|завтра|jutro|imorgon|yarın)\b|明天|明日|明晚|내일"),
        (2, r"\b(?:day after tomorrow|übermorgen|après-demain|pasado mañana|dopodomani|depois de amanhã|послезавтра|pojutrze|overmorgen|öbür gün)\b|后天|後天|明後日|모레"),
        (14, r"\b(?:fortnight|quinzaine|quincena|quindicina|quinzena|две недели|dwa tygodnie|veertien dagen)\b|半个月|半月"),
        (-1, r"\b(?:yesterday|last night|gestern|hier|ayer|anoche|ieri|ontem|вчера|wczoraj|gisteren|igår|dün)\b|昨天|昨日|昨晚|어제"),
        (-2, r"\b(?:day before yesterday|vorgestern|avant-hier|anteayer|l'altro ieri|anteontem|evvelsi gün|позавчера|przedwczoraj)\b|前天|一昨日|그저께"),
    )
)  # fmt: skip
_UNIT: Final = pattern(
    r"(?P<week>\bweek(?:s|end)?\b|\bwochen?(?:ende)?\b|\bsemaines?\b|\bsemanas?\b|\bsettiman[ae]\b|\bнедел\w+|\btygod\w+|\btydzień\b|\bweken?\b|\bveck\w+|\bhafta\w*|\bfinde\b|周末|[这本下上]周|[这下上]个?(?:星期|礼拜)|今週|来週|先週|再来週|週間|星期|周|週|주일?(?:말)?)"
    r"|(?P<month>\bmonths?\b|\bmonate?[sn]?\b|\bmois\b|\bmes(?:es|i|e)?\b|\bmês\b|\bмесяц\w*|\bmiesi\w+|\bmaand\w*|\bmånad\w*|\bay(?:a|ı|ın|da|lar\w*|lık)?\b|个月|本月|下月|上月|今月|来月|先月|か月|ヶ月|개월|달)"
    r"|(?P<year>\byears?\b|\bjahr\w*\b|\bans?\b|\bannée\b|\baños?\b|\bann[oi]\b|\banos?\b|\bгод\w*|\bлет\b|\brok\w*\b|\blat\b|\bjaar\b|\bår\b|\byıl\w*|今年|去年|明年|来年|昨年|后年|年|내년|작년|올해)"
    r"|(?P<day>\bdays?\b|\btag(?:e|en)?\b|\bjours?\b|\bdías?\b|\bdias?\b|\bgiorn[oi]\b|\bдн[яей]\w*|\bдень\b|\bdni\b|\bdagen?\b|\bgün(?:ü|ler|de|lük)?\b|天|日間|일)"
    r"|(?P<season>\b(?:spring|summer|autumn|fall|winter|frühling|frühjahr|sommer|herbst|printemps|été|automne|hiver|primavera|verano|estate|verão|otoño|autunno|outono|invierno|inverno|весн\w+|лет[оау]\b|осен\w+|зим\w+|wiosn\w+|lat[oeau]\b|jesie\w+|zim\w+|quarter|quartal|christmas|easter|weihnachten|noël|navidad|natale|natal)\b|春|夏|秋|冬)"
)  # fmt: skip
_AHEAD: Final = pattern(
    r"\b(?:next|coming|in|from|nächste[nsrm]?|kommende[nsrm]?|prochaine?s?|dans|próxim[oa]s?|que viene|entrante|prossim[oa]|tra|fra|в следующ\w+|следующ\w+|через|przyszł\w+|następn\w+|za|volgende?|nästa|gelecek|önümüzdeki|haftaya|sonra|kadar|om|later|später|plus tard|después|dopo|depois|позже|within|until|till|by|bis|jusqu|hasta|entro|até|до|do)\b|[下明来後后再]|다음|내년|뒤|후"
)  # fmt: skip
_BACK: Final = pattern(
    r"\b(?:last|past|previous|ago|letzte[nsrm]?|vergangene[nsrm]?|vorige[nsrm]?|vor|dernière?s?|passée?s?|il y a|pasad[oa]s?|hace|scors[oa]|passat[oa]|fa|passad[oa]|há|atrás|прошл\w+|назад|zeszł\w+|ubiegł\w+|temu|vorige|geleden|förra|sedan|geçen|önce|earlier|before|früher|seit|since)\b|[上去昨先前]|지난|작년|전"
)  # fmt: skip
_A_WEEK: Final = pattern(r"\b(?:a|one) week (?:later|earlier)\b|\beine woche (?:später|früher)\b")
_END_OF_YEAR: Final = pattern(
    r"\b(?:end of|year-end|ende|fin(?:al)?(?: de)?|fine|fim de|конца|конец|końca?|koniec|eind(?:e)?(?: van)?) ((?:19|20)\d\d)\b"
    r"|((?:19|20)\d\d)\s?[年년]\s?(?:底|末|いっぱい|말)"
)
_END: Final = pattern(
    r"\b(?:end|ende|fin|fine|final(?:es)?|fim|конц[аеу]|конец|końca?|koniec|eind|slutet)\b|[底末]|말"
)  # of a month
_NEXT_DAY: Final = pattern(
    r"\b(?:(?:the|a) (?:day|night|evening) (?:before|after)|eve of|vorabend|(?:am )?tag (?:davor|danach|zuvor|darauf)|(?:la )?veille|lendemain"
    r"|víspera|día (?:antes|después|anterior|siguiente)|vigilia|giorno (?:prima|dopo)|véspera|dia (?:antes|depois|seguinte)"
    r"|накануне|днём (?:раньше|позже)|dzień (?:wcześniej|później|przed|po)|de dag (?:ervoor|erna))\b|前日|翌日|前一天|第二天|전날|다음 날"
)
_REACH: Final = 24  # characters around a unit in which a word gives its direction
_MOST: Final = 40  # durations or dates of one text that are put together


class Named(NamedTuple):
    """A date or time of day that a statement names: its place, and how it may be read.

    A day is (year or None, month, day), a month (year or None, month), a year (year), a time of day ("clock", h, m),
    and `22.4.` may also be a number at the end of a sentence ("22.4").
    """

    start: int
    end: int
    readings: tuple[tuple[object, ...], ...]


class Meant:
    """All the days, months, years and weekdays that some texts can mean."""

    def __init__(self) -> None:
        self.days: set[date] = set()
        self.months: set[tuple[int, int]] = set()
        self.years: set[int] = set()
        self.weekdays: set[int] = set()

    def take(self, other: Meant) -> None:
        """Add what another text can mean."""
        self.days |= other.days
        self.months |= other.months
        self.years |= other.years
        self.weekdays |= other.weekdays

    def add(self, day: date) -> None:
        """Add a day with its month and year."""
        self.days.add(day)
        self.months.add((day.year, day.month))
        self.years.add(day.year)

    def holds(self, reading: tuple[object, ...], numbers: frozenset[str] | set[str]) -> bool:
        """True if one of the texts can mean a day, month or year; a day also by its number in a month that is meant."""
        match reading:
            case (int() as year,):
                return year in self.years or str(year) in numbers
            case (str() as number,):
                return number in numbers
            case (None, int() as month):
                return any(m == month for _, m in self.months)
            case (int() as year, int() as month):
                return (year, month) in self.months
            case (None, int() as month, int() as number):
                near = any(m == month for _, m in self.months) and str(number) in numbers
                return near or any((day.month, day.day) == (month, number) for day in self.days)
            case (int() as year, int() as month, int() as number):
                day = day_of(year, month, number)
                return day in self.days or ((year, month) in self.months and str(number) in numbers)
        return False


def named(text: str) -> Iterator[Named]:
    """Yield the dates and times of day that a text names, the longest reading of each place first."""
    taken: list[tuple[int, int]] = []
    folded = text.casefold()
    for expression in _IN_ORDER if _DIGIT.search(folded) else _DIGITLESS:
        for match in expression.finditer(folded):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            readings = tuple(_clock(match) if expression is _CLOCK else _readings(match))
            if readings:
                taken.append(match.span())
                yield Named(*match.span(), readings)


def without_weekdays(text: str) -> str:
    """Return a text without the weekdays before the dates that it names (`Montag, den 16. März`)."""
    for name in sorted(named(text), reverse=True):
        if beside := _BESIDE.search(text, max(0, name.start - _BESIDE_CHARS), name.start):
            text = text[: beside.start()] + text[name.start :]
    return text


def _clock(match: re.Match[str]) -> Iterator[tuple[object, ...]]:
    hour, minute = int(match["hour"]), int(match["minute"] or match["dotted"] or 0)
    yield ("clock", hour + 12 if (match["half"] or "").startswith("p") and hour < 12 else hour, minute)


def _readings(match: re.Match[str]) -> Iterator[tuple[object, ...]]:
    found = match.groupdict()
    year = int(found["year"]) if found.get("year") else None
    if year is not None and year < 100:
        year += 2000
    if found.get("next") and (int(found["next"]) - (year or 0)) % 100 != 1:
        return
    number = found.get("number") or found.get("dotted")
    if number is None and found.get("month"):
        number = str(next(n for n in range(1, 13) if found[f"m{n}"]))
        bare = found.get("day") is None and year is None and found["month"] in _MAYBE_NO_MONTH
        if bare and _AS_MONTH.search(match.string, max(0, match.start() - _AS_MONTH_CHARS), match.start()) is None:
            return
    month = _int(number) if number else None
    day = _int(found["day"]) if found.get("day") else None
    if month is None:
        if year is not None:
            yield (year,)
        return
    if day is None:
        if 1 <= month <= 12:
            yield (year, month)
        return
    if found.get("dotted"):
        yield (match.group().removesuffix("."),)
    swapped = match.group().count("/") and year != _first_year(match)
    for m, d in ((month, day), (day, month)) if swapped else ((month, day),):
        if 1 <= m <= 12 and 1 <= d <= 31:
            yield (year, m, d)


def _first_year(match: re.Match[str]) -> int | None:
    return int(match.group()[:4]) if match.group()[:4].isdigit() else None


def _int(text: str) -> int:
    return int(text) if text.isdigit() else int(next(iter(numerals(text)[0].values)))


def meant(text: str, at: date | None) -> Meant:
    """Return all that a text can mean by its dates, said on a day; without one only what it names in full."""
    found = Meant()
    for name in named(text):
        for reading in name.readings:
            _by_name(found, reading, at)
    folded = text.casefold()
    found.weekdays |= {number for number, expression in enumerate(WEEKDAYS) if expression.search(folded)}
    found.years |= {int(match[1] or match[2]) + 1 for match in _END_OF_YEAR.finditer(folded)}
    if at is None:
        return found
    for year, month in tuple(found.months):  # `the last Sunday of April`, `from 14 May to the Sunday`
        for number in range(1, monthrange(year, month)[1] + 1):
            if date(year, month, number).weekday() in found.weekdays:
                found.add(date(year, month, number))
    if _END.search(folded):
        for year, month in tuple(found.months):
            found.add(date(year, month, monthrange(year, month)[1]))
    found.add(at)
    for days, expression in _OFFSETS:
        if expression.search(folded):
            _shift(found, at, days)
    for number in tuple(found.weekdays):
        for week in (-7, 0, 7, 14):
            _shift(found, at, (number - at.weekday()) % 7 + week)
    _by_units(found, folded, at)
    return found


def explicit(text: str, at: date) -> set[date]:
    """Return the days that a text names by day and month, or as `tomorrow`, with the year in which it was said."""
    found = Meant()
    for name in named(text):
        for reading in name.readings:
            if len(reading) == 3:
                _by_name(found, reading, at)
    for days, expression in _OFFSETS:
        if expression.search(text.casefold()):
            _shift(found, at, days)
    return found.days


def is_past(text: str, today: date, said: date | None = None) -> bool:
    """True if the last day or month that a text names is before this month.

    Of one `said` before it: if the last day, month or year with its year was still to begin then, and is over.
    """
    found = [reading for name in named(text) for reading in name.readings if reading[0] != "clock"]
    if said is None:
        found = [(year or today.year, *rest) for year, *rest in found if rest]
    spans = [span for year, *rest in found if isinstance(year, int) and (span := _span(year, *rest))]
    first, last = max(((span[0], span[-1]) for span in spans), key=lambda each: each[1], default=(today, today))
    return last < today.replace(day=1) if said is None else said < first and last < today


def _span(year: int, month: object = None, day: object = None) -> tuple[date, ...]:
    """Return the first and last day of a year, or of a month or day in it; none if there is no such day."""
    match month, day:
        case int(), int():
            return () if (only := day_of(year, month, day)) is None else (only,)
        case int(), _:
            return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    return date(year, 1, 1), date(year, 12, 31)


def _by_name(found: Meant, reading: tuple[object, ...], at: date | None) -> None:
    match reading:
        case ("clock", _, _):
            return
        case (int() as year,):
            found.years.add(year)
        case (year, int() as month) if isinstance(year, int) or at is not None:
            for each in _years(year, month, at):
                found.months.add((each, month))
                found.years.add(each)
        case (year, int() as month, int() as number) if isinstance(year, int) or at is not None:
            for each in _years(year, month, at):
                if (day := day_of(each, month, number)) is not None:
                    found.add(day)
        case (None, int() as month, int() as number):
            for each in range(2000, 2100) if at is None else ():
                if (day := day_of(each, month, number)) is not None:
                    found.days.add(day)


def _years(year: object, month: int, at: date | None) -> tuple[int, ...]:
    """Return the year that is named, else the years of the last and the next month of this name."""
    if isinstance(year, int) or at is None:
        return (year,) if isinstance(year, int) else ()
    return (at.year, at.year + 1) if month < at.month else (at.year, at.year - 1) if month > at.month else (at.year,)


def _by_units(found: Meant, text: str, at: date) -> None:
    """Add what `next week`, `two months ago` and the like can mean."""
    counts = [(number.end, number.values) for number in numerals(text)][:_MOST]
    for match in _UNIT.finditer(text):
        unit = match.lastgroup or ""
        around = text[max(0, match.start() - _REACH) : match.end() + _REACH // 2]
        ahead, back = _AHEAD.search(around) is not None, _BACK.search(around) is not None
        amounts = [int(v) for end, values in counts if 0 <= match.start() - end <= 2 for v in values if _small(v)]
        for amount in amounts or ([1] if ahead or back else []):
            for sign in (1, -1):
                if (sign > 0 and (ahead or not back)) or (sign < 0 and (back or not ahead)):
                    _step(found, at, unit, sign * amount)
        _step(found, at, unit, 0)


def _small(value: str) -> bool:
    return value.isdigit() and int(value) <= 400


def _step(found: Meant, at: date, unit: str, steps: int) -> None:
    match unit:
        case "day":
            _shift(found, at, steps)
        case "week":
            monday = at - timedelta(days=at.weekday())
            for offset in (0, 4, 5, 6, *(found.weekdays or [at.weekday()])):
                _shift(found, monday, 7 * steps + offset)
        case "month" if abs(steps) < 200:
            total = at.year * 12 + at.month - 1 + steps
            year, month = total // 12, total % 12 + 1
            last = monthrange(year, month)[1]
            for number in {1, min(at.day, last), last}:
                found.add(date(year, month, number))
        case "year" | "season" if abs(steps) < 200:
            found.years.add(at.year + steps)


def _shift(found: Meant, day: date, days: int) -> None:
    try:
        found.add(day + timedelta(days=days))
    except OverflowError:
        return


def lasting(text: str) -> Iterator[int]:
    """Yield how many days the spans last that a text names: `two weeks` are 14."""
    folded = text.casefold()
    if _A_WEEK.search(folded):
        yield 7
    for number in numerals(folded):
        unit = _UNIT.match(folded, number.end + (folded[number.end : number.end + 1] in " -"))
        if unit is not None and unit.lastgroup in {"day", "week"}:
            days = 7 if unit.lastgroup == "week" else 1
            yield from (int(value) * days for value in number.values if _small(value))


def later(texts: Iterable[str], days: Iterable[date]) -> Iterator[date]:
    """Yield the days that lie as long before or after some days as the texts say (`two weeks later`)."""
    spans = {span for text in texts for span in lasting(text)}
    for day in list(days)[:_MOST]:
        for span in sorted(spans)[:_MOST]:
            for sign in (1, -1):
                try:
                    yield day + timedelta(days=sign * span)
                except OverflowError:
                    continue


def beside(texts: Iterable[str], days: Iterable[date]) -> Iterator[date]:
    """Yield the days before and after some days if a text speaks of such a day (`the day before`)."""
    if any(_NEXT_DAY.search(text.casefold()) for text in texts):
        yield from (near for day in days for near in (day - timedelta(days=1), day + timedelta(days=1)))
