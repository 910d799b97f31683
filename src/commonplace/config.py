"""Every knob once: its meaning, its unit in its name, and the design it comes from.

Order: these defaults, then a file, then the environment, then arguments. Nothing else in the package
repeats a default. `system_clock` is the one reader of the wall clock.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from functools import partial
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from commonplace.errors import ConfigError

Clock = Callable[[], datetime]


system_clock: Final[Clock] = partial(datetime.now, UTC)  # noqa: TID251 - the one place that reads the clock
"""Reads the time now, in UTC."""


class StoreConfig(msgspec.Struct, frozen=True):
    """How files are kept."""

    lock_wait_seconds: float = 30.0  # polled, then StoreBusyError
    checkpoint_changes: int = 100  # files are synced and the checkpoint moves
    checkpoint_seconds: float = 5.0  # the same, if so long ago
    max_line_bytes: int = 64_000_000  # one stored line; a 10 MB message must fit
    unstored_messages: int = 0  # may wait in memory while the disk refuses them; with 0 an `append` raises


class GuardConfig(msgspec.Struct, frozen=True):
    """What the guard lets in, and how."""

    raw_transcripts: bool = False  # transcripts also keep what is redacted; nothing but a person reads that
    own_tools: tuple[str, ...] = ()  # print only what the person's own workspace holds; case ignored
    owner: str = ""  # the name the person writes under; what other named users say is trusted as `tool`


class RecallConfig(msgspec.Struct, frozen=True):
    """How recall ranks; the weights of the ranking are in `recall.ranking`."""

    floor: float = 0.15  # the share of a short question that one passage has to hold; if none does, nothing is returned
    flood_share: float = 0.3  # of the hits, for one source that floods the top while others have something to say
    embedder: str = ""  # `openai:MODEL[@URL]`, `model2vec:FOLDER` and so on; without one recall goes by words
    embed_seconds: float = 3.0  # a recall waits so long for vectors; what has none by then is found by its words
    vector_weight: float = 0.5  # what the nearest counts against the best words
    vector_floor: float = 0.6  # of a hit that shares no word: 0 as near as unrelated texts, 1 as the same text
    model_chooses: bool = True  # a model orders what the tool looks up; else our ranking
    rerank_seconds: float = 20.0  # a model that was asked to order the hits; after it the order is ours


class ContextConfig(msgspec.Struct, frozen=True):
    """What enters a prompt."""

    tokens: int = 2000  # the whole budget when none is given
    stable_share: float = 0.75  # of the budget, for what is shown without a question; the rest is for what is recalled
    recall_k: int = 8  # hits asked for
    notes_tokens: int = 400  # of today's notes, in layouts that show them
    live: bool = False  # a change of a frozen section is shown at once; else in the next session
    buffer: bool = True  # one-line summaries of the session, in layouts that show them
    buffer_lines: int = 20  # of these summaries at most
    recap: bool = True  # the live conversation, in layouts that recap it; off if the host sends its messages itself
    orders_tokens: int = 2000  # of standing instructions and safety matters, in layouts that keep them in topics
    tree_tokens: int = 600  # of the tree of topics, in layouts that show it
    index_lines: int = 200  # lines of a document with its generated index of topics
    index_bytes: int = 25_000  # bytes of the same


class ModelConfig(msgspec.Struct, frozen=True):
    """How a model is called; every limit is passed to the SDK, whose own read timeout is 600 s."""

    base_url: str = ""  # of an OpenAI-compatible server: Ollama, vLLM, OpenRouter, LM Studio
    timeout_seconds: float = 60.0  # bounds one call with all its retries
    connect_seconds: float = 5.0  # a server that is not there is known at once
    max_tokens: int = 2000  # of one answer
    input_tokens: int = 0  # that the model takes, if known; a window is compacted at four fifths of it
    retries: int = 2  # after 408, 409, 429, 5xx or a broken connection, as long as the deadline allows


class Price(msgspec.Struct, frozen=True):
    """What a model costs for a million tokens, in the owner's currency; `cached` is input read from a cache."""

    input: float
    output: float
    cached: float | None = None  # as `input` when not given


class SpendingConfig(msgspec.Struct, frozen=True):
    """What models may take in a day. 0 lifts a ceiling."""

    daily_tokens: int = 1_000_000  # in and out together; about sixty times a busy day of the native layout
    daily_money: float = 5.0  # counts only calls of models in `prices`
    prices: dict[str, Price] = msgspec.field(default_factory=dict)  # by model name, or the start of one


class GateRules(msgspec.Struct, frozen=True):
    """When a proposal needs a person."""

    shrink_share: float = (
        0.60  # of a document: a rewriting that drops more, with nothing in its place, waits as a whole
    )
    review_days: int = 180  # what waits for a person so long is rejected by itself; 0 for never


