"""Plays faults on a cluster under load, and compares what clients were told with the journal.
usage: run.py OPENSEAT GAMES FAULTS WITHOUT FOLDER"""
import json
import random
import statistics
import sys
import time

import faults
import history
import load
import machines
import wire

LIMIT = 60.0  # seconds until everybody goes on
NOTICED = 1.0  # seconds until an answer: a match that waits longer was held up by the fault


class Run:
    """What the players share."""

    def __init__(self, cluster, folder):
        self.cluster = cluster
        self.history = history.History(folder + "/history.jsonl")
        self.hooks = load.Hooks(cluster.here)
        self.pace = 0.3
        self.ending = False
        self.notes = []
        self.failures = []


def wait_for(what, limit, condition):
    """What was missing last, and why it failed ("" if it did not)."""
    began = time.monotonic()
    last = []
    while True:
        missing = condition()
        if not missing:
            return last, ""
        last = missing
        if time.monotonic() - began > limit:
            return last, f"{what}, within {limit:.0f} s: {missing}"
        time.sleep(0.1)


def demand(what, limit, condition):
    _, failure = wait_for(what, limit, condition)
    if failure:
        sys.exit("FAILED: " + failure)


def behind(loads, since):
    """Who has not been answered a choice that was made after this moment."""
    return [f"{one.name} ({one.table}): {one.failure or one.trouble}" for one in loads
            if one.failure or not any(sent > since for sent, _ in one.answered[-50:])]


def first_answers(loads, tables, since):
    """Of each of these tables, the seconds until its first choice that was made afterwards was acknowledged, and whose."""
    firsts = {}
    for one, table in tables.items():
        told = [at - since for sent, at in list(one.answered) if sent > since]
        if told:
            firsts[table] = min(firsts.get(table, (told[0], one.name)), (told[0], one.name))
    return sorted(firsts.values())


def play(run, loads, number, count, fault):
    dead = run.cluster.died()
    failure = f"ended by themselves: {dead}"
    if dead and failure not in run.failures:
        print("FAILED:", failure, flush=True)
        run.failures.append(failure)
    tables = {one: one.table for one in loads if one.table}
    began = time.time()
    fault.begin()
    time.sleep(max(0.0, fault.hold - (time.time() - began)))
    fault.end()
    healed = time.time()
    _, broken = wait_for(f"{fault.text}: the cluster is whole again", LIMIT, run.cluster.unready)
    whole = time.time() - healed
    last, stuck = wait_for(f"{fault.text}: everybody goes on", LIMIT, lambda: behind(loads, healed))
    for failure in filter(None, (broken, stuck)):
        print("FAILED:", failure, flush=True)
        run.failures.append(failure)
    # Who is stuck has failed once; the others show what else there is.
    loads[:] = [one for one in loads if not behind([one], healed)]
    firsts = first_answers(loads, tables, began)
    waited = [seconds for seconds, _ in firsts if seconds > NOTICED]
    told = f"{len(waited)} of {len(firsts)} matches waited"
    if waited:
        told += f", {statistics.median(waited):.1f} s (median), {waited[-1]:.1f} s (slowest: {firsts[-1][1]})"
    if whole > 5:
        run.notes.append(f"each node had its part {whole:.1f} s after the end")
    if time.time() - healed > 5 and last:
        run.notes.append(f"last: {last[0][:160]}")
    notes = "".join(f"; {note}" for note in run.notes)
    run.notes.clear()
    print(f"{number}/{count} {fault.text}: {told}; all goes on {time.time() - began:.1f} s after the beginning{notes}",
          flush=True)
    return waited


def ask(run, what, question):
    """The answer of any node to question(address); None if there is none for long."""
    end, trouble = time.monotonic() + LIMIT, ""
    while time.monotonic() < end:
        try:
            return question(random.choice(run.cluster.addresses()))
        except wire.Unanswered as error:
            trouble = error
            time.sleep(0.2)
    run.failures.append(f"no answer about {what}: {trouble}")
    return None


