"""A small WebSocket client (RFC 6455): text messages, pings and the close handshake. No compression."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import socket
import ssl
import struct
from typing import Any, Optional, Tuple
from urllib.parse import urlsplit

MAX_MESSAGE = 100 << 20
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class WebSocketError(ConnectionError):
    """The connection could not be made, or it ended."""


def _address(url: str) -> Tuple[bool, str, int, str]:
    parts = urlsplit(url)
    secure = parts.scheme in ("wss", "https")
    if parts.scheme not in ("ws", "wss", "http", "https") or not parts.hostname:
        raise ValueError(f"a server's address is ws://HOST:PORT or wss://HOST:PORT; got {url!r}")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return secure, parts.hostname, parts.port or (443 if secure else 80), path


def _request(host: str, port: int, path: str, token: Optional[str]) -> Tuple[bytes, str]:
    key = base64.b64encode(os.urandom(16)).decode()
    named = f"[{host}]" if ":" in host else host
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {named}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    ]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii"), accept


def _header(head: bytes, wanted: str) -> str:
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.strip().lower() == wanted:
            return value.strip()
    return ""


def _refusal_size(head: bytes) -> int:
    """How many bytes say why no WebSocket was opened; 0 if one was."""
    size = _header(head, "content-length")
    opened = head.split(b"\r\n", 1)[0].split(b" ")[1:2] == [b"101"]
    return 0 if opened or not size.isdecimal() else min(int(size[:9]), 1 << 16)


def _check_answer(head: bytes, accept: str, refusal: bytes) -> None:
    status = head.split(b"\r\n", 1)[0].decode("latin-1")
    if status.split(" ")[1:2] != ["101"]:
        try:
            why = json.loads(refusal)["error"]["message"]
        except (ValueError, TypeError, KeyError):
            why = "the server did not open a WebSocket"
        raise WebSocketError(f"{why} ({status})")
    if _header(head, "sec-websocket-accept") != accept:
        raise WebSocketError("the server's handshake has no Sec-WebSocket-Accept that fits")


def _frame(opcode: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
    mask = os.urandom(4)
    if not size:
        return head + mask
    # Whole numbers of any length make this fast without a loop.
    pad = (mask * (size // 4 + 1))[:size]
    masked = (int.from_bytes(payload, "big") ^ int.from_bytes(pad, "big")).to_bytes(size, "big")
    return head + mask + masked


def _length(second: int) -> int:
    """How many bytes of length follow the frame's second byte."""
    if second & 0x80:
        raise WebSocketError("the server sent a masked frame")
    return {126: 2, 127: 8}.get(second & 0x7F, 0)


class _Messages:
    """Puts frames together. `add` returns what came: a text, or what to answer."""

    def __init__(self) -> None:
        self._parts = bytearray()
        self._open = False

    def check(self, size: int) -> None:
        if size + len(self._parts) > MAX_MESSAGE:
            raise WebSocketError("the server sent a message of more than 100 MB")

    def add(self, first: int, payload: bytes) -> Tuple[Optional[str], Optional[bytes]]:
        opcode = first & 0x0F
        if opcode == _PING:
            return None, _frame(_PONG, payload)
        if opcode == _PONG:
            return None, None
        if opcode == _CLOSE:
            code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 1005
            reason = payload[2:].decode("utf-8", "replace")
            raise WebSocketError(f"the server closed the connection ({code}{': ' + reason if reason else ''})")
        if opcode not in (0, _TEXT) or (opcode == 0) != self._open:
            raise WebSocketError("the server sent a frame that is not part of a text")
        self._parts += payload
        self._open = not first & 0x80
        if self._open:
            return None, None
        text = self._parts.decode("utf-8")
        self._parts = bytearray()
        return text, None


class WebSocket:
    """A connection that blocks. Not for several threads at once."""

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 60.0) -> None:
        secure, host, port, path = _address(url)
        try:
            raw = socket.create_connection((host, port), timeout=min(10, timeout))
        except OSError as error:
            raise WebSocketError(f"no server answers at {host}:{port}: {error}") from error
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = ssl.create_default_context().wrap_socket(raw, server_hostname=host) if secure else raw
        self._socket.settimeout(timeout)
        self._file = self._socket.makefile("rb", buffering=1 << 16)
        self._messages = _Messages()
        try:
            self._shake_hands(host, port, path, token)
        except BaseException:
            self._file.close()
            self._socket.close()
            raise

    def _shake_hands(self, host: str, port: int, path: str, token: Optional[str]) -> None:
        request, accept = _request(host, port, path, token)
        self._socket.sendall(request)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self._file.readline(1 << 14)
            head += line
            if not line or len(head) > 1 << 16:
                raise WebSocketError("the server ended the connection during the handshake")
        _check_answer(head, accept, self._file.read(_refusal_size(head)))

    def send(self, text: str) -> None:
        try:
            self._socket.sendall(_frame(_TEXT, text.encode()))
        except OSError as error:
            raise WebSocketError(f"the connection is lost: {error}") from error

    def receive(self) -> str:
        while True:
            first, second = self._read(2)
            extra = _length(second)
            size = int.from_bytes(self._read(extra), "big") if extra else second & 0x7F
            self._messages.check(size)
            text, answer = self._messages.add(first, self._read(size))
            if answer:
                self._socket.sendall(answer)
            if text is not None:
                return text

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            raise WebSocketError(f"the connection is lost: {error}") from error
        if len(data) < size:
            raise WebSocketError("the server ended the connection")
        return data

    def close(self) -> None:
        try:
            self._socket.sendall(_frame(_CLOSE, struct.pack("!H", 1000)))
        except OSError:
            pass
        self._file.close()
        self._socket.close()


class AsyncWebSocket:
    """The same for asyncio."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._messages = _Messages()

    @classmethod
    async def open(cls, url: str, token: Optional[str] = None) -> "AsyncWebSocket":
        secure, host, port, path = _address(url)
        context: Any = ssl.create_default_context() if secure else None
        try:
            reader, writer = await asyncio.open_connection(host, port, ssl=context, limit=1 << 20)
        except OSError as error:
            raise WebSocketError(f"no server answers at {host}:{port}: {error}") from error
        request, accept = _request(host, port, path, token)
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            try:
                refusal = await reader.readexactly(_refusal_size(head))
            except asyncio.IncompleteReadError as cut:
                refusal = cut.partial
            _check_answer(head, accept, refusal)
        except BaseException as error:
            writer.close()
            ended = isinstance(error, (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError))
            if ended and not isinstance(error, WebSocketError):
                raise WebSocketError("the server ended the connection during the handshake") from error
            raise
        return cls(reader, writer)

    async def send(self, text: str) -> None:
        self._writer.write(_frame(_TEXT, text.encode()))
        await self._writer.drain()

    async def receive(self) -> str:
        try:
            while True:
                first, second = await self._reader.readexactly(2)
                extra = _length(second)
                size = int.from_bytes(await self._reader.readexactly(extra), "big") if extra else second & 0x7F
                self._messages.check(size)
                text, answer = self._messages.add(first, await self._reader.readexactly(size))
                if answer:
                    self._writer.write(answer)
                if text is not None:
                    return text
        except (asyncio.IncompleteReadError, OSError) as error:
            if isinstance(error, WebSocketError):
                raise
            raise WebSocketError("the server ended the connection") from error

    async def close(self) -> None:
        try:
            self._writer.write(_frame(_CLOSE, struct.pack("!H", 1000)))
            self._writer.close()
            await self._writer.wait_closed()
        except OSError:
            pass
