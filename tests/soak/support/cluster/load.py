"""Those who play while the cluster breaks: each a thread that goes to another node when it gets no answer."""
import hashlib
import http.server
import json
import queue
import random
import threading
import time
import uuid

import history
import machines
import wire

HANDS = ("rock", "paper", "scissors")
UPLOADED = "my-leduc"
# Of how many rounds a match is at most.
ROUNDS = 51


class Stopped(Exception):
    """The run is over, and there is nothing to finish."""


class Load(threading.Thread):
    """`table` is the match that it plays now; `answered` when each of its choices was sent and acknowledged."""

    def __init__(self, run, name):
        super().__init__(name=name, daemon=True)
        self.party = run
        self.table = None
        self.answered = []
        self.trouble = ""
        self.failure = None
        self.done = False
        self._address = None

    def run(self):
        try:
            while not self.party.ending:
                self.play()
        except Stopped:
            pass
        except Exception as error:  # noqa: BLE001 - whatever it is, the run fails because of it
            self.failure = repr(error)
            raise
        finally:
            self.done = True

    def play(self):
        raise NotImplementedError

    def node(self):
        if self._address is None or self._address not in self.party.cluster.addresses():
            self._address = random.choice(self.party.cluster.addresses())
        return self._address

    def leave(self, trouble):
        """Goes to another node."""
        self.trouble = str(trouble)
        others = [address for address in self.party.cluster.addresses() if address != self._address]
        self._address = random.choice(others) if others else None
        time.sleep(0.1 + random.random() * 0.2)

    def pause(self):
        time.sleep(0.02 if self.party.ending else self.party.pace * random.uniform(0.5, 1.5))

    def ask(self, method, path, body=None, headers=None, token=None, timeout=wire.PATIENCE):
        """(status, JSON); goes elsewhere, without a status, if it is unknown what became of the request."""
        try:
            status, text = wire.request(self.node(), method, path, body, token, headers, timeout)
        except wire.Unanswered as error:
            self.leave(error)
            return None, None
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"text": text}
        if status in (429, 500, 502, 503, 504):
            self.leave(f"{method} {path}: {status} {text[:200]}")
            return None, answer
        return status, answer

    def make(self, body):
        """A new match that is surely there. `body` makes the request; a try whose answer is lost may make one, too."""
        while True:
            status, made = self.ask("POST", "/api/v1/matches", {**body(), "private": False}, token=machines.TOKEN)
            if status == 201:
                return made
            if status is not None:
                self.party.history.write("false", table="a new match", text=f"{self.node()[0]} made none: {status} {made}")
                self.leave(f"{status} {made}")
            if self.party.ending:
                raise Stopped

    def act(self, answer, sent, seat, choice, key=None):
        """Writes down what became of a choice: answer is "yes", "no" or "unknown"."""
        told = time.time()
        self.party.history.write("act", table=self.table, seat=seat, choice=choice, answer=answer, key=key, sent=sent, told=told,
                                 load=self.name)
        if answer == "yes":
            self.answered.append((sent, told))
            self.pause()

    def say(self, what, **members):
        self.party.history.write(what, table=self.table, **members)

    def show_rounds(self, seat, state, thrown):
        rounds = state["rounds"]
        last = [rounds[-1]["p1_hand"], rounds[-1]["p2_hand"]] if rounds else None
        self.say("rounds", seat=seat, count=len(rounds), last=last, thrown=thrown)


class Pair:
    """Two persons who play match after match, over Chimera, at nodes of their own choice."""

    def __init__(self, run, name, game, options):
        self.game, self.options = game, options
        self.match = queue.Queue()
        self.joined = queue.Queue()
        self.persons = [Person(run, f"{name} {seat}", self, seat) for seat in (0, 1)]


