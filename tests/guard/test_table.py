import itertools
import json
import os
import random
import re

import blind_set
import pytest

from commonplace import guard
from commonplace.guard import codes, keys, printed, said, secrets, several, table, tables, values, views
from inside import parsed
from marking import in_one_test

RULES = table.load().rules
PATTERNS = {f"{rule.kind} {rule.id} {number}": rule.pattern for number, rule in enumerate(RULES) if rule.pattern}
PATTERNS |= {
    f"{module.__name__} {name}": table.compiled(value).pattern
    for module in (codes, keys, printed, said, secrets, several, tables, values, views)
    for name, value in vars(module).items()
    if name.strip("_").isupper() and isinstance(value, str) and name not in {"_SEPARATORS", "_EDGES", "_CJK"}
}
WIDEST = 20_000  # characters that one try of a rule may look at


def _repeats(tree):
    """Yield each repetition in a parsed pattern with the repetitions inside it."""
    for code, value in tree:
        name = str(code)
        if "REPEAT" in name:
            low, high, inner = value
            yield low, high, inner
            yield from _repeats(inner)
        elif name == "SUBPATTERN":
            yield from _repeats(value[-1])
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _repeats(branch)
        elif name in {"ASSERT", "ASSERT_NOT"}:
            yield from _repeats(value[1])


def _parsed(pattern):
    return parsed(pattern)


def test_there_are_at_least_150_kinds_of_secret():
    """Ecosystem survey: our own table, at least 150 kinds, from published token formats."""
    kinds = {rule.id for rule in RULES if rule.kind in {"token", "assigned"}}
    assert len(kinds) >= 150
    assert len({rule.vendor for rule in RULES if rule.vendor}) >= 100


def _made(tree, rng, groups):
    """Return a text that a parsed pattern matches; what its groups hold is noted."""
    parts = []
    for code, value in tree:
        match str(code):
            case "LITERAL":
                parts.append(chr(value))
            case "IN":
                parts.append(_one_of(value, rng))
            case "NOT_LITERAL" | "ANY":
                parts.append(rng.choice("abc789"))
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, inner = value
                count = min(high, max(low, rng.randint(low, low + 2)))
                parts += [_made(inner, rng, groups) for _ in range(count)]
            case "SUBPATTERN":
                parts.append(_made(value[-1], rng, groups))
                if value[0]:
                    groups[value[0]] = parts[-1]
            case "BRANCH":
                parts.append(_made(rng.choice(value[1]), rng, groups))
    return "".join(parts)


def _one_of(choices, rng):
    code, value = choices[0]
    if str(code) == "NEGATE":
        return rng.choice("abcXYZ789")
    code, value = rng.choice(choices)
    match str(code):
        case "RANGE":
            return chr(rng.randint(*value))
        case "CATEGORY":
            return {"DIGIT": "7", "SPACE": " "}.get(str(value).removeprefix("CATEGORY_"), "k")
    return chr(value)


@in_one_test("rule", [rule for rule in RULES if rule.pattern and rule.kind != "order"], ids=lambda r: r.id)
def test_each_kind_is_found_in_a_sentence_and_in_json(rule):
    """Issue 22: our own table, each kind with a made-up example: a rule that its keyword never reaches is dead."""
    found = 0
    for seed in range(6):
        groups: dict[int, str] = {}
        example = _made(_parsed(rule.pattern), random.Random(seed), groups)
        secret = groups.get(1, example)
        if rule.kind == "assigned":
            example = f"{rule.keywords[-1]}_api_key = {secret}"
        elif rule.id in {"url-password", "url-token"}:
            example = f"https{example}@host.example" if example[0] == ":" else f"{example}@host.example"
        elif rule.check == "random":  # not by a choice among all signs
            secret = blind_set.drawn(seed, blind_set.ALNUM, 40)
            example = example.replace(groups[1], secret)
        for text in (f"use {example} for it", json.dumps({"out": f"ok\n{example}"})):
            found += secret not in guard.screen(text).text
        if found >= 3:
            return
    pytest.fail(example)


def test_a_rule_id_fits_the_marker():
    """The marker must be recognised again, or it would be redacted twice."""
    for rule in RULES:
        assert re.fullmatch(r"[a-z0-9-]{1,40}", rule.id), rule.id


