"""Two agents play Netrunner over webhooks and REST while the server is killed (-9) again and again: while a receiver is
down, while it has an event that it does not answer, and at other moments. No event is lost, none arrives out of order, and
a repeated event is the same. usage: play_through_kills.py EXAMPLE_DIR OPENSEAT DATA_DIR"""
import atexit
import http.client
import http.server
import json
import queue
import re
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error

sys.path.insert(0, sys.argv[1])
import agent as example  # noqa: E402

OPENSEAT, DATA = sys.argv[2], sys.argv[3]
ASKING = example.ASKING


class Server:
    """The real program, on the same port in all its lives."""

    def __init__(self):
        self.port = 0
        self.lives = 0
        atexit.register(lambda: self.process.kill())
        self.start()

    def start(self):
        self.lives += 1
        for _ in range(50):
            self.process = subprocess.Popen(
                [OPENSEAT, "serve", "--listen", "127.0.0.1:%d" % self.port, "--chimera-listen", "none",
                 "--data-dir", DATA, "--log-level", "error"], stdout=subprocess.PIPE, text=True)
            line = self.process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)$", line.strip())
            if found:
                self.port = int(found.group(1))
                self.url = "http://127.0.0.1:%d" % self.port
                return
            self.process.wait()
            time.sleep(0.1)
        sys.exit("the server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.start()


class Seat:
    """One seat's agent. `mode`: "up" accepts every event; "down" answers 503; "mute" reads the event, has the server
    killed, and never answers."""

    def __init__(self, name, seed, secret="s3cret"):
        self.name, self.secret, self.mode = name, secret, "up"
        self.chooser = example.Agent.__new__(example.Agent)
        self.chooser.random = example.random.Random(seed)
        self.lock = threading.Lock()
        self.taken, self.events, self.problems = {}, queue.Queue(), []
        self.tries, self.repeated, self.refused = 0, 0, 0
        self.on_mute = threading.Event()
        seat = self

        class Receiver(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with seat.lock:
                    seat.tries += 1
                    mode = seat.mode
                    if mode != "down":
                        seat.take(int(self.headers["X-Openseat-Sequence"]), self.headers["webhook-id"], body)
                    if mode == "mute":
                        seat.mode = "up"
                if mode == "mute":
                    seat.on_mute.set()
                    self.close_connection = True
                    return
                self.send_response(503 if mode == "down" else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        self.receiver.handle_error = lambda *_: None  # a server that is killed cuts its connections
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        self.spec = {"kind": "webhook", "url": "http://127.0.0.1:%d/" % self.receiver.server_port, "key": secret}

    def take(self, sequence, delivery, body):
        known = self.taken.get(sequence)
        if known:
            self.repeated += 1
            if known != (delivery, body):
                self.problems.append("event %d came again with other contents" % sequence)
            return
        if sequence != len(self.taken) + 1:
            self.problems.append("event %d came after %d" % (sequence, len(self.taken)))
        self.taken[sequence] = (delivery, body)
        self.events.put(json.loads(body))

    def post(self, path, body, key):
        """Plays through all the lives of the server."""
        while True:
            try:
                return example.request("POST", server.url + path, body, key)
            except (urllib.error.URLError, ConnectionError, http.client.HTTPException, json.JSONDecodeError):
                time.sleep(0.05)

    def play(self, key):
        while True:
            event = self.events.get(timeout=120)
            payload = event["payload"]
            if event["event"] == "game-ended":
                return
            if event["event"] not in ASKING or not payload["available-actions"]["can-act"]:
                continue
            path, body = self.chooser.choose(payload["available-actions"])
            if "prompt" in payload:
                body["eid"] = payload["prompt"]["eid"]
            answer = self.post(path, body, key)
            if not answer.get("success"):
                # A decision that is announced again after a kill may already have been answered.
                self.refused += 1


def wait_until(what, condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    sys.exit("timed out: " + what)


server = Server()
seats = {"corp": Seat("corp", 5), "runner": Seat("runner", 6)}
made = example.request("POST", server.url + "/api/v1/matches", {
    "game": "netrunner", "options": {"format": "system-gateway-beginner"},
    "seats": [{"role": side, "name": side, "agent": seat.spec} for side, seat in seats.items()]})
assert "match-id" in made, made
threads = []
for each in made["seats"]:
    thread = threading.Thread(target=seats[each["role"]].play, args=(each["api-key"],), daemon=True)
    thread.start()
    threads.append(thread)


def told():
    return sum(len(seat.taken) for seat in seats.values())


def over():
    return not any(thread.is_alive() for thread in threads)


kills = []
for at, side, how in [(10, "corp", "down"), (40, "runner", "mute"), (70, None, "any"), (90, "runner", "down"),
                      (120, "corp", "mute"), (150, None, "any")]:
    wait_until("%d events" % at, lambda: told() >= at or over())
    if over():
        break
    if how == "down":
        seat = seats[side]
        with seat.lock:
            seat.mode, before = "down", seat.tries
        wait_until("a try", lambda: seat.tries > before or over())
    elif how == "mute":
        with seats[side].lock:
            seats[side].mode = "mute"
        wait_until("an event", lambda: seats[side].on_mute.is_set() or over())
    server.kill()
    kills.append(how)
    for seat in seats.values():
        with seat.lock:
            seat.mode = "up"
for thread in threads:
    thread.join(200)
assert over(), "the match %s has not ended for both" % made["match-id"]

for name, seat in seats.items():
    assert not seat.problems, (name, seat.problems)
    names = [json.loads(body)["event"] for _, body in (seat.taken[number] for number in sorted(seat.taken))]
    assert names[0] == "game-started" and names.count("game-started") == 1, names
    assert names[-1] == "game-ended" and names.count("game-ended") == 1, names
    # At most the events that were repeated after each kill, and those that followed from them.
    assert seat.refused <= 4 * len(kills), (name, seat.refused)
transcript = example.request("GET", server.url + "/api/v1/tables/%s/transcript?viewer=all&limit=10000" % made["match-id"])
dropped = [each for each in transcript["events"] if '"dropped"' in json.dumps(each)]
assert not dropped, dropped


def forgotten():
    registry = sqlite3.connect("file:%s/registry.db?mode=ro" % DATA, uri=True)
    left = registry.execute("SELECT (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM deliveries)").fetchone()[0]
    registry.close()
    return left == 0


wait_until("the targets' being forgotten", forgotten)
server.process.kill()
server.process.wait()
if len(kills) < 4:
    print("the game was over after %d kills: it proves too little" % len(kills))
    sys.exit(75)
print("%d kills (%s): %d events, none lost; %d came again, %d answers were refused" % (
    len(kills), ", ".join(kills), told(), sum(seat.repeated for seat in seats.values()),
    sum(seat.refused for seat in seats.values())))