class Person(Load):
    def __init__(self, run, name, pair, seat):
        super().__init__(run, name)
        self.pair, self.seat = pair, seat
        self.socket = None
        self.number = 0
        self.token = None

    def play(self):
        self.table = self.token = None
        self.thrown, self.shown, self.over = 0, -1, False
        self.actions = []
        if self.seat == 0:
            if not self._open():
                return
            self.pair.match.put(self.table)
            if not self._is_joined():
                self.say("abandoned")
                self._drop()
                return
            self.say("started")
        else:
            while True:
                if self.party.ending and self.pair.persons[0].done:
                    raise Stopped
                try:
                    match = self.pair.match.get(timeout=0.5)
                    break
                except queue.Empty:
                    pass
            self.table = match
            self.pair.joined.put(self._join())
            if self.token is None:
                self._drop()
                return
        while not self.over:
            try:
                self._go_on()
            except wire.Unanswered as error:
                self._drop()
                self.leave(error)
        self._drop()

    def _is_joined(self):
        """The other one may have ended while this match was made."""
        while True:
            try:
                return self.pair.joined.get(timeout=0.5)
            except queue.Empty:
                if self.pair.persons[1].done:
                    return False

    def _params(self):
        params = {"game": self.pair.game, "match-id": self.table, "player-name": f"P{self.seat}", "actions": True}
        return {**params, "token": self.token} if self.token else params

    def _open(self):
        params = {"game": self.pair.game, "player-name": "P0", "actions": True, "private": False, "options": self.pair.options}
        try:
            answer = self._request("create-match", params)
        except wire.Unanswered as error:
            self._drop()
            self.leave(error)
            return False
        if "result" not in answer:
            self._drop()
            self.leave(answer)
            return False
        self.table, self.token = answer["result"]["match-id"], answer["token"]
        return True

    def _join(self):
        """Whether the seat is taken. If the answer was lost, the token is, too."""
        for _ in range(20):
            try:
                answer = self._request("join-match", self._params())
            except wire.Unanswered as error:
                sent = self.socket is not None
                self._drop()
                self.leave(error)
                if sent:
                    return False
                continue
            if "token" in answer:
                self.token = answer["token"]
                return True
            self.leave(answer)
            self._drop()
        return False

    def _go_on(self):
        if self.socket is None:
            answer = self._request("join-match", self._params())
            if "error" in answer:
                if answer["error"]["code"] == -40102:
                    self.say("false", text=f"seat {self.seat} was told that its match is unknown: {answer['error']} at {self.node()[0]}")
                raise wire.Unanswered(str(answer))
        if not self.actions:
            return self._hear(wire.receive(self.socket))
        offered = random.choice([action for action in self.actions if action["name"] not in ("drop_info", "forfeit")])
        data = {name: random.choice(schema["enum"]) for name, schema in offered.get("schema", {}).get("properties", {}).items()
                if "enum" in schema}
        sent = time.time()
        self.actions = []
        self.thrown += 1
        try:
            answer = self._request("game-action", {"match-id": self.table, "action": offered["name"], "data": data})
        except wire.Unanswered:
            self.act("unknown", sent, self.seat, data)
            raise
        if "result" in answer:
            return self.act("yes", sent, self.seat, data)
        refused = answer["error"]["code"] in (-50100, -50101, -50102, -50103)
        if refused:
            self.thrown -= 1
        self.act("no" if refused else "unknown", sent, self.seat, data)
        raise wire.Unanswered(str(answer))  # comes back, and learns how things stand

    def _request(self, operation, params):
        if self.socket is None:
            self.socket = wire.open_socket(self.node(), "/chimera")
        self.number += 1
        wire.send(self.socket, {"type": "request", "id": self.number, "operation": operation, "params": params})
        while True:
            message = wire.receive(self.socket)
            if message.get("type") == "response" and message.get("id") == self.number:
                return message
            self._hear(message)

    def _hear(self, message):
        data = message.get("data") or {}
        if message.get("type") != "notification" or data.get("match-id") != self.table or "game-state" not in data:
            return
        state = data["game-state"]
        self.actions = data.get("match-actions", [])
        if self.pair.game == "rps" and len(state["rounds"]) != self.shown:
            self.shown = len(state["rounds"])
            self.show_rounds(self.seat, state, self.thrown)
        if data["match-status"] == "done":
            self.over = True
            winner = data.get("match-winner")
            self.say("end", winner=None if winner is None else int(winner[1]))
        elif self.pair.game.endswith("leduc") and state["hands"][1 - self.seat] != "hidden":
            self.say("false", text=f"seat {self.seat} saw the other's card: {state}")

    def _drop(self):
        if self.socket is not None:
            try:
                self.socket.close()
            except OSError:
                pass
        self.socket = None
        self.actions = []


