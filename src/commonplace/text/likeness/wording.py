"""The words that the rules of likeness know, in six languages, and the cutting of a text into words.

Only what changes a statement's meaning is listed: negations, opposites, words that join or limit, labels
and verbs that allow one value at a time, verbs that allow many. A word that is on no list is kept as it is.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from commonplace.text.patterns import pattern

_WIDE: Final = "\u2e80-\u2fff\u3041-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN: Final = pattern(
    rf"\d+(?:[.,:/-]\d+)*|[{_WIDE}]|[^\W{_WIDE}\d][^\W{_WIDE}]*(?:[./@+#-][^\W{_WIDE}]+)*|[^\W{_WIDE}]+"
)
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"'})
_REWRITES: Final = tuple(
    (pattern(source), instead)
    for source, instead in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bno longer\b|\bnot any ?more\b|\bnicht mehr\b|\bya no\b", "not"),
        (r"'s\b", " 's "),
        (r"\b([ldnjmtscq]|qu)'", r"\1 "),
        (r"\b(?:am|is|are|was|were) employed (?:at|by)\b|\bwork(s?) for\b", "work at"),
        (r"\bist bei (.{1,40}) angestellt\b", r"arbeitet bei \1"),
    )
)
_SUBJECT: Final = pattern(
    r"\A\W*(?:(?:the|der|die|el|la|l)\s+)?(?:users?|nutzer(?:in)?|benutzer(?:in)?|usuari[oa]|utilisat(?:eur|rice)|i)\s+"
    r"|\A\W*(?:用户|使用者)|\A\W*ユーザーは"
)
_BREAK: Final = pattern(r"[,;:()\[\]（），、。；：—–]|\s-\s|\.\s")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ARTICLES: Final = _set("""
    a an the der die das ein eine einen einem einer den dem el la los las un una unos unas le les l des
    do does did please bitte
""")  # fmt: skip  # `do` stands here because it only carries a negation
NEGATIONS: Final = _set("""
    not no never none nothing without nor neither nicht kein keine keinen keinem keiner nie niemals ohne
    nunca jamás ningún ninguna sin n ne pas jamais sans 不 没 沒 未 勿 别 無 无 非
""")
NEGATIVE_ENDINGS: Final = ("ない", "ません", "なかった")
ALWAYS: Final = _set("always immer siempre toujours 总是")
LIMITS: Final = _set("""
    but except unless until only if or forbidden former formerly was used stopped banned avoid instead
    aber außer bis nur wenn falls oder verboten früher statt pero excepto salvo hasta solo sólo si o prohibido
    mais sauf jusqu seulement ou interdit 但 除 直 只 如 或 禁 ただし のみ
""")
JOINING: Final = _set("""
    in on at for with when because since from using via and as after before during by over under behind of to near
    every each named called which where while so inside into about around per
    für mit weil seit und bei nach vor über unter im am an auf von aus zum zur jeden jede täglich um durch damit als
    en para con cuando porque desde y e a al por de del durante sobre entre cada
    dans pour avec quand parce depuis et chez à au aux sur du
    和 及 在 因 用 由 从 と で に は
""")
AND: Final = _set("and und y e et & 和 及 と や")
COMPARING: Final = _set(
    "over than before after instead above rather statt als vor nach que antes después avant après 比"
)
HOLDING: Final = _set("""
    is are was be has have had uses use run runs at on in to of for from by until than takes take last
    ist sind hat haben um am im bei von bis nutzt es son tiene tienen hay a las de usa est sont utilise
    是 有 为 は が goes costs pays
""")  # before a number they say that it is a value, not a name
RELATIVES: Final = _set("""
    sister brother mother father mom dad wife husband son daughter partner boss friend colleague
    neighbour neighbor child kid parent cousin uncle aunt roommate flatmate
    schwester bruder mutter vater frau mann sohn tochter chef chefin freund freundin kollege kollegin
    hermana hermano madre padre mujer marido hijo hija jefe jefa amigo amiga sœur soeur frère mère père femme mari fils
    fille ami amie 妹 姐 哥 弟 妈 爸 妻 夫 儿 女 朋 老 板 母 父 姉 兄 友
""")
MANY: Final = _set("""
    like love enjoy dislike hate speak know own have has play read write learn teach visit attend use need allergic eat
    drink watch collect study ran visited met tried
    mag mögen spricht kennt besitzt hat spielt liest lernt nutzt isst trinkt allergisch
    gusta gustan habla conoce tiene toca lee aprende usa come bebe alérgico alérgica parle aime connaît a joue lit
    喜 欢 会 说 有 吃 喝 学 用 話 す 好
""")
ONE_NOUN: Final = _set("""
    os editor shell name nickname browser branch timezone manager database host hostname port city address email phone
    mobile employer job role theme font locale currency formatter linter framework owner lead maintainer status plan
    deadline version model provider region registry license licence birthday birthplace nationality surname username
    terminal keyboard layout distro pronoun leader director ceo cto landlord doctor dentist bank hauptstadt
    betriebssystem standardbranch zeitzone adresse arbeitgeber beruf wohnort datenbank titel
    nombre correo teléfono ciudad zona editorial jefe navegador nom adresse ville employeur éditeur
    住 址 时 区 编 辑 器 名
