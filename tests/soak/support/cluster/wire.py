"""What clients speak: HTTP requests, and the WebSocket of the Python package."""
import http.client
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "python"))
from openseat._websocket import WebSocket, WebSocketError  # noqa: E402

PATIENCE = 3.0  # seconds that a client waits for an answer before it asks elsewhere


class Unanswered(Exception):
    """It is unknown whether the request was done."""


def request(address, method, path, body=None, token=None, headers=None, timeout=PATIENCE):
    """(status, text)"""
    sent = {"Connection": "close", **(headers or {})}
    if token:
        sent["Authorization"] = "Bearer " + token
    if body is not None:
        sent["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection(*address, timeout=timeout)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise Unanswered(f"{method} {path} at {address[0]}: {error!r}") from error
    finally:
        connection.close()


def open_socket(address, path):
    """Raises Unanswered. Every message is awaited for PATIENCE."""
    try:
        return WebSocket(f"ws://{address[0]}:{address[1]}{path}", timeout=PATIENCE)
    except (WebSocketError, OSError) as error:
        raise Unanswered(f"{path} at {address[0]}: {error!r}") from error


def receive(socket):
    try:
        return json.loads(socket.receive())
    except (WebSocketError, OSError) as error:
        raise Unanswered(repr(error)) from error


def send(socket, message):
    try:
        socket.send(json.dumps(message))
    except (WebSocketError, OSError) as error:
        raise Unanswered(repr(error)) from error