class Searcher(Person):
    """A person who plays against an agent that searches."""

    def __init__(self, run, name):
        super().__init__(run, name, Pair.__new__(Pair), 0)
        self.pair.game = "connectm"

    def play(self):
        agent = {"name": "Search", "agent": {"kind": "search", "iterations": 100}}
        made = self.make(lambda: {"game": "connectm", "seats": [{}, agent]})
        self.table, self.token = made["match-id"], None
        self.thrown, self.over, self.actions = 0, False, []
        taken = self._join()
        self.say("started" if taken else "abandoned")
        while taken and not self.over:
            try:
                self._go_on()
            except wire.Unanswered as error:
                self._drop()
                self.leave(error)
        self._drop()

    def _hear(self, message):
        data = message.get("data") or {}
        if data.get("match-status") == "done" and not str(data.get("match-winner")).startswith("P"):
            data["match-winner"] = None if data.get("match-winner") is None else "S1"
        super()._hear(message)


class AgentSeat(Load):
    """An agent of the Agent API that polls. Its opponent is told by webhooks (Hooked)."""

    def __init__(self, run, name):
        super().__init__(run, name)
        self.hooked = Hooked(run, name + ", webhooks", self)

    def play(self):
        tries = []

        def body():
            tries.append(self.party.hooks.open())
            return {"game": "rps", "options": {"rounds": ROUNDS}, "seats": [
                {"name": "P0", "agent": {"kind": "external"}},
                {"name": "P1", "agent": {"kind": "webhook", "url": tries[-1][0], "key": "k"}}]}

        made = self.make(body)
        self.table = made["match-id"]
        self.say("started")
        self.hooked.seats.put((tries[-1][1], self.table, made["seats"][1]["api-key"]))
        self.player = AgentPlayer(self, 0, made["seats"][0]["api-key"])
        since = 0
        while True:
            state = self.player.get(f"/game/state?wait=2&since={since}")
            if state is None:
                since = 0
                continue
            since = state["version"]
            self.show_rounds(0, state["agent-state"], self.player.thrown)
            actions = state["available-actions"]
            if actions["action-type"] == "game-over":
                self.say("end", winner={"player 1": 0, "player 2": 1}.get(state.get("winner")))
                return
            if actions.get("can-act") and actions["action-type"] == "decision":
                self.player.throw(actions["eid"])


class AgentPlayer:
    """A seat's key, and choices that are repeated with their key until they are answered."""

    def __init__(self, load, seat, key):
        self.load, self.seat, self.key = load, seat, key
        self.thrown = 0
        self.settled = set()

    def get(self, path):
        status, answer = self.load.ask("GET", path, headers={"X-JNet-API": self.key})
        if status in (403, 404):
            self.load.say("false", text=f"seat {self.seat}: {path}: {status} {answer}")
            self.load.leave(f"{status} {answer}")
        return answer if status == 200 else None

    def throw(self, eid):
        if eid in self.settled:
            return time.sleep(0.05)
        self.settled.add(eid)
        choice, key = {"hand": random.choice(HANDS)}, str(uuid.uuid4())
        self.thrown += 1
        counted = False  # perhaps: an earlier try was not answered
        while True:
            sent = time.time()
            status, answer = self.load.ask("POST", "/game/action", {"command": "throw", "args": choice, "eid": eid},
                                           {"X-JNet-API": self.key, "Idempotency-Key": key})
            word = {None: "unknown", 200: "yes"}.get(status, "no")
            self.load.act(word, sent, self.seat, choice, key)
            counted = counted or word == "unknown"
            if word == "no":
                self.thrown -= 0 if counted else 1
                if status != 400:
                    self.load.say("false", text=f"seat {self.seat}: {status} {answer}")
                self.load.trouble = f"{status} {answer}"
            if word != "unknown":
                return


