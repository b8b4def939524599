"""Two of the example's webhook agents play each other: webhooks and REST, and nothing else.
usage: play_both.py EXAMPLE_DIR SERVER GAMES; prints the match ids, one a line."""
import sys
import threading

sys.path.insert(0, sys.argv[1])
import agent as example  # noqa: E402

server = sys.argv[2]
for game in range(int(sys.argv[3])):
    agents = {"corp": example.Agent(server, seed=game), "runner": example.Agent(server, seed=100 + game)}
    made = example.request("POST", server + "/api/v1/matches", {
        "game": "netrunner",
        "options": {"format": "system-gateway-beginner"},
        "seats": [{"role": side, "name": side, "agent": agent.spec} for side, agent in agents.items()]})
    assert "match-id" in made, made
    keys = {seat["role"]: seat["api-key"] for seat in made["seats"]}
    ends = {}

    def play(side):
        ends[side] = agents[side].play(keys[side])

    threads = [threading.Thread(target=play, args=(side,), daemon=True) for side in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert set(ends) == {"corp", "runner"}, "the match %s has not ended for both players" % made["match-id"]
    assert ends["corp"]["winner"] == ends["runner"]["winner"], ends
    assert ends["corp"]["agent-won"] != ends["runner"]["agent-won"] or ends["corp"]["winner"] is None, ends
    assert ends["corp"]["final-scores"] == ends["runner"]["final-scores"], ends
    for side, agent in agents.items():
        assert not agent.refused, agent.refused
        state = example.request("GET", server + "/game/state", key=keys[side])
        assert state["phase"] == "game-over", state
        assert state["agent-side"] == side, state
    print(made["match-id"], ends["corp"]["winner"], agents["corp"].secret)
