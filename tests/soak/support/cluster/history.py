"""What clients of a cluster sent and were told, a line of JSON each, and whether the journal agrees.

A line is an object whose `what` says the rest:
  act      table, seat, choice, answer ("yes", "no", "unknown"), key? (tries with one key are one choice), sent, told
  rounds   table, seat, count, last ([hand, hand]), thrown: how many rounds of rock-paper-scissors a seat was shown, the
           latest of them, and how many choices it had sent by then
  started, abandoned, end (winner: a seat or null)   table
  webhook  table, seat, id, sequence, event, digest: of the body
  false    table, text: what cannot be true, whatever the journal says
and of games of the Neuro API, which have no table of their own:
  executed game, id, data: an action, whose result was sent then
  shown    game, record, ids: of actions whose results the record of that table had
  odd      game, text: what cannot be true
  came     game, node: it connected there
"""
import collections
import json
import threading


class History:
    """Writes lines, from any thread."""

    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, what, **members):
        with self._lock:
            self._file.write(json.dumps({"what": what, **members}) + "\n")
            self._file.flush()


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _tries_as_one(acts):
    """Tries with the same key count as one: acknowledged if one of them was, refused if all of them were."""
    merged = []
    by_key = {}
    for act in acts:
        known = by_key.get(act.get("key")) if act.get("key") else None
        if known is None:
            known = dict(act)
            merged.append(known)
            if act.get("key"):
                by_key[act["key"]] = known
        elif "yes" in (known["answer"], act["answer"]):
            known["answer"] = "yes"
        elif known["answer"] != act["answer"]:
            known["answer"] = "unknown"
    return merged


def _fits(acts, played):
    """Whether these choices, of which the unknown ones may have happened or not, make what was played."""
    reached = {0}
    for act in acts:
        if act["answer"] == "no":
            continue
        after = {j + 1 for j in reached if j < len(played) and played[j] == act["choice"]}
        reached = after if act["answer"] == "yes" else after | reached
    return len(played) in reached


def _check_choices(who, acts, played):
    acts = _tries_as_one(acts)
    if _fits(acts, played):
        return
    problems = 0
    text = [json.dumps(choice, sort_keys=True) for choice in played]
    there = collections.Counter(text)
    counts = {answer: collections.Counter(json.dumps(act["choice"], sort_keys=True) for act in acts if act["answer"] == answer)
              for answer in ("yes", "unknown")}
    for choice in sorted(set(there) | set(counts["yes"])):
        least, most = counts["yes"][choice], counts["yes"][choice] + counts["unknown"][choice]
        if there[choice] < least:
            problems += 1
            yield f"{who}: lost: {choice} was acknowledged {least} times, and is in the journal {there[choice]} times"
        if there[choice] > most:
            problems += 1
            yield f"{who}: doubled: {choice} was sent {most} times, and is in the journal {there[choice]} times"
    if not problems:
        yield f"{who}: the journal has the choices in another order than the answers: {', '.join(text)}"


def _winners(events):
    for event in events:
        ended = event["payload"].get("ended") if event["kind"] == "seen" else None
        if ended is None and event["kind"] == "ended":
            ended = event["payload"]
        if ended is not None:
            return ended["winners"]
    return None


def _check_rounds(who, line, played):
    """A seat sees a round when both have thrown, and then what the journal says."""
    count = line["count"]
    if count > line["thrown"]:
        yield f"{who}: saw too much: {count} rounds after {line['thrown']} throws of its own"
    if count == 0:
        return
    hands = [played[seat][count - 1].get("hand") if count <= len(played[seat]) else None for seat in (0, 1)]
    if hands != line["last"]:
        yield f"{who}: was told that round {count} was {line['last']}; in the journal it is {hands}"


def _check_webhooks(who, lines, over):
    by_id = {}
    latest = 0
    for line in lines:
        what = (line["sequence"], line["digest"])
        if by_id.setdefault(line["id"], what) != what:
            yield f"{who}: the webhook {line['id']} came with two contents"
        elif line["sequence"] > latest + 1:
            yield f"{who}: webhook {line['sequence']} came after {latest}: one is lost"
        latest = max(latest, line["sequence"])
    doubled = [number for number, ids in collections.Counter(number for number, _ in by_id.values()).items() if ids > 1]
    for number in doubled:
        yield f"{who}: two webhooks have the number {number}"
    ends = len({line["id"] for line in lines if line["event"] == "game-ended"})
    if over and ends != 1:
        yield f"{who}: the match is over, and game-ended came {ends} times"


