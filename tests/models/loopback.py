"""A loopback HTTP server that answers the real SDK clients from a script."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Loopback:
    """Answers POSTs in order from `script`; the last answer is repeated when `repeat` is set.

    An answer is `(status, body)` or `(status, body, headers)`; a body is an object (sent as JSON), bytes,
    or `HOLD`, which keeps the connection open until the test is over.
    """

    HOLD = object()
    DRIP = object()

    def __init__(self):
        self.script = []
        self.seen = []
        self.release = threading.Event()
        self.arrived = threading.Semaphore(0)
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                number = len(loopback.seen)
                loopback.seen.append({"path": self.path, "headers": dict(self.headers.items()), "body": body})
                loopback.arrived.release()
                status, answer, *more = loopback.script[min(number, len(loopback.script) - 1)]
                try:
                    self.answer(status, answer, more[0] if more else {})
                except OSError:
                    self.close_connection = True

            def answer(self, status, answer, headers):
                if answer is Loopback.HOLD:
                    loopback.release.wait(60)
                    self.close_connection = True
                    return
                if answer is Loopback.DRIP:
                    self.send_response(status)
                    self.send_header("content-length", "1000000")
                    self.end_headers()
                    while not loopback.release.wait(0.05):
                        self.wfile.write(b" ")
                        self.wfile.flush()
                    self.close_connection = True
                    return
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for key, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(key, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self):
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def anthropic_body(text, *, stop="end_turn", **usage):
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop,
        "usage": {"input_tokens": 10, "output_tokens": 5, **usage},
    }


def openai_body(text, *, stop="stop", refusal=None, **usage):
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [
            {"index": 0, "finish_reason": stop, "message": {"role": "assistant", "content": text, "refusal": refusal}}
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 4, "total_tokens": 16, **usage},
    }


class Provider:
    """What differs between the two SDKs, for tests that hold for both."""

    def __init__(self, name, server):
        self.name = name
        self.server = server
        self.body = anthropic_body if name == "anthropic" else openai_body
        self.length = "max_tokens" if name == "anthropic" else "length"
        self.refusal = "refusal" if name == "anthropic" else "content_filter"
        self.schema_field = "output_config" if name == "anthropic" else "response_format"
        self.opened = []

    def open(self, **config):
        from commonplace.config import ModelConfig
        from commonplace.models.anthropic import AnthropicLLM
        from commonplace.models.openai import OpenAILLM

        settings = ModelConfig(**{"retries": 2, **config})
        if self.name == "anthropic":
            llm = AnthropicLLM("claude-test", settings, base_url=self.server.url, api_key="test-key")
        else:
            llm = OpenAILLM("gpt-test", settings, base_url=self.server.url + "/v1", api_key="test-key")
        llm.ready()  # the SDK's import must not eat a small deadline
        self.opened.append(llm)
        return llm

    def error(self, kind, message="made up"):
        return {"type": "error", "error": {"type": kind, "code": kind, "message": message}}
