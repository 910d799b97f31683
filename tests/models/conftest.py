"""A scripted loopback server, and both SDKs against it."""

import functools
import ssl

import pytest
from loopback import Loopback, Provider

from inside import close_client


@pytest.fixture(autouse=True, scope="session")
def one_list_of_certificates():
    """Read the certificates once: each SDK client would read them anew, for 40 ms."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


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
        close_client(llm)
