"""The example's webhook receiver takes the seat of a game that runs elsewhere, and plays choices that its
actions' schemas list. usage: play_remote.py EXAMPLE_DIR SERVER; plays until the game leaves."""
import sys
import time

sys.path.insert(0, sys.argv[1])
import agent as example  # noqa: E402

server = sys.argv[2]
table = None
for _ in range(400):
    tables = [each for each in example.request("GET", server + "/api/v1/tables")["tables"] if each["kind"] == "remote"]
    if tables and tables[0]["seats"][0].get("decision"):
        table = tables[0]["id"]
        break
    time.sleep(0.05)
assert table, "no connected game is waiting for its agent"

player = example.Agent(server, seed=1)
seated = example.request("POST", "%s/api/v1/tables/%s/seats/0/agent" % (server, table), player.spec)
assert "api-key" in seated, seated


def pick(schema):
    if "enum" in schema:
        return player.random.choice(schema["enum"])
    return {name: pick(member) for name, member in schema["properties"].items()}


def choose(actions):
    command = player.random.choice(actions["available-commands"])
    return "/game/action", {"command": command["command"], "args": pick(command["schema"])}


names = []
moves = 0
while True:
    event = player.events.get(timeout=60)
    names.append(event["event"])
    if event["event"] == "game-ended":
        break
    if event["event"] == "prompt":
        path, body = choose(event["payload"]["available-actions"])
        answer = example.request("POST", server + path, body, seated["api-key"])
        assert answer.get("success"), (body, answer)
        moves += 1
        if moves == 12:
            break
assert names[0] == "game-started", names
assert example.request("GET", server + "/game/state", key=seated["api-key"])["agent-side"], "there is a state"
missing = example.request("GET", server + "/game/board", key=seated["api-key"])
assert missing["status"] == 404 and "Netrunner" in missing["message"], missing
print("moves: %d" % moves)
