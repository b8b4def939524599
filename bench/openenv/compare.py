"""Steps a second of tic-tac-toe against a random opponent: this server's OpenEnv door, and a stand-in for the published environments
(stand_in.py says what it is). Two load processes with four sockets each drive one server after the other; `a CPU second` counts only the
server's own time, so it is right on a busy machine, too. `step_many` drives 64 environments over each socket.

All are measured in turn, twice; the better of two counts.

usage: compare.py OPENSEAT [SECONDS]      needs python3-fastapi, python3-uvicorn and python3-websockets
"""

import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import Any, List, Tuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from openseat._websocket import WebSocket  # noqa: E402
from openseat.server import Server  # noqa: E402

HERE = pathlib.Path(__file__).parent
LOADS, SOCKETS, MANY = 2, 4, 64
LEGAL = {"openseat": re.compile(r'"mask":\[([01,]*)\]'), "stand-in": re.compile(r'"legal_actions": \[([0-9, ]*)\]')}


def choose(kind: str, text: str) -> List[int]:
    listed = LEGAL[kind].search(text).group(1)  # type: ignore[union-attr]
    if kind == "openseat":
        return [i for i, one in enumerate(listed.split(",")) if one == "1"]
    return [int(one) for one in listed.split(",")] if listed else []


def singles(kind: str, url: str, seconds: float, steps: Any) -> None:
    sockets = [WebSocket(url) for _ in range(SOCKETS)]
    reset = '{"type":"reset","data":{"seed":%d}}' if kind != "openseat" else '{"type":"reset","data":{"seed":%d,"fields":["mask"]}}'
    step = '{"type":"step","data":{"choice":%d}}' if kind == "openseat" else '{"type":"step","data":{"action_id":%d}}'
    for socket in sockets:
        socket.send(reset % 1)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for socket in sockets:
            legal = choose(kind, socket.receive())
            socket.send(step % legal[count % len(legal)] if legal else reset % count)
            count += bool(legal)
    steps.value = count


def many(url: str, seconds: float, steps: Any) -> None:
    socket = WebSocket(url)
    socket.send('{"type":"reset_many","data":{"count":%d,"seed":1,"autoreset":true,"fields":["mask"]}}' % MANY)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        masks = LEGAL["openseat"].findall(socket.receive())
        chosen = [max(mask.find("1"), 0) // 2 for mask in masks]
        socket.send('{"type":"step_many","data":{"actions":[%s]}}' % ",".join('{"choice":%d}' % id for id in chosen))
        count += MANY
    steps.value = count


def cpu(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(pid: int, target: Any, arguments: Tuple[Any, ...], seconds: float) -> Tuple[float, float]:
    counts = [multiprocessing.Value("q", 0) for _ in range(LOADS)]
    loads = [multiprocessing.Process(target=target, args=(*arguments, seconds, count)) for count in counts]
    before = cpu(pid)
    for load in loads:
        load.start()
    for load in loads:
        load.join()
    total = sum(count.value for count in counts)
    return total / seconds, total / max(cpu(pid) - before, 0.01)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    os.environ["OPENSEAT_PROGRAM"] = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    rows: dict = {}

    def note(name: str, measured: Tuple[float, float]) -> None:
        rows[name] = tuple(map(max, rows.get(name, (0.0, 0.0)), measured))

    for _ in range(2):
        with Server(["--shards", "1"]) as server:
            url = server.url.replace("http", "ws") + "/openenv/tictactoe/ws"
            pid = server._process.pid
            note("openseat, step", measure(pid, singles, ("openseat", url), seconds))
            note("openseat, step_many", measure(pid, many, (url,), seconds))
        for checks in ("plain", "pydantic"):
            command = ["/usr/bin/python3", str(HERE / "stand_in.py"), checks]
            stand_in = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            try:
                port = int(stand_in.stdout.readline())  # type: ignore[union-attr]
                note(f"stand-in, {checks}", measure(stand_in.pid, singles, ("stand-in", f"ws://127.0.0.1:{port}/ws"), seconds))
            finally:
                stand_in.terminate()
                stand_in.wait()
    for base in ("stand-in, plain", "stand-in, pydantic"):
        print(f"against the {base}:")
        for name, (wall, per_cpu) in rows.items():
            times = (wall / rows[base][0], per_cpu / rows[base][1])
            print(f"  {name:20} {wall:9.0f} steps a second ({times[0]:.1f} times), {per_cpu:9.0f} a CPU second ({times[1]:.1f} times)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
