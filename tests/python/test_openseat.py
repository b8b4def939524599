"""The Python package at the real server: python3 -m unittest, with OPENSEAT_PROGRAM set. Standard library alone; what
PettingZoo's api_test, seed_test and parallel_api_test and Gymnasium's check_env assert is asserted here, too.
"""

import asyncio
import base64
import hashlib
import http.server
import importlib.util
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import openseat  # noqa: E402
from openseat import gymnasium_env, pettingzoo_env  # noqa: E402
from openseat.spaces import flatten  # noqa: E402

GAMES = ("tictactoe", "connectm", "rps", "chicken")


def plain(value):
    """Comparable, with or without numpy."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else getattr(value, "tolist", lambda: value)()


class ClientTest(unittest.TestCase):
    def test_an_episode_of_every_game(self):
        for game in GAMES + ("netrunner", "narrative"):
            with openseat.make(game, opponent="random" if game != "narrative" else None) as env:
                step = env.reset(seed=3)
                self.assertIsNone(step.reward)
                self.assertTrue(step.legal, game)
                for _ in range(20):
                    if step.done:
                        break
                    step = env.step(step.legal[0])
                    self.assertIsInstance(step.reward, (int, float))

    def test_the_same_seed_gives_the_same_episode(self):
        for game in GAMES:
            runs = []
            for _ in range(2):
                with openseat.make(game) as env:
                    step = env.reset(seed=11)
                    run = [step]
                    while not step.done and len(run) < 60:
                        step = env.step(step.legal[-1])
                        run.append(step)
                    runs.append(run)
            self.assertEqual(runs[0], runs[1], game)

    def test_errors_have_codes(self):
        with openseat.make("tictactoe") as env:
            with self.assertRaises(openseat.OpenseatError) as caught:
                env.step(0)
            self.assertEqual(caught.exception.code, "EXECUTION_ERROR")
            with self.assertRaises(openseat.OpenseatError) as caught:
                env.reset(sead=1)
            self.assertEqual(caught.exception.code, "VALIDATION_ERROR")
            self.assertEqual(env.reset(seed=1).choices[4]["label"], env.reset(seed=2).choices[4]["label"])
            step = env.step("certainly not a move")
            self.assertIn("certainly", step.refused)
        with self.assertRaisesRegex(ConnectionError, "there is no game"):
            openseat.make("no-such-game")
        with self.assertRaisesRegex(ConnectionError, "there is no game"):
            asyncio.run(openseat.make_async("no-such-game").reset())

    def test_two_sockets_play_one_episode(self):
        results = {}

        def play(seat):
            generator = random.Random(seat)
            with openseat.make("connectm", opponent="open") as env:
                for episode in range(3):
                    step = env.reset(episode_id=f"self-play-{episode}", seat=seat)
                    while not step.done:
                        step = env.step("wait" if step.waiting else generator.choice(step.legal))
                    results[seat, episode] = step.reward

        threads = [threading.Thread(target=play, args=(seat,)) for seat in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for episode in range(3):
            self.assertEqual(results[0, episode] + results[1, episode], 0)

    def test_asyncio(self):
        async def play(seed):
            async with openseat.make_async("tictactoe") as env:
                step = await env.reset(seed=seed)
                while not step.done:
                    step = await env.step(step.legal[0])
                return step.reward, (await env.state())["done"]

        async def several():
            return await asyncio.gather(*(play(seed) for seed in range(20)))

        outcomes = asyncio.run(several())
        self.assertEqual([done for _, done in outcomes], [True] * 20)

    def test_many_over_one_socket(self):
        with openseat.make_many("tictactoe", 32, fields=["mask"]) as many:
            steps = many.reset(seeds=range(32))
            ends = 0
            for _ in range(20):
                steps = many.step([step.legal[0] if step.legal else 0 for step in steps])
                ends += sum(step.done for step in steps)
            self.assertGreater(ends, 32)
            self.assertIsNone(many.step([None] * 32)[0])


class GymnasiumTest(unittest.TestCase):
    """What check_env asserts."""

    def check(self, game):
        env = gymnasium_env.OpenseatEnv(game)
        space = env.observation_space
        first = env.reset(seed=123)
        self.assertTrue(space.contains(first[0]))
        self.assertIsInstance(first[1], dict)
        self.assertEqual(plain(first), plain(env.reset(seed=123)), "equal seeds, equal observation and info")
        self.assertNotEqual([plain(env.reset(seed=s)) for s in range(6)], [plain(env.reset(seed=0))] * 7)
        env.reset(seed=5)
        after = plain(env.reset())
        env.reset(seed=5)
        self.assertEqual(after, plain(env.reset()), "a reset without a seed follows from the last one")
        self.assertEqual(plain(env.reset(seed=1, options={"x": 1})), plain(env.reset(seed=1)), "options are tolerated")
        runs = []
        for _ in range(2):
            env.reset(seed=9)
            env.action_space.seed(9)
            run = []
            for _ in range(50):
                result = env.step(env.action_space.sample())  # without the mask
                self.assertTrue(space.contains(result[0]))
                self.assertIsInstance(float(result[1]), float)
                self.assertIsInstance(result[2], bool)
                self.assertIsInstance(result[3], bool)
                run.append(plain(result))
                if result[2]:
                    break
            runs.append(run)
        self.assertEqual(runs[0], runs[1], "steps are deterministic")
        env.close()

    def test_every_game(self):
        for game in GAMES:
            with self.subTest(game):
                self.check(game)

    def test_an_illegal_action_loses(self):
        env = gymnasium_env.OpenseatEnv("connectm")
        env.reset(seed=1)
        _, reward, terminated, _, info = env.step(19)
        self.assertEqual((reward, terminated, info["outcome"]), (-1.0, True, "loss"))
        env.close()

    def test_vector(self):
        env = gymnasium_env.OpenseatVectorEnv("connectm", num_envs=16)
        seen, _ = env.reset(seed=4)
        again, _ = env.reset(seed=4)
        self.assertEqual(plain(seen), plain(again))
        ended = False
        for _ in range(60):
            actions = [env.single_action_space.sample(mask) for mask in seen["action_mask"]]
            seen, rewards, ends, cut, _ = env.step(actions)
            self.assertEqual([len(rewards), len(ends), len(cut)], [16] * 3)
            for reward, end in zip(rewards, ends):
                self.assertIn(reward, (-1.0, 0.0, 1.0))
                self.assertTrue(end or reward == 0.0)
            ended = ended or any(ends)
        self.assertTrue(ended)
        env.close()

    def test_more_values_than_fit_are_an_error(self):
        with self.assertRaises(ValueError):
            flatten(list(range(300)))


class PettingZooTest(unittest.TestCase):
    """What api_test, seed_test, parallel_api_test and parallel_seed_test assert."""

    def check_spaces(self, env):
        for agent in env.possible_agents:
            self.assertRegex(agent, r"^[a-z]+_[0-9]+$")
            self.assertIs(env.observation_space(agent), env.observation_space(agent))
            self.assertIs(env.action_space(agent), env.action_space(agent))

    def check_aec(self, game):
        env = pettingzoo_env.raw_env(game)
        env.reset(seed=0, options={"options": 1})
        self.check_spaces(env)
        self.assertGreater(env.num_agents, 0)
        self.assertFalse(any(env.terminations.values()) or any(env.truncations.values()))
        self.assertIsNone(env.last(observe=False)[0])
        since = {agent: 0.0 for agent in env.agents}
        seen_dead = set()
        for agent in env.agent_iter(1000):
            self.assertNotIn(agent, seen_dead, "who is gone never returns")
            observation, reward, terminated, truncated, info = env.last()
            self.assertEqual(reward, since[agent], "the reward since its own last step")
            self.assertIsInstance(terminated, bool)
            self.assertIsInstance(truncated, bool)
            self.assertIsInstance(info, dict)
            self.assertTrue(env.observation_space(agent).contains(observation))
            for table in (env.rewards, env.terminations, env.truncations, env.infos):
                self.assertEqual(set(table), set(env.agents))
            if terminated:
                seen_dead.add(agent)
                self.assertIsNone(env.step(None))
                continue
            mask = observation["action_mask"]
            self.assertEqual(set(plain(mask)), {0, 1} if 0 in plain(mask) else {1})
            since[agent] = 0.0
            self.assertIsNone(env.step(env.action_space(agent).sample(mask)))
            for each, gain in env.rewards.items():
                since[each] += gain
        self.assertEqual(env.agents, [])
        self.assertEqual(seen_dead, set(env.possible_agents))
        env.close()

    def test_api(self):
        for game in GAMES:
            with self.subTest(game):
                self.check_aec(game)

    def test_seed(self):
        for game in GAMES:
            runs = []
            for _ in range(2):
                env = pettingzoo_env.raw_env(game)
                env.reset(seed=42)
                for agent in env.possible_agents:
                    env.action_space(agent).seed(42)
                run = []
                for agent in env.agent_iter(500):
                    observation, reward, end, cut, info = env.last()
                    action = None if end else env.action_space(agent).sample(observation["action_mask"])
                    run.append((agent, plain(observation), reward, end, cut, plain(info), action))
                    env.step(action)
                runs.append(run)
                env.close()
            self.assertEqual(runs[0], runs[1], game)

    def test_parallel(self):
        for game in GAMES:
            env = pettingzoo_env.parallel_env(game)
            self.check_spaces(env)
            for seed in range(3):
                seen, infos = env.reset(seed=seed, options={"options": 1})
                self.assertEqual(set(seen), set(env.agents))
                self.assertEqual(set(infos), set(env.agents))
                for _ in range(300):
                    if not env.agents:
                        break
                    before = set(env.agents)
                    actions = {a: env.action_space(a).sample(seen[a]["action_mask"]) for a in env.agents}
                    seen, rewards, ends, cuts, infos = env.step(actions)
                    for table in (seen, rewards, ends, cuts, infos):
                        self.assertEqual(set(table), before)
                    self.assertTrue(set(env.agents) <= before)
                    for agent, observation in seen.items():
                        self.assertTrue(env.observation_space(agent).contains(observation))
                self.assertEqual(env.agents, [], game)
            env.close()

    def test_parallel_seed_without_masks(self):
        for game in GAMES:
            runs = []
            for _ in range(2):
                env = pettingzoo_env.parallel_env(game)
                run = [plain(env.reset(seed=42))]
                for agent in env.possible_agents:
                    env.action_space(agent).seed(7)
                while env.agents and len(run) < 100:
                    run.append(plain(list(env.step({a: env.action_space(a).sample() for a in env.agents}))))
                runs.append(run)
                env.close()
            self.assertEqual(runs[0], runs[1], game)


class PackageTest(unittest.TestCase):
    def test_the_same_sources_give_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            built = []
            for name in ("one", "two"):
                command = [sys.executable, str(ROOT / "python" / "build.py"), "1.2.3", f"{folder}/{name}"]
                subprocess.run(command, check=True, capture_output=True)
                built.append({path.name: path.read_bytes() for path in pathlib.Path(folder, name).iterdir()})
            self.assertEqual(built[0], built[1])
            self.assertEqual(set(built[0]), {"openseat-1.2.3-py3-none-any.whl", "openseat-1.2.3.tar.gz"})
            with zipfile.ZipFile(f"{folder}/one/openseat-1.2.3-py3-none-any.whl") as wheel:
                record = wheel.read("openseat-1.2.3.dist-info/RECORD").decode().splitlines()
                self.assertEqual({line.split(",")[0] for line in record}, set(wheel.namelist()))
                for line in record[:-1]:
                    name, digest, size = line.split(",")
                    data = wheel.read(name)
                    self.assertEqual(int(size), len(data))
                    made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual(digest, f"sha256={made}")
                wheel.extractall(f"{folder}/site")
            said = subprocess.run(
                [sys.executable, "-c", "import openseat, openseat.gymnasium_env; print(openseat.__version__)"],
                cwd=f"{folder}/site",
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(said.stdout, "1.2.3\n")


class ExamplesTest(unittest.TestCase):
    def test_random_baseline(self):
        self.run_example("random_baseline.py", "--episodes", "20")

    def test_the_learner_beats_random(self):
        said = self.run_example("learner.py", "--episodes", "3000", "--seed", "1")
        self.assertGreater(json.loads(said.splitlines()[-1])["score"], 0.6)

    def test_self_play(self):
        self.run_example("self_play.py", "--episodes", "5")

    def test_a_model_is_evaluated(self):
        class Model(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                listed = asked["messages"][0]["content"].split("Your choices:\n")[1]
                answer = "I take the first one.\n```json\n{choice: '" + listed.split(":")[0] + "'}\n```"
                body = json.dumps({"choices": [{"message": {"content": answer}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/v1"
            totals = json.loads(self.run_example("evaluate_model.py", "--url", url, "--model", "stand-in"))
            server.shutdown()
        self.assertEqual(totals["refused"], 0)
        self.assertEqual(totals["win"] + totals["draw"] + totals["loss"], 5)

    def run_example(self, name, *arguments):
        command = [sys.executable, str(ROOT / "python" / "examples" / name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    for missing in ("numpy", "gymnasium", "pettingzoo"):
        if importlib.util.find_spec(missing) is None:
            print(f"{missing} is not installed: its part is played by the package's own classes", file=sys.stderr)
    unittest.main(verbosity=1)
