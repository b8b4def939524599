"""The processes of a cluster: where they run, and what can happen to them. As root, each is a machine of its own: a network
namespace on a bridge. Otherwise all share this machine's loopback address, and cannot be cut off."""
import hashlib
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import wire

TOKEN = "the-token-of-the-operator"
NET = "10.213.7."
BRIDGE = "openseat-soak"
MONITOR = 4000  # from a NATS server's port to that of its monitor
NOWHERE = "02:00:00:00:00:99"  # no machine has this address, so what is sent there is lost

CONFIG = """
[access]
games = "open"
wrong_per_minute = 100000
wrong_burst = 100000
[limits]
max_connections_per_address = 0
max_tables_per_address = 0
max_matches_per_address = 0
max_watched_per_address = 0
max_unfinished_bytes_per_address = 0
max_unread_bytes_per_address = 0
max_waiting_bytes_per_address = 0
messages_per_second_per_address = 0
bytes_per_second_per_address = 0
messages_per_second = 0
bytes_per_second = 0
[agent_api]
rate = 0
[narrative]
turns_per_minute = 100000
burst = 100000
"""

# The clock that a node sees is this machine's plus what a file says. steady_clock is not concerned.
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
static volatile long long* ahead;
__attribute__((constructor)) static void Begin(void) {
  const int file = open(getenv("OPENSEAT_SOAK_CLOCK"), O_RDONLY);
  void* bytes = file < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
  if (bytes != MAP_FAILED) ahead = bytes;
}
int clock_gettime(clockid_t clock, struct timespec* out) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  const int code = real(clock, out);
  if (code == 0 && clock == CLOCK_REALTIME && ahead) out->tv_sec += *ahead;
  return code;
}
int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  struct timespec now;
  (void)zone;
  const int code = clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return code;
}
time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
"""


def _ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True).returncode == 0


class Network:
    def __init__(self):
        self.apart = os.geteuid() == 0 and _ip("netns", "list", check=False)
        self.names = []
        if not self.apart:
            return
        self.clear()
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("addr", "add", NET + "1/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")

    def clear(self):
        listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
        for name in re.findall(r"openseat-soak-\S+", listed):
            _ip("netns", "del", name, check=False)
        _ip("link", "del", BRIDGE, check=False)

    def add(self, number):
        name = f"openseat-soak-{number}"
        _ip("netns", "add", name)
        _ip("link", "add", f"ossoak{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", f"ossoak{number}", "master", BRIDGE, "up")
        for command in (["addr", "add", f"{NET}{number}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
            _ip("-n", name, *command)

    def link(self, number, up):
        _ip("link", "set", f"ossoak{number}", "up" if up else "down")

    def lose(self, number, others, lose):
        """What machine `number` sends to the others is lost, so nothing can be said between them."""
        for other in others:
            if lose:
                _ip("-n", f"openseat-soak-{number}", "neigh", "replace", f"{NET}{other}", "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent")
            else:
                _ip("-n", f"openseat-soak-{number}", "neigh", "del", f"{NET}{other}", "dev", "eth0")


class Machine:
    """One process. `number` is the last part of its address."""

    def __init__(self, cluster, name, number, port):
        self.cluster, self.name, self.number = cluster, name, number
        self.host = NET + str(number) if cluster.network.apart else "127.0.0.1"
        self.port = port
        self.process = None
        self.wanted = False
        if cluster.network.apart:
            cluster.network.add(number)

    def command(self):
        raise NotImplementedError

    def environment(self):
        return None

    def start(self):
        prefix = ["ip", "netns", "exec", f"openseat-soak-{self.number}"] if self.cluster.network.apart else []
        with open(self.cluster.folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(prefix + self.command(), stdout=log, stderr=log, env=self.environment())
        self.wanted = True

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGKILL):
        """How long it took."""
        began = time.monotonic()
        self.wanted = False
        self.send(number)
        self.process.wait(30)
        return time.monotonic() - began


class Nats(Machine):
    def __init__(self, cluster, number):
        super().__init__(cluster, f"nats-{number - 20}", number, 4222 if cluster.network.apart else 4300 + number)

    def routes(self):
        """Where the servers listen for each other."""
        return f"{self.host}:{6222 if self.cluster.network.apart else self.port + 2000}"

    def command(self):
        folder = self.cluster.folder
        config = folder / f"{self.name}.conf"
        routes = ", ".join(f'"nats://{other.routes()}"' for other in self.cluster.nats if other is not self)
        config.write_text(f'server_name: {self.name}\nlisten: "{self.host}:{self.port}"\nhttp: "{self.host}:{self.port + MONITOR}"\n'
                          f'jetstream {{ store_dir: "{folder}/{self.name}" }}\ncluster {{ name: soak, listen: "{self.routes()}", routes: [{routes}] }}\n')
        return ["nats-server", "-c", str(config)]

    def ready(self):
        try:
            return wire.request((self.host, self.port + MONITOR), "GET", "/varz", timeout=2)[0] == 200
        except wire.Unanswered:
            return False


class Node(Machine):
    def __init__(self, cluster, number):
        super().__init__(cluster, f"node-{number - 10}", number, 8000 if cluster.network.apart else 8100 + number)
        self.data = cluster.folder / self.name
        self.data.mkdir(mode=0o700)
        (self.data / "admin-token.sha256").write_text(hashlib.sha256(TOKEN.encode()).hexdigest() + "\n")
        self.clock = cluster.folder / f"{self.name}.clock"
        self.clock.write_bytes(struct.pack("q", 0))

    def set_clock(self, seconds):
        with open(self.clock, "r+b") as file:
            file.write(struct.pack("q", seconds))

    def environment(self):
        return {**os.environ, "LD_PRELOAD": str(self.cluster.shim), "OPENSEAT_SOAK_CLOCK": str(self.clock)} if self.cluster.shim else None

    def command(self):
        cluster = self.cluster
        servers = ",".join(f"nats://{nats.host}:{nats.port}" for nats in cluster.nats)
        return [cluster.program, "serve", "--config", str(cluster.folder / "node.toml"), "--listen", f"{self.host}:{self.port}", "--insecure",
                "--chimera-listen", "none", "--data-dir", str(self.data), "--cluster", servers, "--node", self.name, "--games", cluster.games,
                "--allow-http-webhooks", "--allow-private-webhooks", "--log-level", "info"]

    def ask(self, path):
        status, body = wire.request((self.host, self.port), "GET", path, token=TOKEN, timeout=2)
        return status, body

    def metric(self, name):
        _, body = self.ask("/metrics")
        found = re.search(rf"^{name} (\S+)$", body, re.M)
        return float(found.group(1)) if found else None

    def unready(self):
        """Why it does not have its part of the cluster; "" if it has."""
        try:
            status, text = self.ask("/readyz")
            found = self.metric("openseat_cluster_shards_found")
        except wire.Unanswered as error:
            return str(error)
        if status != 200:
            return f"{self.name}: {status} {text.strip()}"
        return "" if found == 64 else f"{self.name} has found {found} shards"


def _await(condition):
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


class Cluster:
    def __init__(self, program, games, folder):
        self.program, self.games = program, games
        self.folder = pathlib.Path(folder)
        self.network = Network()
        self.here = NET + "1" if self.network.apart else "127.0.0.1"
        self.shim = None
        (self.folder / "clock.c").write_text(CLOCK)
        if subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.folder / "clock.so", self.folder / "clock.c"]).returncode == 0:
            self.shim = self.folder / "clock.so"
        (self.folder / "node.toml").write_text(CONFIG)
        self.nats, self.nodes = [], []
        for number in (21, 22, 23):
            self.nats.append(Nats(self, number))
        # Servers of 2.10 that start in the same moment may refuse to place streams for a minute.
        for nats in self.nats:
            nats.start()
            _await(nats.ready)
        for number in (11, 12, 13):
            self.nodes.append(Node(self, number))
            self.nodes[-1].start()
        self.spare = Node(self, 14)

    def all(self):
        return self.nats + self.nodes + [self.spare]

    def addresses(self):
        """Where clients may come: of each node that somebody wants to run, whether or not it answers."""
        return [(node.host, node.port) for node in self.nodes + [self.spare] if node.wanted]

    def died(self):
        return [machine.name for machine in self.all() if machine.wanted and machine.process.poll() is not None]

    def unready(self):
        """Why not all nodes have their part, and together every shard; empty if they have."""
        nodes = [node for node in self.nodes + [self.spare] if node.wanted]
        reasons = [reason for reason in (node.unready() for node in nodes) if reason]
        if reasons:
            return reasons
        try:
            owned = sum(node.metric("openseat_cluster_shards") for node in nodes)
        except wire.Unanswered as error:
            return [str(error)]
        return [] if owned == 64 else [f"the nodes own {owned} shards"]

    def stop(self):
        for machine in self.all():
            if machine.process is not None and machine.process.poll() is None:
                machine.process.kill()
                machine.process.wait()
        if self.network.apart:
            self.network.clear()
