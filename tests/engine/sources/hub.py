"""A Hugging Face hub on this computer, for tests: a few files, and what can go wrong."""

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REVISION = "0123456789abcdef0123456789abcdef01234567"
LARGE = 10_000
"""Bytes from which a file is in large file storage."""


class Hub:
    """Serves repositories and remembers what it was asked.

    Attributes
    ----------
    repositories
        The files of each by name.
    asked
        Path and Range header of every request, in order.
    rates
        Bytes a second at which a file is sent, by its name.
    break_after
        Bytes after which the connection for a file is closed, by its name; then it answers 503.
    errors
        Status and the hub's own code for it, by repository.
    """

    def __init__(self):
        self.repositories, self.asked, self.rates = {}, [], {}
        self.break_after, self.errors, self.gated_files = {}, {}, {}
        self.spoilt = set()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                hub.asked.append((self.path, self.headers.get("Range")))
                try:
                    hub.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, handler):
        path = handler.path.partition("?")[0]
        if found := re.fullmatch(r"/api/models/(.+)", path):
            return self._info(handler, found[1])
        found = re.fullmatch(rf"/(.+)/resolve/{REVISION}/([^/]+)", path)
        if not found:
            return self._refuse(handler, 404, "EntryNotFound")
        return self._file(handler, *found.groups())

    def _refuse(self, handler, status, code):
        handler.send_response(status)
        handler.send_header("X-Error-Code", code)
        handler.send_header("X-Error-Message", code)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def _info(self, handler, repository):
        if repository in self.errors:
            return self._refuse(handler, *self.errors[repository])
        if repository not in self.repositories:
            return self._refuse(handler, 401, "RepoNotFound")
        files = self.repositories[repository]
        siblings = []
        for name, content in files.items():
            git = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
            about = {"rfilename": name, "size": len(content), "blobId": git}
            if len(content) >= LARGE:
                digest = hashlib.sha256(content).hexdigest()
                about["lfs"] = {"sha256": digest, "size": len(content), "pointerSize": 130}
            siblings.append(about)
        body = json.dumps({"id": repository, "sha": REVISION, "siblings": siblings}).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _file(self, handler, repository, name):
        if repository in self.gated_files:
            return self._refuse(handler, *self.gated_files[repository])
        content = self.repositories[repository][name]
        if name in self.spoilt:
            content = bytes(len(content))
        wanted = handler.headers.get("Range")
        start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted else 0
        limit = self.break_after.pop(name, None)
        if limit == 0:
            return self._refuse(handler, 503, "Unavailable")
        handler.send_response(206 if wanted else 200)
        handler.send_header("Content-Length", str(len(content) - start))
        if wanted:
            handler.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        handler.end_headers()
        rate = self.rates.get(name)
        piece = len(content) if rate is None else max(1, rate // 50)
        stop = len(content) if limit is None else start + limit
        for place in range(start, min(stop, len(content)), piece):
            handler.wfile.write(content[place : min(place + piece, stop)])
            if rate is not None:
                self._pause()
        if limit is not None:
            self.break_after[name] = 0
            handler.close_connection = True
        return None

    def _pause(self):
        threading.Event().wait(0.02)
