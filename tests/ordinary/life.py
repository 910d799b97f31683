"""A made-up life of three years: sessions between one user and an assistant, and the facts stated in them.

`life(seed)` builds about 1,000 sessions from the sentences in `life.json`, the same ones for the same seed. Each fact
knows its message, how a careful model writes it down, and a question. `faithful_reply` is that model's whole answer.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

START, DAYS = date(2023, 10, 1), 1096
DATA: dict[str, Any] = json.loads(Path(__file__).with_name("life.json").read_text(encoding="utf-8"))
SLOT = re.compile(r"(\b[Aa] )?\{(\^?)([a-z]\w*)(:his)?\}")
Message = tuple[str, str]  # role and text; or, of a turn, both texts


@dataclass(frozen=True)
class Fact:
    """One thing that the user states about themselves, in one message."""

    key: str
    session: str
    index: int  # of the user's message in its session
    at: datetime
    said: str  # the exact words of the message
    remembered: str  # what a careful model writes down
    question: str
    answer_marks: tuple[str, ...]  # a right hit contains at least one of them
    supersedes: str | None
    kind: str  # "fact", "preference", "instruction" or "safety"
    section: str  # the heading in MEMORY.md
    language: str
    pin: bool


@dataclass
class Session:
    """One conversation. `gist` says in one sentence, in other words, what it was about."""

    id: str
    at: datetime
    messages: list[Message] = field(default_factory=list)
    gist: str = ""
    language: str = "en"


@dataclass
class Life:
    """All sessions in order of time, all facts in order of statement, and the gist of each ordinary request."""

    sessions: list[Session]
    facts: list[Fact]
    gists: dict[str, str]  # by the exact text of a user's message

    def superseded(self, until: datetime) -> list[Fact]:
        """Return the facts that a later one had replaced by `until`."""
        gone = {fact.supersedes for fact in self.facts if fact.supersedes and fact.at <= until}
        return [fact for fact in self.facts if fact.key in gone]

    def questions(self, until: datetime) -> list[tuple[Fact, str]]:
        """Return each fact that holds at `until`, with the question that asks for it."""
        gone = {fact.key for fact in self.superseded(until)}
        return [(fact, fact.question) for fact in self.facts if fact.at <= until and fact.key not in gone]


Facts = Life | Sequence[Fact]
Stretch = Sequence[Message]
New = tuple[Fact, int, str | None]  # a fact, the index of its message, the old line that it replaces


@dataclass
class Plan:
    """A fact before its words are chosen: its schema, its values and its session."""

    schema: dict[str, Any]
    key: str
    session: int
    slots: dict[str, str]
    before: Plan | None = None
    said: str = ""
    message: str = ""
    remembered: str = ""
    question: str = ""
    marks: tuple[str, ...] = ()


class Decks:
    """Deal the items of named lists, each list in random order, and again when it is used up."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.left = rng, dict[str, list[Any]]()

    def deal(self, name: str, items: list[Any]) -> Any:
        """Return the next item of the list."""
        if not self.left.get(name):
            self.left[name] = self.rng.sample(items, len(items))
        return self.left[name].pop()


def fill(template: str, slots: dict[str, str]) -> str:
    """Return the template with its slots filled: `{^x}` capitalised, `{x:his}` in the third person."""

    def value(match: re.Match[str]) -> str:
        article, capital, name, third = match.groups()
        if name not in slots:
            return match.group()
        text = fill(slots[name], slots) if "{" in slots[name] else slots[name]
        if third:
            text = re.sub(r"\b(my|My|our|Our|I'm|I)\b(?!')", lambda word: str(DATA["his"][word.group()]), text)
        if capital:
            text = text[:1].upper() + text[1:]
        if article and re.match(r"[aeiouAEIOU8]|11", text) and not re.match(r"(?i)uni|use|eu|one", text):
            article = article[0] + "n "
        return (article or "") + text

    return SLOT.sub(value, template)


