"""The consolidators, by the name under which a layout chooses one; other packages bring more."""

from __future__ import annotations

from typing import Final

from commonplace.jobs.consolidators import compact, condense, episodes, rewrite, rounds, ruled, summarise, turns
from commonplace.jobs.consolidators.work import Consolidator
from commonplace.text.installed import Installed

CONSOLIDATORS: Final[Installed[Consolidator]] = Installed(
    "commonplace.consolidators",
    {
        "rules": Consolidator(ruled.propose, asks=False),
        "summarise": Consolidator(summarise.propose),
        "condense": Consolidator(condense.propose),
        "episodes": Consolidator(episodes.propose),
        "rounds": Consolidator(rounds.propose),
        "rewrite": Consolidator(rewrite.propose, rewrites=True),
        "turns": Consolidator(turns.propose, asks=False),
        "compact": Consolidator(compact.propose, window=True),
    },
)
