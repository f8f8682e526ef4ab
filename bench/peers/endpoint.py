"""A provider of embeddings as others speak to one: `POST /v1/embeddings`, on loopback only."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from embedding import Embedding

MODEL = "bge-small-en-v1.5"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # the connection stays open from call to call
    # An answer in one packet, sent at once: else each call would wait 40 ms for nothing.
    wbufsize = -1
    disable_nagle_algorithm = True
    embedding: Embedding

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        vectors = self.embedding.texts(texts).tolist()
        data = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        answer = {"object": "list", "model": MODEL, "data": data, "usage": usage}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing of each request."""


@contextmanager
def served(embedding: Embedding) -> Iterator[str]:
    """Serve an embedding in a thread of this process; yield the base URL."""
    handler = type("Handler", (_Handler,), {"embedding": embedding})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
