"""`commonplace worker`: as a supervisor runs it, and what it says of what waits."""

from __future__ import annotations

import configparser
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from commonplace import Memory, Message
from commonplace.errors import ModelUnavailableError
from commonplace.testing import FixedClock, ScriptedLLM
from forking import started

ROOT = Path(__file__).parents[3]
LONG_AGO = datetime.now(UTC) - timedelta(days=1)


def recorded(folder, sessions=1):
    with Memory.open(folder, jobs="worker") as memory:
        for number in range(sessions):
            memory.append(f"chat:{number}", [Message("user", "I live in Bergen.", id="m0", at=LONG_AGO)])


def test_once_does_what_is_due_and_status_says_what_waits(here, run):
    """Issue 20: `worker --status`; without a model the rules do it."""
    recorded(here / "m", 12)
    before = run("worker", "-C", "m", "--status")
    assert before.out.splitlines()[0] == "due default: chat:0, consolidate, 1 messages to m0"
    assert len(run("worker", "-C", "m", "--status", "--json").data["due"]) == 12
    done = run("worker", "-C", "m", "--once")
    assert (done.code, done.out) == (0, "")
    assert run("worker", "-C", "m", "--status").out == "nothing waits\n"
    with Memory.open(here / "m", jobs="worker") as memory:
        assert {state.cursors["consolidate"] for state in memory.sessions.list()} == {1}


def test_sigterm_ends_it_with_code_0_and_one_line_a_record(here):
    """Issue 20: clean stop on SIGTERM, exit codes and log records fit for systemd."""
    recorded(here / "m")
    command = [sys.executable, "-m", "commonplace", "worker", "-C", "m", "--every", "60"]
    with started(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=os.environ) as process:
        first = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        rest = process.stderr.read()
    assert first.startswith("INFO the worker of ")
    assert rest.splitlines()[-1] == "INFO the worker ends"


def test_a_failure_is_named_with_its_job_also_of_no_session(here, run):
    """Issue 17.1: of a dream that failed `status` said `, from message 0`."""
    down = ScriptedLLM([ModelUnavailableError("no connection")], repeat=True)
    clock = FixedClock(datetime.now(UTC).isoformat())
    with Memory.open(here / "m", layout="memdir", llm=down, clock=clock, jobs="inline") as memory:
        memory.remember("The server listens on port 8080.")
        for number in range(7):
            memory.append(f"chat:{number}", [Message("user", "Hello there."), Message("assistant", "Hello.")])
        clock.advance(hours=30)
        memory.append("chat:9", [Message("user", "Hello.")])
        memory.flush()
    said = run("status", "-C", "m").out
    assert "dream: no connection; tried again at" in said
    assert "chat:0, extract, from message 0: no connection" in said
    assert "dream: no connection" in run("worker", "-C", "m", "--status").out


def test_a_wrong_configuration_is_code_2(here, run):
    """Issue 20: exit codes; systemd does not start it again."""
    assert run("worker", "-C", "m", "--layout", "nothing", "--once").code == 2
    assert run("worker", "-C", "m", "--model", "foo:bar").code == 2


def test_the_unit_for_systemd_starts_a_worker_that_ends_well(here, run, monkeypatch):
    """Issue 20: a unit file in `examples/`: its command and variables are ours, and code 2 is not tried again."""
    unit = configparser.ConfigParser(interpolation=None, strict=False, delimiters=["="])
    unit.optionxform = str
    text = (ROOT / "examples/commonplace-worker.service").read_text("utf-8")
    unit.read_string(text)
    command = unit["Service"]["ExecStart"].split()
    assert (Path(command[0]).name, unit["Service"]["RestartPreventExitStatus"]) == ("commonplace", "2")
    named = [line.split("=")[1] for line in text.splitlines() if line.startswith("Environment=")]
    recorded(here / "m")
    for name, value in zip(named, ["m", ""], strict=True):
        monkeypatch.setenv(name, value)
    assert len(run(*command[1:], "--status", "--json").data["due"]) == 1
    assert run(*command[1:], "--once").code == 0
    assert run(*command[1:], "--status").out == "nothing waits\n"


def test_once_ends_though_its_model_is_set_up_wrongly(here, run, monkeypatch):
    """Issue 17: a run whose key was not accepted asked over and over and never ended."""
    asked = []

    class Refuses(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(401)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    monkeypatch.setenv("OPENAI_API_KEY", "made up")
    recorded(here / "m")
    with ThreadingHTTPServer(("127.0.0.1", 0), Refuses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = run("worker", "-C", "m", "--once", "--model", f"openai:any@http://127.0.0.1:{server.server_port}/v1")
        server.shutdown()
    assert done.code == 2  # systemd does not start it again
    assert 1 <= len(asked) <= 4
    assert "consolidate" in run("worker", "-C", "m", "--status").out
