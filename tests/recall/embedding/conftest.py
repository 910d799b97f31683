import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[2] / "models"))  # the loopback server stands there

from loopback import Loopback
from meanings import Meanings

from commonplace import Config, Memory
from commonplace.config import RecallConfig
from commonplace.recall.embedding import PROBES


@pytest.fixture
def embedder():
    return Meanings()


@pytest.fixture
def patient():
    """Knobs with which nothing is left for later."""
    return Config(recall=RecallConfig(embed_seconds=60.0))


@pytest.fixture
def memory(tmp_path, embedder, patient):
    with Memory.open(tmp_path / "memory", embedder=embedder, config=patient, jobs="worker") as opened:
        yield opened


@pytest.fixture
def said(embedder):
    """What of the texts embedded so far was no probe."""
    return lambda: [text for text in embedder.texts if text not in PROBES]


@pytest.fixture
def server():
    loopback = Loopback()
    yield loopback
    loopback.close()
