"""Finding a server, or starting one: the program `openseat` from the path or from npm."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
import threading
from typing import List, Optional

_LISTENS = re.compile(r"^Openseat \S+ listens on (https?://\S+)$")


def find_program() -> List[str]:
    """The command that runs `openseat`: $OPENSEAT_PROGRAM, the path, or npm's npx."""
    named = os.environ.get("OPENSEAT_PROGRAM")
    if named:
        return [named]
    found = shutil.which("openseat")
    if found:
        return [found]
    npx = shutil.which("npx")
    if npx:
        return [npx, "--yes", "openseat"]
    raise FileNotFoundError(
        "there is no program openseat: install the package, set OPENSEAT_PROGRAM to it, or pass url= of a server"
    )


class Server:
    """A server of one's own: it listens on a free port of this machine, and keeps its data in a temporary folder."""

    def __init__(self, arguments: Optional[List[str]] = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="openseat-")
        command = find_program() + ["serve", "--listen", "127.0.0.1:0", "--chimera-listen", "none"]
        command += ["--data-dir", self._folder.name, "--log-level", "warn"] + (arguments or [])
        self._command = " ".join(command)
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self._read_url()
        # What it prints later must not fill the pipe.
        self._drained = threading.Thread(target=self._drain, daemon=True)
        self._drained.start()
        atexit.register(self.close)

    def _read_url(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            match = _LISTENS.match(line.strip())
            if match:
                return match.group(1)
        raise RuntimeError(
            f"the server did not start: {self._command} exited with {self._process.wait()}; "
            "$OPENSEAT_PROGRAM can name the program"
        )

    def _drain(self) -> None:
        assert self._process.stdout is not None
        try:
            for _ in self._process.stdout:
                pass
        except ValueError:
            pass  # it was closed

    def close(self) -> None:
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._drained.join(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_own: Optional[Server] = None
_lock = threading.Lock()


def server_url(url: Optional[str] = None) -> str:
    """`url` itself, or $OPENSEAT_URL; without either, that of a server that is started once and ends with the program."""
    global _own
    url = url or os.environ.get("OPENSEAT_URL")
    if url:
        return url.rstrip("/")
    with _lock:
        if _own is None:
            _own = Server()
        return _own.url