def records(run, game):
    """The journal's events of each table of a game of the Neuro API."""
    tables = ask(run, game, lambda address: load.tables_of(address, game, "true")) or []
    return {table: events for table in tables if (events := transcript(run, table)) is not None}


def transcript(run, table):
    """The journal's events of a table; None if it has none, or no node answers."""
    events = []
    cluster, end = run.cluster, time.monotonic() + LIMIT
    while True:
        if time.monotonic() > end:
            run.failures.append(f"no answer about {table}")
            return None
        address = random.choice(cluster.addresses())
        try:
            status, text = wire.request(address, "GET", f"/api/v1/tables/{table}/transcript?viewer=all&limit=1000&after={len(events)}",
                                        token=machines.TOKEN, timeout=10)
        except wire.Unanswered:
            status, text = 503, ""
        if status in (429, 503):
            time.sleep(0.2)
            continue
        if status != 200:
            return None
        page = json.loads(text)["events"]
        events += page
        if len(page) < 1000:
            return events


def judge(run, folder):
    lines = history.read(folder + "/history.jsonl")
    tables = {line["table"] for line in lines if line["what"] in ("act", "started", "webhook", "rounds")}
    journal = {table: transcript(run, table) for table in tables}
    journal = {table: events for table, events in journal.items() if events is not None}
    problems = history.check(lines, journal)
    acts = [line for line in lines if line["what"] == "act"]
    answers = {word: sum(act["answer"] == word for act in acts) for word in ("yes", "no", "unknown")}
    hooks = [line for line in lines if line["what"] == "webhook"]
    print(f"history: {len(tables)} matches; {answers['yes']} choices acknowledged, {answers['no']} refused, {answers['unknown']} tries unanswered; "
          f"{len({hook['id'] for hook in hooks})} webhooks in {len(hooks)} deliveries")
    for problem in problems[:40]:
        print("PROBLEM:", problem)
    games = sorted({line["game"] for line in lines if "game" in line})
    recorded = {game: records(run, game) for game in games}
    wrong = history.check_games(lines, recorded)
    came, executed, shown = (sum(len(line.get("ids", "1")) for line in lines if line["what"] == what) for what in ("came", "executed", "shown"))
    there = sum(len(history.results_in(events)) for tables in recorded.values() for events in tables.values())
    print(f"{len(games)} games of the Neuro API connected {came} times; {executed} actions executed, the results of {shown} of them shown in time, of {there} "
          "in the records at the end")
    for problem in wrong[:40]:
        print("PROBLEM:", problem)
    if problems or wrong:
        run.failures.append(f"{len(problems) + len(wrong)} answers and the journal do not agree")


def main():
    program, games, count, without, folder = sys.argv[1:]
    cluster = machines.Cluster(program, games, folder)
    try:
        if not cluster.network.apart:
            print("not root: nothing can be cut off, so those faults are left out")
        if not cluster.shim:
            print("no C compiler: the clock faults are left out")
        run = Run(cluster, folder)
        demand("the cluster starts", LIMIT, lambda: cluster.died() or cluster.unready())
        load.upload(run, games)
        loads = load.everybody(run)
        for one in loads:
            one.start()
        began = time.time()
        _, idle = wait_for("everybody plays", LIMIT, lambda: behind(loads, began))
        if idle:
            run.failures.append(idle)
        every = []
        planned = [] if idle else faults.plan(cluster, int(count), without, run.notes.append)
        for number, fault in enumerate(planned):
            every += play(run, loads, number + 1, len(planned), fault)
        run.ending = True
        _, unfinished = wait_for("everybody finishes", 180.0, lambda: [f"{one.name} ({one.table}): {one.trouble}" for one in loads if not one.done])
        if unfinished:
            run.failures.append(unfinished)
        every.sort()
        if every:
            print(f"{len(planned)} faults: {len(every)} times, a match waited more than {NOTICED:.0f} s: {statistics.median(every):.1f} s (median), "
                  f"{every[int(len(every) * 0.99)]:.1f} s (99 of 100), {every[-1]:.1f} s (slowest)")
        judge(run, folder)
        if run.failures:
            sys.exit("FAILED: " + "; ".join(run.failures))
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
