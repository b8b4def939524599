#!/usr/bin/env python3
"""A Netrunner agent that receives webhooks and answers over the Agent API. It needs only Python 3.9 or later.

    openseat serve                                   # in one terminal
    python3 examples/webhook_agent/agent.py          # in another: creates a match against the bot and plays it
    python3 examples/webhook_agent/agent.py --side corp --opponent random --seed 7

From another machine, with the key of an account, it waits for a match that the server's operator makes
(docs/protocols/agent_api.md, "From another machine"):

    python3 agent.py --server http://10.0.0.1:8000 --key osk_... --listen 0.0.0.0:9000 --secret "any text"

All its knowledge of Netrunner is in choose(): put your model there.
"""
import argparse
import base64
import hashlib
import hmac
import http.server
import json
import queue
import random
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request

# The three events that ask for an answer; each decision is announced by exactly one of them.
ASKING = {"prompt", "turn-started", "checkpoint"}
# The most valuable commands first. Commands not listed here come last.
BEST = ["score", "advance", "ability", "runner-ability", "run", "play", "rez", "continue", "credit", "draw"]
GOOD_ANSWERS = ["Steal", "Keep", "Yes"]


def request(method, url, body=None, key=None, token=None):
    """Sends and receives JSON. A refusal is returned as the server's {"message"} plus "status"."""
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    if key:
        call.add_header("X-JNet-API", key)
    if token:
        call.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(call, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return {"status": error.code, **json.load(error)}


class Agent:
    """One seat. Listens for its webhooks from the start; play() answers them until the game ends."""

    def __init__(self, server, seed=None, listen=("127.0.0.1", 0), url=None, secret=None):
        self.server, self.secret, self.random = server, secret or secrets.token_hex(16), random.Random(seed)
        self.events, self.seen, self.refused = queue.Queue(), set(), []
        self.lock = threading.Lock()
        agent = self

        class Receiver(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                genuine = agent.is_genuine(self.headers, body)
                self.send_response(204 if genuine else 403)
                self.send_header("Content-Length", "0")
                self.end_headers()
                if genuine:
                    agent.take(self.headers["webhook-id"], body)

            def log_message(self, *_):
                pass

        self.receiver = http.server.ThreadingHTTPServer(listen, Receiver)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        url = url or "http://%s:%d/" % (listen[0], self.receiver.server_port)
        self.spec = {"kind": "webhook", "url": url, "key": self.secret}

    def take(self, delivery, body):
        """If our answer was lost or late, the delivery comes again, maybe while this one is still being handled."""
        with self.lock:
            if delivery not in self.seen:
                self.seen.add(delivery)
                self.events.put(json.loads(body))

    def is_genuine(self, headers, body):
        """The key is ours, and the signature (standardwebhooks.com) is for this body and recent."""
        if not hmac.compare_digest(headers.get("X-Agent-API-Key", ""), self.secret):
            return False
        signed = ("%s.%s." % (headers["webhook-id"], headers["webhook-timestamp"])).encode() + body
        digest = base64.b64encode(hmac.new(self.secret.encode(), signed, hashlib.sha256).digest()).decode()
        fresh = abs(time.time() - int(headers["webhook-timestamp"])) < 300
        return fresh and hmac.compare_digest(headers.get("webhook-signature", ""), "v1," + digest)

    def play(self, key, patience=120):
        """Plays the seat of this API key; returns the payload of game-ended. An event must come in `patience` seconds."""
        while True:
            event = self.events.get(timeout=patience)
            payload = event["payload"]
            if event["event"] == "game-ended":
                self.receiver.shutdown()
                return payload
            if event["event"] in ASKING and payload["available-actions"]["can-act"]:
                path, body = self.choose(payload["available-actions"])
                answer = request("POST", self.server + path, body, key)
                if not answer.get("success"):
                    self.refused.append((body, answer))

    def choose(self, actions):
        """The path and body of the answer to this decision."""
        if actions["action-type"] == "prompt":
            prompt = actions["prompt"]
            if prompt["selectable"]:
                return "/game/select", {"card": {"cid": self.random.choice(prompt["selectable"])}}
            for choice in prompt["choices"]:
                if choice["value"] in GOOD_ANSWERS:
                    return "/game/choice", {"choice": choice["value"]}
            return "/game/choice", {"choice": {"uuid": self.random.choice(prompt["choices"])["uuid"]}}
        commands = actions["available-commands"]
        rank = {name: place for place, name in enumerate(BEST)}
        names = sorted({each["command"] for each in commands}, key=lambda name: rank.get(name, len(BEST)))
        # Often the best, otherwise a random one: an agent that always does the same gets nowhere.
        name = names[0] if self.random.random() < 0.5 else self.random.choice(names)
        picked = self.random.choice([each for each in commands if each["command"] == name])
        return "/game/action", {"command": picked["command"], "args": picked["args"]}


def run(agent, args):
    key = args.key
    if key:
        now = request("GET", args.server + "/game/state", key=key)
        print("waiting for a match that calls %s (%s)" % (agent.spec["url"], now.get("message", "one goes on")), flush=True)
    else:
        other = "runner" if args.side == "corp" else "corp"
        made = request("POST", args.server + "/api/v1/matches", {"game": "netrunner", "seats": [
            {"role": args.side, "name": "Webhook", "agent": agent.spec},
            {"role": other, "name": "Opponent", "agent": {"kind": args.opponent}}]}, token=args.token)
        if "match-id" not in made:
            sys.exit("no match: %s" % made)
        key = next(seat["api-key"] for seat in made["seats"] if seat["role"] == args.side)
        print("match %s has begun" % made["match-id"])
    end = agent.play(key, None if args.key else 120)
    print("winner: %(winner)s (%(reason)s), scores %(final-scores)s" % end)
    for body, answer in agent.refused:
        print("refused: %s: %s" % (body, answer))
    sys.exit(1 if agent.refused else 0)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--server", default="http://127.0.0.1:8000")
    options.add_argument("--token", help="the server's admin token, to create a match from another machine")
    options.add_argument("--key", help="an account's API key: plays the next match of the account, and creates none")
    options.add_argument("--listen", default="127.0.0.1:0", metavar="HOST:PORT", help="where webhooks arrive")
    options.add_argument("--url", help="how the server reaches that address, if not as http://HOST:PORT/")
    options.add_argument("--secret", help="what the server signs webhooks with (default: a random one)")
    options.add_argument("--side", choices=["corp", "runner"], default="runner")
    options.add_argument("--opponent", default="bot", help="the kind of the other side's agent")
    options.add_argument("--seed", type=int)
    args = options.parse_args()
    if args.key and not args.secret:
        options.error("--key needs --secret, the text that the match's operator gives as the webhook's key")
    host, _, port = args.listen.rpartition(":")
    try:
        agent = Agent(args.server, args.seed, (host, int(port)), args.url, args.secret)
    except (OSError, ValueError) as error:
        sys.exit("cannot listen on %s: %s" % (args.listen, error))
    try:
        run(agent, args)
    except OSError as error:
        why = getattr(error, "reason", error)
        sys.exit("cannot reach %s (%s); is `openseat serve` running there?" % (args.server, why))
    except queue.Empty:
        sys.exit("no webhook for two minutes: the server has stopped, or cannot call this program")


if __name__ == "__main__":
    main()