def relative(rng: random.Random, kind: str, today: date, language: str) -> tuple[str, str]:
    """Return a coming date as said ("next Tuesday") and as an absolute date. `kind` is near, weeks or month."""
    words = DATA["phrases"][language]["calendar"]
    if kind == "month":
        ahead = rng.randint(1, 9)
        year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
        name = words["months"][month]
        return (words["next_month"] if ahead == 1 else words["month"].format(name)), f"{name} {year}"
    days = rng.randint(1, 12) if kind == "near" else 7 * rng.randint(2, 8)
    day = today + timedelta(days=days)
    month_name = words["months"][day.month - 1]
    if kind == "weeks" and rng.random() < 0.5:
        said = rng.choice(words["weeks"]).format(words["numbers"][days // 7 - 2])
    elif days < 3:
        said = words["soon"][days - 1]
    elif days < 7:  # "next" only for a day of the next week, so that both of its readings agree
        said = words["this" if day.weekday() > today.weekday() else "next"].format(words["weekdays"][day.weekday()])
    elif days == 7:
        said = words["week"]
    elif day.month == today.month:
        said = words["day"].format(words["ordinals"][day.day - 1])
    else:
        said = words["date"].format(day.day, month_name)
    return said, words["full"].format(day.day, month_name, day.year)


def stems(text: str) -> set[str]:
    """Return the content words of a text, cut to four letters."""
    words = re.findall(r"[^\W_]{3,}", text.casefold())
    return {word[:4] for word in words if word not in DATA["stop"]}


def moments(rng: random.Random, schema: dict[str, Any]) -> list[float]:
    """Return when the states of one fact are stated, as fractions of the life."""
    if "at" in schema:
        return [max(0.0, at + (rng.uniform(-0.015, 0.015) if at > 0.1 else 0.0)) for at in schema["at"]]
    gap = 0.0035 if "date" in schema else 0.12  # a date is moved soon
    free = sorted(rng.uniform(0.02, 0.97 - gap * (schema["states"] - 1)) for _ in range(schema["states"]))
    return [(free[0] if "date" in schema else at) + gap * state for state, at in enumerate(free)]


def schedule(decks: Decks, sessions: int) -> tuple[list[Plan], dict[int, str]]:
    """Give each state of each fact a session and its values. A short life gets a part of the facts."""
    taken: Counter[int] = Counter()
    languages: dict[int, str] = {}
    plans: list[Plan] = []
    for schema, number in [(item, number) for item in DATA["schemas"] for number in range(item["many"])]:
        if schema["key"] != "name" and decks.rng.random() > max(sessions / 1000, 0.1):
            continue
        name, language, at = schema["key"], schema["language"], -1
        before: Plan | None = None
        fixed = decks.deal(f"{name}.fix", schema["fix"]["rows"]) if "fix" in schema else []
        for state, moment in enumerate(moments(decks.rng, schema)):
            at = max(at + 1, int(moment * sessions))
            while at < sessions and (taken[at] >= max(3, 800 / sessions) or languages.get(at, language) != language):
                at += 1
            if at >= sessions:
                break
            slots = dict(zip(schema["fix"]["names"], fixed, strict=True)) if fixed else {}
            if "var" in schema:
                rows = schema["var"]["rows"]
                row = rows[state] if schema.get("ordered") else decks.deal(f"{name}.var", rows)
                slots |= zip(schema["var"]["names"], row, strict=True)
            taken[at] += 1
            languages[at] = language
            before = Plan(schema, f"{name}.{number}.{state}", at, slots, before)
            plans.append(before)
    return sorted(plans, key=lambda plan: plan.session), languages


def word_plan(decks: Decks, plan: Plan, today: date) -> None:
    """Choose the words of a fact: its message, how it is remembered and how it is asked for."""
    schema, language = plan.schema, plan.schema["language"]
    month = DATA["phrases"][language]["calendar"]["months"][today.month - 1]
    plan.slots |= {"month": f"{month} {today.year}", "year": str(today.year)}
    if plan.before:
        plan.slots.update({f"old_{name}": text for name, text in plan.before.slots.items() if "old_" not in name})
    if "date" in schema:
        name, kind = schema["date"]
        said, absolute = relative(decks.rng, kind, today, language)
        while absolute in plan.slots.get(f"old_{name}_on", ""):
            said, absolute = relative(decks.rng, kind, today, language)
        plan.slots.update({name: said, f"{name}_on": absolute})
    sayings = "change" if plan.before else "say"
    known = "remembered_change" if plan.before and "remembered_change" in schema else "remembered"
    left, plan.said, right = fill(decks.deal(f"{schema['key']}.{sayings}", schema[sayings]), plan.slots).split("|")
    plan.message = left + plan.said + right
    plan.remembered = fill(decks.deal(f"{schema['key']}.{known}", schema[known]), plan.slots)
    questions = [fill(question, plan.slots) for question in schema["ask"]]
    fitting = [question for question in questions if stems(question) & stems(plan.remembered)]
    plan.question = decks.rng.choice(
        [question for question in fitting if stems(question) & stems(plan.message)] or fitting
    )
    plan.marks = tuple(fill(mark, plan.slots) for mark in schema["marks"])


def request(rng: random.Random, exchange: dict[str, Any]) -> tuple[list[Message], str]:
    """Return the turns of an ordinary exchange with its slots filled, and its gist."""
    phrases = DATA["phrases"][exchange["language"]]
    pick = rng.random()
    slots = {name: rng.choice(values) for name, values in exchange["slots"].items()}
    if exchange.get("paired"):
        slots = {name: values[int(pick * len(values))] for name, values in exchange["slots"].items()}
    texts = [fill(text, slots) for text in (rng.choice(exchange["open"]), *exchange["turns"])]
    if rng.random() < 0.2:
        texts[0] += rng.choice(phrases["endings"])
    if rng.random() < 0.07 and "`" not in texts[0]:
        texts[0] = texts[0].lower()
    for place in range(1, len(texts)):
        if rng.random() < 0.3:
            texts[place] = rng.choice(phrases["starts" if place % 2 else "hms"]) + texts[place]
        if place % 2 and rng.random() < 0.2 and not texts[place].endswith(("?", "```")):
            texts[place] += rng.choice(phrases["ends"])
    return list(zip(texts[::2], texts[1::2], strict=True)), sentence(fill(exchange["gist"], slots))


def sentence(text: str) -> str:
    """Return the text with a capital letter and an end mark."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", '"')) else text + "."


def converse(decks: Decks, stated: list[Plan], language: str, gists: dict[str, str]) -> list[Message]:
    """Return the messages of one session: ordinary exchanges, with the messages that state facts among them."""
    rng = decks.rng
    noise = [item for item in DATA["noise"] if item["language"] == language]
    phrases = DATA["phrases"][language]
    wanted = rng.randint(*rng.choice([(2, 4), (2, 4), (2, 4), (5, 8), (6, 14)]))
    blocks: list[list[Message]] = []
    count = len(stated)
    while count < wanted or not blocks:
        turns, gist = request(rng, decks.deal(f"noise.{language}", noise))
        if rng.random() < 0.3:
            turns[0] = (rng.choice(phrases["switches" if blocks else "greetings"]) + turns[0][0], turns[0][1])
        length = rng.randint(1, len(turns)) if rng.random() < 0.4 else len(turns)
        blocks.append(turns[: max(1, min(length, wanted - count))])
        count += len(blocks[-1])
        gists[turns[0][0]] = gist
    hosts = list(blocks)
    for plan in stated:
        text = plan.message
        if hosts and "?" not in text and rng.random() < 0.3:  # the fact joins an ordinary request
            host = hosts.pop(rng.randrange(len(hosts)))
            opening, answer = host[0]
            joined = f"{opening} {rng.choice(phrases['leads'])}{text}"
            gists[joined] = gists[opening]
            host[0] = (joined, f"{decks.deal(f'acks.{language}', phrases['acks'])} {answer}")
            continue
        spot = rng.randint(0, len(blocks))
        kind = "answers" if "?" in text else "acks"
        replies = plan.schema.get("reply") or [decks.deal(f"{kind}.{language}", phrases[kind])]
        lead = rng.choice(phrases["leads"]) if spot and rng.random() < 0.4 else ""
        tail = rng.choice(phrases["tails"]) if text.endswith(".") and rng.random() < 0.2 else ""
        blocks.insert(spot, [(lead + text + tail, fill(rng.choice(replies), plan.slots))])
    if count < 14 and rng.random() < 0.3:
        blocks.append([tuple(decks.deal(f"closers.{language}", phrases["closers"]))])
    return [message for block in blocks for turn in block for message in zip(("user", "assistant"), turn, strict=True)]


def life(seed: int = 7, sessions: int = 1000) -> Life:
    """Return the life that belongs to the seed."""
    decks = Decks(rng := random.Random(f"life {seed}"))
    plans, languages = schedule(decks, sessions)
    built = Life([], [], {})
    for number in range(sessions):
        day = START + timedelta(days=int((number + rng.random()) / sessions * DAYS))
        at = datetime(day.year, day.month, day.day, rng.randint(6, 21), rng.randrange(60), tzinfo=UTC)
        at = max(at, built.sessions[-1].at + timedelta(minutes=35)) if built.sessions else at
        language = languages.get(number) or ("de" if rng.random() < 0.02 else "en")
        session = Session(f"{rng.choice(['cli', 'phone', 'desk'])}:{number:04d}", at, language=language)
        here = [plan for plan in plans if plan.session == number]
        for plan in here:
            word_plan(decks, plan, at.date())
        session.messages = converse(decks, here, language, built.gists)
        for plan in here:
            index = next(i for i, (_, text) in enumerate(session.messages) if plan.message in text)
            schema, old = plan.schema, plan.before.key if plan.before else None
            words = (plan.said, plan.remembered, plan.question, plan.marks)
            how = (schema["kind"], schema["section"], language, bool(schema.get("pin")))
            built.facts.append(Fact(plan.key, session.id, index, at, *words, old, *how))
        session.gist = gist_of(session.messages, built.gists)
        built.sessions.append(session)
    built.facts.sort(key=lambda fact: (fact.at, fact.index))
    return built


def gist_of(messages: Stretch, gists: dict[str, str]) -> str:
    """Return one sentence on what the messages talk about, from the gists of the requests that begin in them."""
    asked = [text for role, text in messages if role == "user"]
    found = list(dict.fromkeys(gists[text] for text in asked if text in gists))
    if not found:  # the messages begin and end within a request
        words = sorted(set(re.findall(r"[^\W\d_]{5,}", " ".join(asked))), key=lambda word: (-len(word), word))[:3]
        found = [f"The conversation went on about {', '.join(words)}"] if words else []
    return sentence("; ".join(gist.removesuffix(".") for gist in found[:6])) if found else ""


def find_line(memory: str, remembered: str) -> str | None:
    """Return the line of the memory that holds the remembered text, without its bullet; None if there is none."""
    line = next((line for line in memory.splitlines() if remembered in line), None)
    return line and re.sub(r"^\s*(?:[-*+]\s+|\[?\d+[\].):]+\s+)*", "", line).rstrip()


def older(fact: Fact, by_key: dict[str, Fact]) -> Iterator[Fact]:
    """Yield the fact that this one supersedes, then the one that that one supersedes, and so on."""
    while fact.supersedes:
        fact = by_key[fact.supersedes]
        yield fact


def news(messages: Stretch, memory: str, facts: Sequence[Fact]) -> Iterator[New]:
    """Yield each fact that the messages add to the memory, its message's index and the old line that it replaces."""
    by_key = {fact.key: fact for fact in facts}
    stated: dict[str, int] = {}
    for index, (role, text) in enumerate(messages):
        if role == "user":
            stated |= {fact.key: index for fact in facts if fact.said in text and fact.key not in stated}
    known = {fact.key for fact in facts if fact.remembered in memory}
    outdated = {old.key for key in known | stated.keys() for old in older(by_key[key], by_key)}
    for key, index in stated.items():
        if key not in known | outdated:
            lines = (find_line(memory, old.remembered) for old in older(by_key[key], by_key))
            yield by_key[key], index, next((line for line in lines if line), None)


def merged(memory: str, new: Sequence[New]) -> str:
    """Return the memory with the new facts: an old line is replaced, any other fact goes under its heading."""
    lines = memory.splitlines()
    levels = Counter(len(mark) for mark in re.findall(r"^(#+) ", memory, re.MULTILINE))
    level = "#" * (levels.most_common(1)[0][0] if levels else 1)
    for fact, _, target in new:
        if target is not None:
            at = next(i for i, line in enumerate(lines) if line.rstrip().endswith(target))
            lines[at] = lines[at].rstrip().removesuffix(target) + fact.remembered
            continue
        is_heading = re.compile(rf"#+ {re.escape(fact.section)}\s*$").match
        heading = next((i for i, line in enumerate(lines) if is_heading(line)), None)
        if heading is None:
            lines += ([""] if lines and lines[-1].strip() else []) + [f"{level} {fact.section}"]
            heading = len(lines) - 1
        end = next((i for i in range(heading + 1, len(lines)) if lines[i].startswith("#")), len(lines))
        while end > heading + 1 and not lines[end - 1].strip():
            end -= 1
        lines.insert(end, f"- {fact.remembered}")
    return "\n".join(lines) + "\n" if new else memory


def faithful_reply(messages: Stretch, memory: str, facts: Facts, at: datetime | None = None) -> dict[str, Any]:
    """Return what a careful model answers for the messages: `rewrite`, `operations` and `episode`.

    With a `Life` as `facts` the journal also says what was talked about. The history entry starts with `at`, or else
    with the time of the first new fact.
    """
    gist = gist_of(messages, facts.gists) if isinstance(facts, Life) else ""
    new = list(news(messages, memory, facts.facts if isinstance(facts, Life) else facts))
    rows = ([gist] if gist else []) + [sentence(fact.remembered) for fact, _, _ in new]
    journal = " ".join(rows) or "A short exchange in which nothing lasting was said."
    at = at or (new[0][0].at if new else None)
    changes = [
        {"op": "replace" if target else "add", "text": fact.remembered}
        | ({"target_text": target} if target else {})
        | {"cites": [{"index": index, "words": fact.said}]}
        for fact, index, target in new
    ]
    entry = f"[{at:%Y-%m-%d %H:%M}] {journal}" if at else journal
    return {
        "rewrite": {"history_entry": entry, "memory_update": merged(memory, new)},
        "operations": {"journal": journal, "operations": changes},
        "episode": "\n".join([*rows[:2], " ".join(rows[2:])] if len(rows) > 3 else rows or [journal]),
    }


def rewrite(messages: Stretch, memory: str, facts: Facts, at: datetime | None = None) -> dict[str, str]:
    """Return the reply that holds a history entry and the whole new MEMORY.md."""
    return dict(faithful_reply(messages, memory, facts, at)["rewrite"])


def operations(messages: Stretch, memory: str, facts: Facts) -> dict[str, Any]:
    """Return the reply that holds a journal entry and single operations."""
    return dict(faithful_reply(messages, memory, facts)["operations"])


def episode(messages: Stretch, memory: str, facts: Facts) -> str:
    """Return the reply of one to three lines."""
    return str(faithful_reply(messages, memory, facts)["episode"])


def self_test(seed: int) -> list[str]:
    """Check the life of a seed and return five lines of counts."""
    built = life(seed)
    assert built == life(seed), "not deterministic"
    by_id, by_key = {session.id: session for session in built.sessions}, {fact.key: fact for fact in built.facts}
    everything = "\0".join(text for session in built.sessions for _, text in session.messages)
    for fact in built.facts:
        role, text = by_id[fact.session].messages[fact.index]
        assert role == "user", fact
        assert fact.said in text, fact
        assert everything.count(fact.said) == 1, fact
        assert all(any(mark in words for mark in fact.answer_marks) for words in (text, fact.remembered)), fact
        assert stems(fact.question) & stems(fact.remembered), fact
        old = by_key[fact.supersedes] if fact.supersedes else None
        assert not old or (old.at < fact.at and not any(mark in old.remembered for mark in fact.answer_marks)), fact
    months = Counter(f"{session.at:%Y-%m}" for session in built.sessions)
    assert len(months) == 36, "a month without sessions"
    memory = ""
    for session in built.sessions:
        reply = faithful_reply(session.messages, memory, built, at=session.at)
        assert reply["operations"]["operations"] or reply["rewrite"]["memory_update"] == memory, session.id
        assert 1 <= len(reply["episode"].splitlines()) <= 3, reply["episode"]
        memory = reply["rewrite"]["memory_update"]
    valid = {fact.remembered for fact, _ in built.questions(built.sessions[-1].at)}
    assert {line[2:] for line in memory.splitlines() if line.startswith("- ")} == valid, "the memory is not what holds"
    turns = [len(session.messages) // 2 for session in built.sessions]
    texts = [text for session in built.sessions for role, text in session.messages if role == "user"]
    return [
        f"sessions {len(turns)} in {len(months)} months ({min(months.values())} to {max(months.values())} in each)",
        f"turns {sum(turns)}, {min(turns)} to {max(turns)} a session; {len(set(texts))} different messages of the user",
        f"facts {len(built.facts)}: {dict(Counter(f'{fact.language} {fact.kind}' for fact in built.facts))}",
        f"superseded {len(built.facts) - len(valid)}, valid at the end {len(valid)}",
        f"{len(DATA['schemas'])} schemas, {len(DATA['noise'])} exchanges; last MEMORY.md {len(memory)} characters",
    ]


if __name__ == "__main__":
    print("\n".join(self_test(7)))