def _messages(events, kind, command):
    payloads = [event["payload"] for event in events if event["kind"] == kind]
    return [message["data"] for message in payloads if isinstance(message, dict) and message.get("command") == command]


def results_in(events):
    """The ids of the actions whose results a record has."""
    return [result["id"] for result in _messages(events, "received", "action/result")]


def check_games(lines, records):
    """The problems. `records`: of each game of the Neuro API, its tables' events as above. What a game executed is there once if a reader was
    shown it, and never twice; a result that was on its way when its node died may be lost."""
    games = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in lines:
        if "game" in line:
            games[line["game"]][line["what"]].append(line)
    problems = []
    for game, told in games.items():
        problems += [f"{game}: {line['text']}" for line in told["odd"]]
        tables = records.get(game, {})
        for table, events in tables.items():
            if [event["seq"] for event in events] != list(range(1, len(events) + 1)):
                problems.append(f"{game}: the numbers of {table} have a gap")
        executed = {line["id"]: line["data"] for line in told["executed"]}
        results = collections.Counter(id for events in tables.values() for id in results_in(events))
        sent = [(action["id"], action["data"]) for events in tables.values() for action in _messages(events, "sent", "action")]
        shown = {id for line in told["shown"] for id in line["ids"]}
        problems += [f"{game}: lost: the result of {id} was shown, and is in no record" for id in sorted(shown - set(results))]
        problems += [f"{game}: doubled: the result of {id} was sent once, and is there {count} times" for id, count in results.items() if count > 1]
        problems += [f"{game}: the result of {id} is there, and was never sent" for id in sorted(set(results) - set(executed))]
        problems += [f"{game}: doubled: the action {id} is there {count} times"
                     for id, count in collections.Counter(id for id, _ in sent).items() if count > 1]
        problems += [f"{game}: the action {id} was {executed[id]}; in the record it is {data}" for id, data in sent if executed.get(id, data) != data]
        without = set(results) - {id for id, _ in sent}
        problems += [f"{game}: the result of {id} is there without its action" for id in sorted(without)]
        kept = {table for table, events in tables.items() if results_in(events)}
        if len(kept) > 1:
            problems.append(f"{game}: came back to another table: {sorted(kept)}")
        if told["executed"] and not tables:
            problems.append(f"{game}: no record was found")
    return problems


def check(lines, journal):
    """The problems. `journal`: each table's events as {"seq", "kind", "payload"}."""
    tables = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in lines:
        if "table" in line:
            tables[line["table"]][line["what"]].append(line)
    problems = []
    for table, told in tables.items():
        problems += [f"{table}: {line['text']}" for line in told["false"]]
        events = journal.get(table)
        if events is None:
            if told["act"] or told["started"]:
                problems.append(f"{table}: is not in the journal")
            continue
        numbers = [event["seq"] for event in events]
        if numbers != list(range(1, len(events) + 1)):
            problems.append(f"{table}: the journal's numbers have a gap")
        played = collections.defaultdict(list)
        for event in events:
            if event["kind"] == "played":
                played[event["payload"]["seat"]].append(event["payload"].get("data"))
        for seat in sorted({line["seat"] for line in told["act"]}):
            acts = [line for line in told["act"] if line["seat"] == seat]
            problems += _check_choices(f"{table}, seat {seat}", acts, played[seat])
        for line in told["rounds"]:
            problems += _check_rounds(f"{table}, seat {line['seat']}", line, played)
        winners = _winners(events)
        if told["started"] and not told["abandoned"] and winners is None:
            problems.append(f"{table}: did not finish")
        for line in told["end"]:
            if winners is None or (winners if len(winners) == 1 else [None]) != [line["winner"]]:
                problems.append(f"{table}: a client was told that {line['winner']} won; the journal says {winners}")
        for seat in sorted({line["seat"] for line in told["webhook"]}):
            hooks = [line for line in told["webhook"] if line["seat"] == seat]
            problems += _check_webhooks(f"{table}, seat {seat}", hooks, winners is not None)
    return problems
