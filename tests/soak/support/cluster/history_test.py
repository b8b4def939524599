"""The checker finds what it is for: python3 history_test.py"""
import copy
import unittest

import history


def throw(hand):
    return {"hand": hand}


def played(seq, seat, hand):
    return {"seq": seq, "kind": "played", "payload": {"seat": seat, "data": throw(hand)}}


def act(seat, hand, answer="yes", **more):
    return {"what": "act", "table": "t", "seat": seat, "choice": throw(hand), "answer": answer, **more}


def hook(number, event="prompt", **more):
    return {"what": "webhook", "table": "t", "seat": 1, "id": f"id{number}", "sequence": number, "event": event,
            "digest": str(number), **more}


JOURNAL = [played(1, 0, "rock"), played(2, 1, "paper"), played(3, 0, "paper"), played(4, 1, "rock"),
           {"seq": 5, "kind": "ended", "payload": {"winners": [1], "reason": "enough"}}]
TOLD = [{"what": "started", "table": "t"}, act(0, "rock"), act(0, "rock", "no"), act(1, "scissors", "unknown"), act(1, "paper"),
        {"what": "rounds", "table": "t", "seat": 0, "count": 1, "last": ["rock", "paper"], "thrown": 1},
        act(0, "paper", "unknown", key="k"), act(0, "paper", key="k"), act(1, "rock", "unknown"),
        hook(1), hook(2), hook(2), hook(3, "game-ended"), {"what": "end", "table": "t", "winner": 1}]


class HistoryTest(unittest.TestCase):
    def found(self, told, journal=None):
        return "\n".join(history.check(told, {"t": JOURNAL if journal is None else journal}))

    def test_nothing_is_wrong(self):
        self.assertEqual(self.found(TOLD), "")

    def test_a_loss(self):
        journal = [copy.deepcopy(event) for event in JOURNAL if event["seq"] != 3]
        for number, event in enumerate(journal):
            event["seq"] = number + 1
        self.assertIn('t, seat 0: lost: {"hand": "paper"} was acknowledged 1 times', self.found(TOLD, journal))

    def test_a_double(self):
        journal = copy.deepcopy(JOURNAL) + [played(6, 0, "paper")]
        self.assertIn('t, seat 0: doubled: {"hand": "paper"} was sent 1 times', self.found(TOLD, journal))

    def test_what_was_refused_may_not_be_there(self):
        self.assertIn("doubled", self.found([act(0, "rock"), act(0, "paper", "no")]))

    def test_another_order(self):
        self.assertIn("another order", self.found([act(0, "paper"), act(0, "rock")]))

    def test_contradictions(self):
        told = TOLD[:-1] + [{"what": "end", "table": "t", "winner": 0}]
        self.assertIn("told that 0 won", self.found(told))
        line = {"what": "rounds", "table": "t", "seat": 0, "count": 1, "last": ["rock", "rock"], "thrown": 1}
        self.assertIn("round 1 was ['rock', 'rock']", self.found([line]))
        self.assertIn("no such match", self.found([{"what": "false", "table": "t", "text": "no such match"}]))
        self.assertIn("is not in the journal", "\n".join(history.check([{"what": "started", "table": "u"}], {})))

    def test_what_a_seat_may_not_see(self):
        line = {"what": "rounds", "table": "t", "seat": 0, "count": 2, "last": ["paper", "rock"], "thrown": 1}
        self.assertIn("saw too much", self.found([line]))

    def test_a_match_that_does_not_finish(self):
        self.assertIn("did not finish", self.found(TOLD[:1], JOURNAL[:-1]))
        self.assertEqual(self.found(TOLD[:1] + [{"what": "abandoned", "table": "t"}], JOURNAL[:-1]), "")

    def test_a_gap_in_the_journal(self):
        self.assertIn("gap", self.found(TOLD[:1], JOURNAL[:1] + JOURNAL[2:]))

    def test_webhooks(self):
        self.assertIn("one is lost", self.found([hook(1), hook(3, "game-ended")]))
        self.assertIn("two webhooks have the number 1", self.found([hook(1), hook(1, id="other")]))
        self.assertIn("two contents", self.found([hook(1), hook(1, digest="other")]))
        self.assertIn("game-ended came 0 times", self.found([hook(1)]))


if __name__ == "__main__":
    unittest.main()
