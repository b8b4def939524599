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


def sent(seq, number):
    return {"seq": seq, "kind": "sent", "payload": {"command": "action", "data": {"id": f"a{number}", "name": "mark", "data": "{}"}}}


def received(seq, number):
    return {"seq": seq, "kind": "received", "payload": {"command": "action/result", "data": {"id": f"a{number}", "success": True}}}


def executed(number, data="{}"):
    return {"what": "executed", "game": "g", "id": f"a{number}", "data": data}


def shown(*numbers, record="t"):
    return {"what": "shown", "game": "g", "record": record, "ids": [f"a{number}" for number in numbers]}


RECORD = [{"seq": 1, "kind": "opened", "payload": {}}, sent(2, 1), received(3, 1), {"seq": 4, "kind": "received", "payload": "text"}, sent(5, 2),
          sent(6, 3), received(7, 3)]
GAME = [{"what": "came", "game": "g", "node": "n"}, executed(1), executed(2), shown(1), executed(3), executed(4)]


class GameTest(unittest.TestCase):
    def found(self, told, record=None, more=None):
        return "\n".join(history.check_games(told, {"g": {"t": RECORD if record is None else record, **(more or {})}}))

    def test_nothing_is_wrong(self):
        """A result may be lost before anybody was shown it."""
        self.assertEqual(self.found(GAME), "")
        self.assertEqual(history.check(GAME, {}), [])

    def test_a_loss(self):
        self.assertIn("lost: the result of a2 was shown", self.found(GAME + [shown(1, 2)]))

    def test_doubles(self):
        self.assertIn("doubled: the result of a3 was sent once", self.found(GAME, RECORD + [received(8, 3)]))
        self.assertIn("doubled: the result of a3 was sent once", self.found(GAME, more={"u": [sent(1, 3), received(2, 3)]}))
        self.assertIn("doubled: the action a3 is there 2 times", self.found(GAME, RECORD + [sent(8, 3)]))

    def test_contradictions(self):
        self.assertIn("an odd action", self.found(GAME + [{"what": "odd", "game": "g", "text": "an odd action"}]))
        self.assertIn("the result of a9 is there, and was never sent", self.found(GAME, RECORD + [sent(8, 9), received(9, 9)]))
        self.assertIn("without its action", self.found(GAME + [executed(5)], RECORD + [received(8, 5)]))
        self.assertIn("in the record it is {}", self.found([executed(1, "x"), *GAME[2:]]))
        self.assertIn("have a gap", self.found(GAME, RECORD[:3] + RECORD[4:]))
        self.assertIn("came back to another table", self.found(GAME, more={"u": [sent(1, 4), received(2, 4)]}))
        self.assertIn("no record was found", "\n".join(history.check_games([executed(1)], {"g": {}})))


if __name__ == "__main__":
    unittest.main()