class Hooked(Load):
    """An agent that acts when a webhook says so."""

    def __init__(self, run, name, opponent):
        super().__init__(run, name)
        self.opponent = opponent  # who makes the matches
        self.seats = queue.Queue()

    def play(self):
        while True:
            try:
                events, self.table, key = self.seats.get(timeout=0.5)
                break
            except queue.Empty:
                if self.opponent.done:
                    return
        player, seen = AgentPlayer(self, 1, key), set()
        while True:
            hook = events.get()
            self.say("webhook", seat=1, **hook["line"])
            if hook["line"]["id"] in seen:
                continue
            seen.add(hook["line"]["id"])
            if hook["line"]["event"] == "game-ended":
                return
            actions = hook["payload"].get("available-actions") or {}
            if hook["line"]["event"] in ("prompt", "turn-started", "checkpoint") and "eid" in actions:
                player.throw(actions["eid"])


class Hooks:
    """Where webhooks arrive."""

    def __init__(self, host):
        self.queues = queues = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802 - the base class's name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                event = json.loads(body)
                line = {"id": self.headers["webhook-id"], "sequence": int(self.headers["X-Openseat-Sequence"]), "event": event["event"],
                        "digest": hashlib.sha256(body).hexdigest()[:16]}
                queues[self.path.rsplit("/", 1)[1]].put({"line": line, "payload": event["payload"]})
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer((host, 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def open(self):
        """A new URL, and where what comes there goes."""
        number = str(uuid.uuid4())
        self.queues[number] = queue.Queue()
        host, port = self._server.server_address
        return f"http://{host}:{port}/{number}", self.queues[number]


class Host(Load):
    """An MCP host. It looks for the node that has its match."""

    def _call(self, tool, arguments):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}},
            "name": tool, "arguments": arguments}}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
        status, answer = self.ask("POST", "/mcp", body, headers, machines.TOKEN)
        result = (answer or {}).get("result") if status == 200 else None
        if result is None or result.get("isError"):
            if status is not None:
                self.leave(f"{tool}: {status} {json.dumps(answer)[:300]}")
            return None
        return result["structuredContent"]

    def play(self):
        self.table = None
        state = self._call("create_match", {"game": "rps", "opponents": ["random"], "options": {"rounds": ROUNDS}, "private": False})
        if state is None:
            return
        token, self.table = state["token"], state["table"]
        self.say("started")
        while True:
            if state is None:
                state = self._call("wait_for_turn", {"token": token, "timeout_s": 1})
                continue
            if state["status"] == "game_over":
                return
            if state["status"] == "your_turn":
                choice, key = random.choice(state["choices"]), str(uuid.uuid4())
                sent = time.time()
                after = self._call("act", {"token": token, "decision": state["decision"]["id"], "choice": choice["id"], "timeout_s": 1})
                self.act("yes" if after else "unknown", sent, 0, {"hand": choice["label"]}, key)
                state = after
            else:
                state = None


class Reader(Load):
    """Plays a story; each turn says something that no other one says."""

    def play(self):
        self.table = None
        body = {"scenario": "whispering-woods", "player": "Ana", "narrator": {"kind": "storyteller"}, "turns": 40, "private": False}
        status, answer = self.ask("POST", "/api/games", body, token=machines.TOKEN)
        if status != 201:
            self.trouble = f"{status} {answer}"
            return
        self.table = answer["data"]["id"]
        self.say("started")
        for turn in range(2, 41):
            key = str(uuid.uuid4())
            choice = {"text": f"I count to {turn}.", "ref": key}
            while True:
                sent = time.time()
                status, answer = self.ask("POST", f"/api/games/{self.table}/turns", {"text": choice["text"]}, {"Idempotency-Key": key},
                                          machines.TOKEN, timeout=6)
                self.act("yes" if status == 200 else "unknown", sent, 1, choice, key)
                if status == 200:
                    break
                if status == 404:
                    self.say("false", text=f"the story is unknown: {answer}")
                if status is not None:
                    self.leave(f"{status} {answer}")
            if answer["data"]["turnNumber"] != turn:
                self.say("false", text=f"turn {turn} was answered by {answer['data']['turnNumber']}")
            if answer["data"]["state"]["over"]:
                return


