"""A model on the loopback device that answers what is scripted, or what a reader writes, by OpenAI's chat completions."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol


class Model(Protocol):
    """Who answers."""

    def answer(self, request: dict[str, Any]) -> str:
        """The text of the answer to a request."""


@dataclass
class Script:
    """The answers, and the questions with the moment at which each came. The last answer is repeated."""

    answers: list[str]
    questions: list[str] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)

    def answer(self, request: dict[str, Any]) -> str:
        """Notes a question and gives its answer."""
        self.moments.append(time.monotonic())
        self.questions.append("\n".join(text_of(message["content"]) for message in request["messages"]))
        return self.answers[min(len(self.questions), len(self.answers)) - 1]


@contextmanager
def serve(model: Model) -> Iterator[str]:
    """Serves a model; gives the base URL."""

    class Handler(BaseHTTPRequestHandler):
        """Answers chat completions."""

        def do_POST(self) -> None:
            """One completion, whole or as a stream of one piece."""
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = _message(request, model.answer(request))
            finish = "tool_calls" if "tool_calls" in message else "stop"
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            common = {"id": "scripted", "created": 0, "model": request["model"], "usage": usage}
            if request.get("stream"):
                delta = {"index": 0, "delta": message, "finish_reason": finish}
                chunk = {**common, "object": "chat.completion.chunk", "choices": [delta]}
                self._send("text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")
            else:
                whole = {"index": 0, "message": message, "finish_reason": finish}
                self._send("application/json", json.dumps({**common, "object": "chat.completion", "choices": [whole]}))

        def _send(self, kind: str, body: str) -> None:
            data = body.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def call(name: str, **arguments: object) -> str:
    """An answer that calls a tool."""
    return json.dumps({"thoughts": "Scripted.", "command": {"name": name, "args": arguments}})


def _message(request: dict[str, Any], text: str) -> dict[str, Any]:
    """An answer as a message. Where a shell is the only tool, a fenced block of it is its call."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    fenced = re.search(r"(?ms)^```bash\n(.*)\n```\s*\Z", text)
    if fenced and [tool["function"]["name"] for tool in request.get("tools") or []] == ["bash"]:
        arguments = json.dumps({"command": fenced[1]})
        call = {"id": f"call-{len(request['messages'])}", "type": "function"}
        message["content"] = text[: fenced.start()].strip()
        message["tool_calls"] = [{**call, "function": {"name": "bash", "arguments": arguments}}]
    return message


def text_of(content: str | list[dict[str, Any]]) -> str:
    """The text of a message."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
