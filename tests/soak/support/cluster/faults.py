"""What happens to the cluster: sixty faults, each node and each NATS server in turn."""
import re
import signal


class Fault:
    def __init__(self, text, begin, end, hold=6.0):
        self.text, self.begin, self.end, self.hold = text, begin, end, hold


def _kill(machine):
    def begin():
        machine.end()

    return begin, machine.start


def _freeze(machine):
    return lambda: machine.send(signal.SIGSTOP), lambda: machine.send(signal.SIGCONT)


def _cut(machine):
    network = machine.cluster.network
    return lambda: network.link(machine.number, False), lambda: network.link(machine.number, True)


def _stop(machine, say):
    def begin():
        say(f"{machine.name} ended {machine.end(signal.SIGTERM):.2f} s after SIGTERM")

    return begin, machine.start


def _lose(machine, others):
    network = machine.cluster.network
    return lambda: network.lose(machine.number, others, True), lambda: network.lose(machine.number, others, False)


def _both(*pairs):
    def begin():
        for pair in pairs:
            pair[0]()

    def end():
        for pair in pairs:
            pair[1]()

    return begin, end


def plan(cluster, count, without, say):
    """The first `count` of a list that begins again when it is over, without those whose text matches an expression."""
    nodes, nats = cluster.nodes, cluster.nats
    apart = cluster.network.apart

    def round_of(turn):
        node, other = nodes[turn % 3], nodes[(turn + 1) % 3]
        # A server that was away leads no stream for a while, so the next one is hurt each time.
        server, frozen, lost = (nats[(turn + step) % 3] for step in range(3))
        faults = [
            Fault(f"kill {node.name}", *_kill(node)),
            Fault(f"kill {server.name}", *_kill(server)),
            Fault(f"freeze {node.name}", *_freeze(node)),
            Fault(f"freeze {frozen.name}", *_freeze(frozen)),
            Fault(f"stop {node.name}", *_stop(node, say), hold=3.0),
        ]
        if apart:
            elsewhere = [1, cluster.spare.number] + [one.number for one in nodes if one is not node]
            faults += [
                Fault(f"cut off {node.name}", *_cut(node)),
                Fault(f"cut off {lost.name}", *_cut(lost)),
                Fault(f"cut off {node.name} from NATS alone", *_lose(node, [one.number for one in nats])),
                Fault(f"cut off {node.name} from all but NATS", *_lose(node, elsewhere)),
            ]
        if cluster.shim:
            ahead = 3600 if turn % 2 == 0 else -3600
            faults.append(Fault(f"clock of {node.name} {ahead:+} s", lambda: node.set_clock(ahead), lambda: node.set_clock(0), hold=3.0))
        two = [
            Fault(f"kill {node.name} and {server.name}", *_both(_kill(node), _kill(server))),
            Fault(f"kill {node.name} and {other.name}", *_both(_kill(node), _kill(other))),
            Fault(f"freeze {node.name}, kill {server.name}", *_both(_freeze(node), _kill(server))),
        ]
        if apart:
            two.append(Fault(f"cut off {node.name} and {server.name}", *_both(_cut(node), _cut(server))))
        spare = cluster.spare
        faults += two[turn % 2::2]
        faults.append(Fault("a node joins, and leaves", spare.start, lambda: say(f"{spare.name} left in {spare.end(signal.SIGTERM):.2f} s"), hold=8.0))
        if turn % 3 == 2:
            first, second = nats[0], nats[1]
            faults.append(Fault("no majority of NATS", *_both(_kill(first), _kill(second)), hold=8.0))
        return faults

    faults, turn = [], 0
    while len(faults) < count:
        faults += [fault for fault in round_of(turn) if not without or not re.search(without, fault.text)]
        turn += 1
    return faults[:count]