class NeuroGame(Load):
    """A game of the Neuro API, whose agent answers at random. When its connection breaks, it comes back to another node. Now and then it looks
    at its record: what it was shown there stays there."""

    def __init__(self, run, name):
        super().__init__(run, name)
        self.game = f"Soak {name} {uuid.uuid4().hex[:8]}"
        self.record = None  # the table that has shown one of our results
        self.seen = 0  # so many of its events
        self.ids = set()

    def play(self):
        try:
            socket = wire.open_socket(self.node(), "/game/soak")
        except wire.Unanswered as error:
            return self.leave(error)
        try:
            self._serve(socket)
        except wire.Unanswered as error:
            self.leave(error)
        finally:
            try:
                socket.close()
            except OSError:
                pass

    def say(self, what, **members):
        self.party.history.write(what, game=self.game, **members)

    def _serve(self, socket):
        def send(command, **data):
            wire.send(socket, {"command": command, "game": self.game, **({"data": data} if data else {})})

        send("startup")
        send("actions/register", actions=[{"name": "mark", "description": "Marks.", "schema": {
            "type": "object", "properties": {"square": {"enum": [1, 2, 3]}}, "required": ["square"]}}])
        self.say("came", node=self.node()[0])
        while not self.party.ending:
            sent = time.time()
            send("actions/force", query="Which square?", action_names=["mark"])
            while True:
                message = wire.receive(socket)
                if message.get("command") == "action":
                    break
            action = message["data"]
            if action["name"] != "mark" or json.loads(action["data"])["square"] not in (1, 2, 3):
                self.say("odd", text=f"an odd action: {action}")
            if action["id"] in self.ids:
                self.say("odd", text=f"the action {action['id']} came twice")
            self.ids.add(action["id"])
            self.say("executed", id=action["id"], data=action["data"], record=self.record)
            send("action/result", id=action["id"], success=True, message="ok")
            self.answered.append((sent, time.time()))
            if len(self.ids) % 5 == 0:
                self._look()
            self.pause()

    def _look(self):
        """What the record shows of this game, of which the beginning is known; any node may be asked."""
        address = random.choice(self.party.cluster.addresses())
        try:
            for table in [self.record] if self.record else tables_of(address, self.game, "false"):
                events = events_of(address, table, self.seen)
                shown = history.results_in(events)
                if shown:
                    self.record = table
                    self.seen += len(events)
                    self.say("shown", record=table, ids=shown)
        except wire.Unanswered as error:
            self.say("unseen", trouble=str(error))


def upload(run, folder):
    """Leduc under another name."""
    with open(f"{folder}/leduc.js", encoding="utf-8") as file:
        text = file.read().replace("id: 'leduc'", f"id: '{UPLOADED}'")
    status, answer = wire.request(run.cluster.addresses()[0], "POST", "/api/v1/games", {"files": [{"name": "leduc.js", "text": text}]},
                                  machines.TOKEN, timeout=60)
    if status != 201:
        raise RuntimeError(f"the game was not uploaded: {status} {answer}")


def page(address, path):
    """Raises Unanswered if there is none."""
    status, text = wire.request(address, "GET", path, token=machines.TOKEN, timeout=10)
    if status != 200:
        raise wire.Unanswered(f"{path}: {status}")
    return json.loads(text)


def tables_of(address, game, recorded):
    """The names of this game's tables."""
    path = f"/api/v1/tables?limit=100&recorded={recorded}"
    names, cursor = [], ""
    while cursor is not None:
        answer = page(address, path + cursor)
        if "unanswered" in answer:
            raise wire.Unanswered(f"{path}: {answer['unanswered']}")
        names += [table["id"] for table in answer["tables"] if table.get("game") == game]
        cursor = f"&cursor={answer['next']}" if answer.get("next") else None
    return names


def events_of(address, table, after=0):
    events = []
    while True:
        new = page(address, f"/api/v1/tables/{table}/transcript?viewer=all&limit=1000&after={after + len(events)}")["events"]
        events += new
        if len(new) < 1000:
            return events


def everybody(run):
    loads = []
    for number in range(3):
        loads += Pair(run, f"rps {number + 1}", "rps", {"rounds": ROUNDS}).persons
    # One is of the nodes' folder, the other one was uploaded to one of them.
    for number, game in enumerate(("leduc", UPLOADED)):
        loads += Pair(run, f"leduc {number + 1}", game, {}).persons
    loads += [Searcher(run, "search"), Host(run, "mcp"), Reader(run, "story")]
    loads += [NeuroGame(run, f"neuro {number + 1}") for number in range(3)]
    for number in range(2):
        seat = AgentSeat(run, f"agent api {number + 1}")
        loads += [seat, seat.hooked]
    return loads