class ConsolidationConfig(msgspec.Struct, frozen=True):
    """When jobs are due and what they may take."""

    range_tokens: int = 4000  # a range is about this long, cut at a turn; native consolidates a session from it on
    message_tokens: int = 1500  # of one message in a prompt; the middle of a longer one is left out
    entries: int = 120  # records a model is shown, at most
    idle_seconds: float = 3600.0  # a session without a message for so long is consolidated
    turns: int = 5  # a session is consolidated from so many turns on, in graph and memdir; other layouts count none
    window_tokens: int = 24_000  # a live window past this is compacted
    window_messages: int = 50  # a longer live window is cut
    keep_messages: int = 20  # what a compaction keeps
    keep_share: float = 0.0  # above 0, a compaction keeps this share of `window_messages` instead
    recap_tokens: int = 4000  # of the live window, where the layout recaps it
    rewrite_tokens: int = 16_000  # of a document a model writes anew; of a longer one it is given the end
    model: str = ""  # the model of these calls; the one that was opened when empty
    compaction: bool = True  # whether a long live window is compacted by itself, where the layout asks
    context_tokens: int = 50_000  # a window of which a prompt is estimated above it is compacted
    summary_tokens: int = 500  # of a compaction's summary
    episodes: bool = True  # an ended session leaves an episode, where the layout asks
    episode_turns: int = 3  # a shorter session leaves none
    episodes_by_model: bool = True  # a model writes episodes; else the rules
    summary_tools: bool = True  # results of tools in the prompt for it
    summary_message_tokens: int = 1500  # of one message in the prompt for it
    summary_seconds: float = 60.0  # of the call for it
    attempts: int = 5  # of a model at one range; then the rules take it (a summary of a window stays due)
    retry_seconds: float = 60.0  # until the second attempt; doubled for each after it, an hour at most
    awaited_seconds: float = 30.0  # reset and end wait for their job at most so long
    close_seconds: float = 60.0  # jobs under way at close may take so long


class MergingConfig(msgspec.Struct, frozen=True):
    """How a new entry is held against those that are there, in layouts with the add rule `merge` or `label`."""

    on_write: bool = True  # compare new entries with those that are there; else they are added beside them
    merge_threshold: float = 0.7  # from this cosine on, a model is asked about every doubtful entry
    add_threshold: float = 0.3  # below this cosine an entry is new; between both, of the nearest alone
    ask_model: bool = True  # a model merges and judges doubtful entries; else the rules


class ItemsConfig(msgspec.Struct, frozen=True):
    """How turns become notes and typed items, and which items enter a prompt; for layouts that have them."""

    daily_notes: bool = True  # a line a turn, shown if no item is
    recent_days: int = 7  # days of notes before today
    code_aware: bool = True  # failures, fixes, and the names of files and techniques
    promotion: bool = True  # an item of such confidence moves to a layer that lasts
    promotion_confidence: float = 0.75  # from it on an item moves
    decay: bool = True  # an old item counts less; nothing is taken away for its age
    decay_days: int = 30  # after so many days an item is old
    skill: str = ""  # what the agent does now; a tag of new items, and items that have it come first
    soft_tokens: int = 1800  # of the items in a prompt
    max_tokens: int = 3500  # of the same, for those that fit best
    working_top_k: int = 6  # lines of the live session and its summary
    episodic_top_k: int = 8  # items of what happened, at most
    semantic_top_k: int = 6  # facts and preferences, at most
    procedural_top_k: int = 4  # ways to do something, at most
    episodic_days: int = 21  # items of older days are found by recall alone
    disclosure: str = "summary"  # index, summary, selective_detail or full
    style: str = "balanced"  # compact, balanced or rich
    detail_score: float = 0.80  # from it on, selective_detail shows more
    hints: bool = True  # say how the tool shows more


class Config(msgspec.Struct, frozen=True):
    """All knobs of one memory."""

    timezone: str = "UTC"  # IANA name; files are dated in it
    enabled: bool = True  # off leaves the prompt empty, the tool without an answer and the jobs undone
    project: str = ""  # whose files are layered over the others: an id, a git common directory or a path
    store: StoreConfig = msgspec.field(default_factory=StoreConfig)
    guard: GuardConfig = msgspec.field(default_factory=GuardConfig)
    recall: RecallConfig = msgspec.field(default_factory=RecallConfig)
    context: ContextConfig = msgspec.field(default_factory=ContextConfig)
    limits: dict[str, int] = msgspec.field(default_factory=dict)  # by layer, in the unit of its cap: other caps
    retention: dict[str, int] = msgspec.field(default_factory=dict)  # by layer, or `sessions`, in days: what is older
    prompts: dict[str, str] = msgspec.field(default_factory=dict)  # by job: your own instructions, of several lines
    model: ModelConfig = msgspec.field(default_factory=ModelConfig)
    spending: SpendingConfig = msgspec.field(default_factory=SpendingConfig)
    gate: GateRules = msgspec.field(default_factory=GateRules)
    consolidation: ConsolidationConfig = msgspec.field(default_factory=ConsolidationConfig)
    merging: MergingConfig = msgspec.field(default_factory=MergingConfig)
    items: ItemsConfig = msgspec.field(default_factory=ItemsConfig)

    @property
    def zone(self) -> tzinfo:
        """The zone that files are dated in.

        Raises:
            ConfigError: There is no zone of that name.
        """
        if self.timezone == "UTC":
            return UTC
        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ConfigError(f"there is no timezone {self.timezone!r}; use a name such as Europe/Stockholm") from None


def knob(config: Config, path: str) -> bool | int | float | str:
    """Return the knob of a path such as `context.tokens`."""
    found = attrgetter(path)(config)
    return found if isinstance(found, bool | int | float | str) else ""
