"""A cluster next to the single node, in one run on this machine: one server with SQLite, then three NATS servers with one, two and
three nodes. Each is asked for a fixed number of durable actions a second (for the latency), and for as many as it can take.
usage: measure.py OPENSEAT [SECONDS]   SECONDS: of each load (8)"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

PROGRAM = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 8
RATE, MATCHES = 1000, 100
TICKS = os.sysconf("SC_CLK_TCK")
IDLE = 30


def cpu(process):
    """Seconds of CPU that it has taken."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def metric(port, name):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2) as answer:
            found = re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M)
    except OSError:
        return None
    return float(found.group(1)) if found else None


class Place:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.nats, self.nodes = [], {}

    def _start(self, name, command):
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def start_nats(self):
        routes = ", ".join(f'"nats://127.0.0.1:{6341 + number}"' for number in range(3))
        for number in range(3):
            config = self.folder / f"nats-{number}.conf"
            config.write_text(f'server_name: nats-{number}\nlisten: "127.0.0.1:{4341 + number}"\njetstream {{ store_dir: "{self.folder}/nats-{number}" }}\n'
                              f'cluster {{ name: measure, listen: "127.0.0.1:{6341 + number}", routes: [{routes}] }}\n')
            self.nats.append(self._start(f"nats-{number}", ["nats-server", "-c", str(config)]))

    def start_node(self, number):
        name, port = f"node-{number}", 8340 + number
        command = [PROGRAM, "serve", "--listen", f"127.0.0.1:{port}", "--chimera-listen", "none", "--shards", "1", "--log-level", "warn",
                   "--data-dir", str(self.folder / name)]
        if self.nats:
            command += ["--cluster", ",".join(f"nats://127.0.0.1:{4341 + server}" for server in range(3)), "--node", name]
        self.nodes[port] = self._start(name, command)
        while not answers(port):
            time.sleep(0.1)
        want = 64 / len(self.nodes)
        while self.nats and any(metric(one, "openseat_cluster_shards_found") != 64 or abs((metric(one, "openseat_cluster_shards") or 0) - want) > 3
                                for one in self.nodes):
            time.sleep(0.2)

    def load(self, rate):
        """One generator for each node, at the same time: its answers, and the CPU of a node's and NATS's processes for an action."""
        before = [sum(map(cpu, group)) for group in (self.nodes.values(), self.nats)]
        runs = [subprocess.Popen([PROGRAM, "bench", "chimera", "--matches", str(MATCHES // len(self.nodes)), "--seconds", str(SECONDS), "--rate",
                                  str(rate // len(self.nodes)), "--url", f"ws://127.0.0.1:{port}/chimera", "--json"], stdout=subprocess.PIPE, text=True)
                for port in self.nodes]
        told = [json.loads(run.communicate()[0]) for run in runs]
        after = [sum(map(cpu, group)) for group in (self.nodes.values(), self.nats)]
        speed = sum(one["actions_per_second"] for one in told)
        each = [(b - a) / (speed * SECONDS) * 1e6 for a, b in zip(before, after)]
        p50, p99 = (max(one[name] for one in told) / 1000 for name in ("p50_us", "p99_us"))
        return speed, p50, p99, each

    def stop_node(self):
        """The seconds from SIGTERM to the end of the last node that was started."""
        process = self.nodes.popitem()[1]
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        return time.monotonic() - began

    def end(self):
        for process in [*self.nodes.values(), *self.nats]:
            process.kill()
            process.wait()


def answers(port):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
        return True
    except OSError:
        return False


def row(what, place):
    calm = place.load(RATE)
    most = place.load(0)
    print(f"| {what} | {calm[1]:.1f}, {calm[2]:.1f} ms | {calm[3][0]:.0f} + {calm[3][1]:.0f} us | {most[0]:,.0f} | {most[1]:.0f}, {most[2]:.0f} ms | "
          f"{most[3][0]:.0f} + {most[3][1]:.0f} us |", flush=True)


def main():
    print(f"| | at {RATE:,} a second: p50, p99 | CPU of an action: nodes + NATS | as many as it takes | p50, p99 | CPU |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        try:
            place.start_node(0)
            row("one server, SQLite", place)
        finally:
            place.end()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        try:
            place.start_nats()
            for count in (1, 2, 3):
                place.start_node(count)
                row(f"{count} node{'s' if count > 1 else ''}, 3 NATS servers", place)
            groups = {"a node": list(place.nodes.values()), "a NATS server": place.nats}
            before = {name: sum(map(cpu, group)) for name, group in groups.items()}
            time.sleep(IDLE)
            for name, group in groups.items():
                used = (sum(map(cpu, group)) - before[name]) / len(group) / IDLE * 100
                memory = [int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{one.pid}/status").read_text()).group(1)) // 1024 for one in group]
                print(f"idle, {name}: {used:.1f} % of a core, {memory} MB")
            print(f"SIGTERM to the end of a node that shares 64 shards with two others: {place.stop_node():.2f} s")
        finally:
            place.end()


if __name__ == "__main__":
    main()
