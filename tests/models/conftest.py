"""A scripted loopback server, and both SDKs against it."""

import pytest
from loopback import Loopback, Provider


@pytest.fixture
def server():
    loopback = Loopback()
    yield loopback
    loopback.close()


@pytest.fixture(params=["anthropic", "openai"])
def provider(request, server):
    made = Provider(request.param, server)
    yield made
    server.release.set()
    for llm in made.opened:
        llm._open()[1].close()
