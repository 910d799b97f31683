"""From a model's text to JSON: what every reader of a reply shares.

A reply is untrusted text. It is read in three tiers: the text as strict JSON; every balanced object in
it, of which the last with our keys counts; and, for the journal alone, one complete quoted string. A
text that was cut is never repaired, a value of the wrong type is never made a string, and an echo of
the question is no answer. Whatever cannot be used comes back as `Unusable` with the whole text in it.

Source: seed two-layer, "3-tier JSON parsing", with the losses found in it closed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from commonplace.models.protocol import Reply
from commonplace.text.content import bare, fold, is_joining
from commonplace.text.patterns import pattern

MAX_REPLY_CHARS: Final = 1_000_000  # ten times what any answer within its token limit can hold
_MAX_LITERAL_CHARS: Final = 50_000  # the Python reader is not built for hostile depth
_THINKING: Final = pattern(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPENING: Final = pattern(r'\{(?=[ \t\r\n]{0,200}["}])')
_PYTHON: Final = pattern(r"\{\s{0,200}'")
_COMMA: Final = pattern(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_SURROGATE: Final = pattern(r"[\ud800-\udfff]")
_PLACEHOLDER: Final = pattern(
    r"\s*(?:<[^<>]{1,200}>|\.\.\.|…|string|null|none|\(?empty\)?|\(?nothing\)?|n/a|summary paragraph"
    r" with .{0,60}timestamp|updated long-term memory content)?\s*",
    re.IGNORECASE,
)


_REFUSED: Final = pattern(
    r"(?:i['’]?m (?:very )?sorry|sorry,|i apologi[sz]e|as an ai\b|(?:es )?tut mir leid|lo siento"
    r"|(?:je suis )?désolée?\b|mi dispiace|desculpe|przepraszam|извините|к сожалению|申し訳|抱歉|对不起|很抱歉|죄송"
    r"|(?:i (?:can(?:no|['’])t|am unable|won['’]t|['’]m unable)|ich kann|no puedo|je ne peux pas|non posso"
    r"|não posso|nie mogę)"
    r"[^.\n]{0,60}\b(?:help|assist|comply|provide|fulfil|process|continue|summari[sz]e|helfen|weiterhelfen|erfüllen"
    r"|ayudar|cumplir|aider|aiutare|ajudar|pomóc)\w*)",
    re.IGNORECASE,
)
_REFUSAL_CHARS: Final = 600  # a longer text says something
_NONE: Final = (
    r"(?<!\w)(?:none|nothing|nil|n/?a|no|kein\w{0,2}|nichts|rien|aucune?s?|pas|nada|nenhuma?s?|ning[uú]n\w?|niente|nulla"
    r"|nessun\w?|geen|niets|inget|nic|żadn\w+|brak|ничего|нет|нечего|никаких)(?!\w)"
    r"|なし|無し|ない|ありません(?:でした)?|[没沒]有|[无無]|없(?:습니다|었습니다|음|어요|다)"
)
_WORD: Final = pattern(r"[^\W_]+")
_NONE_CHARS: Final = 160  # a longer text says something
_SAYS_NONE: Final = pattern(_NONE, re.IGNORECASE)
_OF_KEEPING: Final = pattern(  # words about facts, about talks, and about what is kept of them; they say nothing else
    _NONE
    + r"|(?<!\w)(?:facts?|memor\w+|matter\w*|worth\w*|durab\w+|lasting|stor\w+|remember\w*|record\w*|entr(?:y|ies)"
    r"|note\w*|relevan\w+|importan\w+|significan\w+|useful\w*|help\w*|appl(?:y|ies)|keep\w*|kept|sav(?:e|ed|ing)|retain\w*"
    r"|ses+i[oó]n\w*|convers\w+|discuss\w+|talk|chat|small|short|long|term|later|future|next|new|information|details?"
    r"|content|contain\w*|found|find|said|mention\w*|report\w*|special|fakten?|wichtig\w*|merk\w*|behalten\w*|(?:ge|ab)?speicher\w*"
    r"|notier\w*|festhalten\w*|dauerhaft\w*|besproch\w+|gespräch\w*|sitzung\w*|später\w*|gesagt|davon|gab|wäre|neue\w?|faits?|ét[eé]|cette|retenir|noter"
    r"|mémori\w+|signaler|particulier|spécial|utiles?|hechos?|dijo|esta|recordar|guardar|anotar|útil\w*|durade\w+|duratur\w+"
    r"|durador\w+|duraturo|fatt[oi]|non|emerso|questa|ricordare|annotare|salvare|rilevant\w+|sessione|fa(?:c?to)s?|lembrar|gravar|sessão|foi|dito|nesta|conversa"
    r"|feiten|feit|onthouden|bewaren|belangrijk\w*|gesprek\w*|gezegd|sessie|opslaan|noteren|fakt\w*|zapamięta\w+|zanotowa\w+"
    r"|ważn\w+|istotn\w+|sesj\w+|rozmow\w+|tej|pad[lł]o|nie|ma|do|w|minnas|spara|viktigt|факт\w*|важн\w+|нов\w+|существенн\w+|значим\w+"
    r"|интересн\w+|запом\w+|сохран\w+|запис\w+|примечательн\w+|сесси\w+|разговор\w*|бесед\w+|в|эт[оао]\w)(?!\w)"
    r"|本次|[这這](?:次|段|里|个)?|对话|對話|会话|會話|聊天|中|里|并|任何|什[么麼]|特[别別]|值得|需要|可以|[要可的]|[长長]期|以后|后[续面]"
    r"|[记記](?:住|忆|憶|录|錄|下来?)?|保存|[存儲储]+|下来|内容|內容|信息|資訊|事[实實実情]?|[东東]西|重要|新"
    r"|特に|今回|この|会話|セッション|記憶|記録|覚え(?:て)?(?:おく|る)?|残す|す(?:る)?|なる|べき|必要な?|こと|情報|もの|[はがにのをなで後]"
    r"|특별히|기억|기록|저장|중요|해야|[할한]|만한|것|내용|사항|사실|정보|대화|세션|이번|에서?|나중에|[이은는가을를]",
    re.IGNORECASE,
)


_UNCHANGED: Final = pattern(
    r"\W*(?:(?:there (?:are|is) )?(?:no|without|nothing) (?:new |further )?(?:changes?|updates?|new"
    r"|to (?:add|change|update))(?: (?:needed|required|necessary))?|(?:remains? |is |kept )?unchanged"
    r"|(?:the )?same as (?:before|above|now)|keine änderung(?:en)?|(?:bleibt )?unverändert|inchangée?"
    r"|(?:aucun|pas de) changements?|sin cambios|nessun cambiamento|nessuna modifica|invariat[ao]"
    r"|(?:sem|nenhuma) (?:alteraç(?:ões|ão)|mudanças?)|geen wijzigingen|ongewijzigd|bez zmian|без изменений"
    r"|変更(?:は)?(?:なし|ありません)|(?:没有|無|无)(?:任何)?(?:变化|变更|更新|更改)|변경 ?(?:사항 ?)?없음)\W*",
    re.IGNORECASE,
)


class Unusable(msgspec.Struct, frozen=True):
    """A reply that cannot be used: why, in words, and the whole text for review.

    `journal` is the journal entry if that much could be read from a text that is no JSON: it may
    replace a raw entry, while the text itself still waits for a person.
    """

    reason: str
    raw: str = ""
    journal: str = ""


def body(reply: Reply) -> str | Unusable:
    """Return the text to read, without thinking aloud and without one fence around it all."""
    raw = reply.text
    if reply.stop == "refusal":
        return Unusable("the model declined", raw)
    if reply.stop == "length":
        return Unusable("the answer was cut at its token limit", raw)
    if len(raw) > MAX_REPLY_CHARS:
        return Unusable(f"an answer of {len(raw)} characters; {MAX_REPLY_CHARS} are read", raw)
    text = unfenced(_THINKING.sub("", raw.removeprefix("\ufeff"), count=1).strip())
    if len(text) <= _REFUSAL_CHARS and "{" not in text and _REFUSED.match(text):
        return Unusable("the model declined", raw)
    return text or Unusable("an empty answer", raw)


def says_none(text: str) -> bool:
    """True if a short answer says that there is nothing to give, and no word of anything else."""
    if "\n" in text.strip() or len(text) > _NONE_CHARS or not _SAYS_NONE.search(text):
        return False
    left = _WORD.findall(fold(_OF_KEEPING.sub(" ", text)))
    return "user" not in left and all(is_joining(bare(word)) for word in left)


def says_unchanged(text: str) -> bool:
    """True if a text in the place of a document says that the document stays as it is."""
    return _UNCHANGED.fullmatch(text) is not None


def as_markdown(value: object) -> str | None:
    """Return a text, the lines of a list, or an object as sections of them; None if it holds anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        parts = [as_markdown(part) for part in value.values()]
        return "\n\n".join(f"## {key}\n{part}" for key, part in zip(value, parts, strict=True)) if all(parts) else None
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        return None
    return "\n".join(value)