def test_keywords_are_lower_case_and_none_is_empty():
    """The keyword search runs on lower-case text."""
    for rule in RULES:
        assert rule.keywords
        assert all(keyword and keyword == keyword.lower() for keyword in rule.keywords), rule.id


@in_one_test("name", PATTERNS)
def test_a_pattern_looks_at_a_bounded_number_of_characters(name):
    """Safety notes, finding 10: bounded width from a bounded number of places makes the work linear."""
    tree = _parsed(PATTERNS[name])
    assert tree.getwidth()[1] <= WIDEST
    for _, high, _ in _repeats(tree):
        assert high <= WIDEST


@in_one_test("name", PATTERNS)
def test_a_pattern_has_no_quantifier_in_a_quantifier_that_could_match_in_many_ways(name):
    """Safety notes, finding 10: a repeated group begins or ends with a sign that what it repeats cannot be."""
    for _, high, inner in _repeats(_parsed(PATTERNS[name])):
        if high <= 1:
            continue
        nested = [(low, most) for low, most, _ in _repeats(inner) if most > 1 and low != most]
        # A group may repeat words only if space or a fixed sign parts them: it cannot be empty, and it is short.
        if nested:
            assert inner.getwidth()[0] >= 1
            assert high <= 24
            assert inner.getwidth()[1] <= 70


def _candidates(text):
    return [*itertools.chain(*table.load().keywords.candidates(text))]


def _attacks(rule):
    keyword = rule.keywords[0]
    yield from (f"{keyword}{filler}" for filler in ("", " ", "a1", "=", ":a", "\u200b"))
    yield f"{keyword}: {'A1' * 200} "


def _tries(text):
    """Count the tries of rules in a text: each looks at a bounded stretch, so this is the order of the work."""
    return sum(1 for view in views.of(text) for _ in _candidates(view.lowered))


@pytest.mark.slow
@in_one_test("rule", RULES, ids=lambda rule: rule.id)
def test_twice_the_text_is_twice_the_work_on_text_made_against_a_rule(rule):
    """Safety notes F28: linear on adversarial input; counted in tries, not in seconds."""
    for attack in _attacks(rule):
        times = 2_000 // len(attack) + 1
        assert _tries(attack * times * 2) <= 2.1 * _tries(attack * times) + 10


@pytest.mark.slow
@pytest.mark.battery
def test_texts_made_against_the_rules_pass_the_whole_guard_and_come_out_stable():
    """Safety notes F28: every rule's own worst text; 100 KB for each in the full battery."""
    full = os.environ.get("COMMONPLACE_BATTERY") == "full"
    for rule in RULES if full else RULES[::25]:
        for attack in _attacks(rule):
            once = guard.screen(attack * ((100_000 if full else 4_000) // len(attack)))
            assert guard.screen(once.text).text == once.text, (rule.id, attack)


def test_each_keyword_is_found_where_it_stands_alone_and_in_a_sentence():
    """The keyword search must never hide a candidate from its rule."""
    for rule in RULES:
        for keyword in rule.keywords:
            for text in (keyword, f"so {keyword}", f"({keyword}) é", f"x={keyword} y"):
                found = [(place, seen.rule.id) for place, seen in _candidates(text)]
                assert (text.index(keyword), rule.id) in found, (keyword, text)


def test_a_keyword_is_found_across_the_seams_of_a_long_text():
    """A long text is looked through in stretches; no keyword may hide on a seam."""
    keywords = ("password", "api key", "\n\nhuman:", "sk-ant-", "密码", "ignore", "discord.com/api/webhooks")
    for keyword in keywords:
        assert len(keyword) < 64
        for place in range(2048 - 30, 2048 + 4):
            text = "." * place + keyword + "." * 3000
            assert place in [at for at, seen in _candidates(text) if seen.keyword == keyword]
    assert max(len(keyword) for rule in RULES for keyword in rule.keywords) < 64


def test_lowering_keeps_every_place():
    """Places in the lower-case text are places in the text, also where a letter lowers to two."""
    text = "İstanbul PASSWORD ẞ ΣΑΣ"
    assert len(table.lower(text)) == len(text)
    assert table.lower(text).index("password") == text.index("PASSWORD")