""")
ONE_VERB: Final = (
    "live in", "work at", "live at", "work for", "based in", "be call", "is called", "is named", "born in", "born on",
    "works in", "wohnt in", "lebt in", "arbeitet bei", "heißt", "vive en", "reside en", "trabaja en", "se llama",
    "habite à", "vit à", "travaille chez", "s appelle", "住 在", "叫", "在",
)  # fmt: skip
ONE_VERB_WIDE: Final = ("住在", "居住在", "工作于", "叫做", "名叫")
SYNONYMS: Final[dict[str, str]] = {
    word: group.split()[0]
    for group in (
        "live reside inhabit dwell", "use utilise utilize", "short brief concise terse", "answer reply response",
        "email mail", "repo repository", "database db", "kubernete k8s", "javascript js", "typescript ts",
        "postgresql postgres", "like enjoy", "dislike hate detest", "prefer favour favor", "big large", "start begin",
        "color colour", "picture image photo", "forbidden prohibited", "lebt wohnt", "vive reside", "vit habite",
        "kurz knapp", "kurze knappe", "corta breve", "简 洁", "test spec", "daughter girl", "standup",
    )
    for word in group.split()[1:]
}  # fmt: skip
_PAIRS: Final = """
    dark/light tab/space tabs/spaces on/off enable/disable enabled/disabled public/private long/short verbose/quiet
    verbose/terse verbose/concise always/never like/dislike love/dislike love/hate like/hate before/after first/last
    married/single married/divorced open/closed open/close true/false yes/no allow/forbid allowed/forbidden
    allowed/denied accept/reject stateless/stateful sync/async synchronous/asynchronous manual/automatic strict/lenient
    strict/loose early/late hot/cold high/low left/right up/down more/less many/few all/none full/empty new/old
    formal/informal required/optional include/exclude import/export snake_case/camelcase hard/soft loud/silent
    online/offline remote/onsite upper/lower uppercase/lowercase ascending/descending asc/desc static/dynamic start/stop
    day/night morning/evening morning/night am/pm min/max minimum/maximum buy/rent employed/unemployed indoors/outdoors
    active/inactive local/remote up/down win/lose front/back merge/rebase with/without increase/decrease
    tab/leerzeichen immer/nie lang/kurz lange/kurze hell/dunkel heller/dunkler öffentlich/privat
    aktiviert/deaktiviert an/aus erlaubt/verboten offen/geschlossen früh/spät verheiratet/ledig mit/ohne groß/klein
    oscuro/claro siempre/nunca largo/corto larga/corta público/privado activado/desactivado permitido/prohibido
    abierto/cerrado temprano/tarde con/sin casado/soltero casada/soltera sombre/clair toujours/jamais long/court
    longue/courte public/privé activé/désactivé ouvert/fermé avec/sans tôt/tard
    深/浅 启/禁 开/关 总是/从不 长/短 早/晚 喜欢/讨厌 公开/私有 多/少 大/小 允许/禁止 是/否 快/慢 暗/亮
    """
OPPOSITES: Final = frozenset(frozenset(pair.split("/")) for pair in _PAIRS.split())
_PREFIXES: Final = ("un", "in", "im", "dis", "non", "de", "des", "dé", "il", "ir")
UNITS: Final = _set("""
    kg g mg km cm mm mile gb mb tb kb ghz mhz ms s sec second minute hour day week month year percent % eur euro usd
    dollar gbp chf sek kr pt px lines char token people person member times grad stunde minuten tage euros horas días
    年 月 天 时 分 人 个 岁 次 円 元
""")
NUMBER_WORDS: Final = _set("""
    one two three four five six seven eight nine ten eleven twelve once twice half dozen
    zwei drei vier fünf sechs sieben acht neun zehn dos tres cuatro cinco seis siete ocho nueve diez
    deux trois quatre cinq sept huit neuf dix 一 二 两 三 四 五 六 七 八 九 十
""")
DAYS: Final = _set("""
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
    lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche
    january february march april may june july august september october november december
    januar februar märz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre
    octubre noviembre diciembre janvier février mars avril juin juillet août septembre octobre novembre décembre
    today tomorrow yesterday morning afternoon evening
""")


class Token(NamedTuple):
    """One word of a text; `after_break` is true if a comma or the like is before it."""

    word: str
    after_break: bool = False


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Cut a text into words that can be compared: folded, without articles, without the user as its subject."""
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    for wording, instead in _REWRITES:
        folded = wording.sub(instead, folded)
    folded = _SUBJECT.sub("", folded, count=1).removeprefix("'s ")
    found: list[Token] = []
    end = 0
    broken = False
    for match in _TOKEN.finditer(folded):
        gap = folded[end : match.start()]
        broken = broken or _BREAK.search(gap) is not None
        possessive = match.group() == "s" and gap.endswith("'")
        end = match.end()
        word = "'s" if possessive else _plain(match.group())
        if word in ARTICLES or match.group() in ARTICLES:
            continue
        found.append(Token(word, broken and bool(found)))
        broken = False
    return tuple(found)


def _plain(word: str) -> str:
    if "-" in word and not any(char.isdigit() for char in word):
        word = word.replace("-", "")
    if len(word) > 3 and word.isascii() and word.isalpha() and word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    return SYNONYMS.get(word, word)


def opposite(one: str, other: str) -> bool:
    """True if two words are opposites: as listed, or one with a negating prefix."""
    if frozenset((one, other)) in OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and any(long == prefix + short for prefix in _PREFIXES)


def firm_words(text: str) -> frozenset[str]:
    """Return what no merge may drop or change: numbers, dates, versions and denials."""
    words = (token.word for token in tokens(text))
    return frozenset(
        word for word in words if word in NEGATIONS or word in NUMBER_WORDS or any(char.isdigit() for char in word)
    )