def listed(text: str) -> str | None:
    """Return the lines of a list in JSON, alone or in an object of one key; None if a text is none."""
    value = read_json(text)
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    return as_markdown(value) if isinstance(value, list) else None


def unfenced(text: str) -> str:
    """Return a text without the one fence around it all."""
    text = text.strip() if text.lstrip().startswith(("```", "~~~")) else text
    for mark in ("```", "~~~"):
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
            first, _, rest = text.partition("\n")
            return (rest if first.removeprefix(mark).strip().isalnum() or first == mark else text[3:])[
                : -len(mark)
            ].strip()
    return text


def find(text: str, keys: Sequence[str], *, prompt: str = "") -> dict[str, Any] | Unusable:
    """Find the last JSON object in a text that has one of the keys and is no echo of the question.

    An object that is in the prompt word for word is an echo, and so is a JSON schema.
    """
    echoed = False
    best: dict[str, Any] | None = None
    for read in (_objects, _tolerated):
        for found, source in read(text):
            for candidate in _with_keys(found, keys):
                if is_schema(candidate, keys) or (prompt and source in prompt):
                    echoed = True
                else:
                    best = candidate
        if best is not None:
            return best
    if echoed:
        return Unusable("an echo of the question")
    return Unusable("the reply has no object with " + " or ".join(repr(key) for key in keys))


def _objects(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    decoder = json.JSONDecoder(strict=False, parse_constant=_no_constant)
    end = 0
    # Each failed start costs what was read of it; past this the text is an attack, not an answer.
    budget = 4 * len(text) + 100_000
    for start in (match.start() for match in _OPENING.finditer(text)):
        if start < end:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            budget -= 1 + error.pos - start + error.pos // 16  # the error counts the lines before it
        except (ValueError, RecursionError):
            budget -= 50_000
        else:
            yield value, text[start:end]
        if budget < 0:
            break


def _tolerated(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Read one object with trailing commas, or written as Python writes it."""
    start, end = text.find("{"), text.rfind("}") + 1
    source = text[start:end]
    if start < 0 or not 0 < len(source) <= _MAX_LITERAL_CHARS:
        return
    try:
        value = json.loads(_COMMA.sub(r"\1", source), strict=False, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        if not _PYTHON.match(source):
            return
        try:
            value = ast.literal_eval(source)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return
    if isinstance(value, dict):
        yield value, source


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _with_keys(value: object, keys: Sequence[str], depth: int = 2) -> Iterator[dict[str, Any]]:
    """Yield the object if it has one of the keys, else those of its values that do (a wrapper is common)."""
    if isinstance(value, str) and value.startswith("{"):  # the arguments of a call of a tool
        value = read_json(value)
    if not isinstance(value, dict):
        return
    if any(key in value for key in keys) or is_schema(value, keys):
        yield value
    elif depth:
        for inner in value.values():
            yield from _with_keys(inner, keys, depth - 1)


def is_schema(value: dict[str, Any], keys: Sequence[str]) -> bool:
    """True if an object is a JSON schema given back instead of an answer to it."""
    described = value.get("properties")
    if isinstance(described, dict) and (value.get("type") == "object" or any(key in described for key in keys)):
        return True
    ours = [value[key] for key in keys if key in value]
    return bool(ours) and all(isinstance(part, dict) and ("type" in part or "description" in part) for part in ours)


def usable_text(value: object) -> str | None:
    """Return a text if it says something; None for a placeholder or broken Unicode."""
    if not isinstance(value, str) or is_broken(value):
        return None
    text = value.strip()
    if not text or (len(text) <= 260 and _PLACEHOLDER.fullmatch(text)):
        return None
    return text


def quoted(text: str, key: str) -> str | None:
    """Read one complete string value out of a text that is no JSON; for the journal only."""
    for match in re.finditer(
        rf'["\']?{re.escape(key)}["\']?\s*[:=]\s*"((?:[^"\\]|\\.){{1,20000}})"\s*(?=[,}}\n]|\Z)', text
    ):
        try:
            value = json.loads(f'"{match.group(1)}"', strict=False)
        except ValueError:
            continue
        if usable := usable_text(value):
            return usable
    return None


def is_broken(text: str) -> bool:
    """True if a text holds half a character, which no file can keep."""
    return _SURROGATE.search(text) is not None


def read_json(text: str) -> object:
    """Read a text that is one JSON value; None where it is not."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
