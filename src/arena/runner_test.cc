#include "arena/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/make_agent.h"
#include "base/json_members.h"
#include "base/secure_random.h"
#include "games/narrative/narrative.h"
#include "games/tictactoe/tictactoe.h"
#include "match/replay.h"
#include "schema/schema.h"
#include "testing/fake_scheduler.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Game& TicTacToe() {
  static const std::unique_ptr<Game> game = games::MakeTicTacToe();
  return *game;
}
const Game& Stories() {
  static const std::unique_ptr<Game> game = games::MakeNarrative();
  return *game;
}

// Gives up with the details in its options: {"kind": "quitter", "code": "provider", "permanent"?}.
class Quitter final : public Agent {
 public:
  explicit Quitter(json::Object details) : details_(std::move(details)) {}
  std::string_view kind() const override { return "quitter"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override {
    static_cast<void>(seat_->GiveUp(decision.id, "it had to", details_));
  }

 private:
  const json::Object details_;
  Seat* seat_ = nullptr;
};

// Plays the first legal move, and says that a model was asked.
class PaidAgent final : public Agent {
 public:
  std::string_view kind() const override { return "paid"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override {
    const json::Array prompt{json::Object{{"role", "user"}, {"content", "Your move?"}}};
    const auto say = [&](const char* text, const char* outcome) {
      seat_->RecordModel(
          {{"step", "answer"},
           {"model", "m"},
           {"text", text},
           {"outcome", outcome},
           {"usage", json::Object{{"input", 60}, {"cached", 30}, {"created", 0}, {"output", 10}, {"reasoning", 4}}},
           {"tokens_in", 90},
           {"tokens_out", 10},
           {"cost", 0.01},
           {"ms", 12.34},
           {"prompt", prompt}});
    };
    say("hm", "unreadable");
    say("this", "mended");
    const PlayedChoice& choice = decision.sight->choices().front().choice;
    static_cast<void>(seat_->Choose({.action = choice.action, .data = choice.data, .decision = decision.id}));
  }

 private:
  Seat* seat_ = nullptr;
};

Result<std::unique_ptr<Agent>> MakeTestAgent(const AgentSpec& spec) {
  if (spec.kind == "quitter") return std::make_unique<Quitter>(spec.options);
  if (spec.kind == "paid") return std::make_unique<PaidAgent>();
  if (spec.kind == "unmade") return Fail(ErrorCode::kIo, "it is not there");
  return MakeLocalAgent(spec);
}

class RunnerTest : public ::testing::Test {
 protected:
  struct Run {
    std::unique_ptr<testing::FakeScheduler> scheduler = std::make_unique<testing::FakeScheduler>();
    std::unique_ptr<RunFolder> folder;
    std::unique_ptr<Runner> runner;
    bool done = false;
  };

  void TearDown() override { fs::remove_all(dir_); }

  RunSpec Asked(std::uint64_t games) const {
    RunSpec spec;
    spec.command = "play";
    spec.openseat = "1";
    spec.games = {{game_->info().id, game_->info().title, 1, options_}};
    for (const RunAgent& agent : agents_) spec.agents.push_back(agent.name);
    spec.wanted = games;
    spec.seed = 5;
    spec.budget = budget_;
    spec.parts = {{testing::FakeClock().Now(), std::nullopt, {}}};
    return spec;
  }
  Run Play(std::unique_ptr<RunFolder> folder) {
    const RunSpec& spec = folder->spec();
    Run run;
    ScheduleSpec plan;
    plan.agents = spec.agents;
    plan.games = {{game_->info().id, agents_.size()}};
    plan.pairs = (spec.wanted + 1) / 2;
    plan.max_games = spec.wanted;
    plan.seed = spec.seed;
    plan.fixed_roles = spec.fixed_roles;
    if (plan.fixed_roles) plan.pairs = spec.wanted;
    Result<Schedule> schedule = Schedule::Make(plan);
    EXPECT_TRUE(schedule.has_value()) << schedule.error().message;
    run.folder = std::move(folder);
    Runner::Setup setup;
    setup.games = {game_};
    setup.options = {options_};
    setup.agents = agents_;
    setup.folder = run.folder.get();
    setup.figures = true;
    setup.budget = budget_;
    for (const RunPart& part : spec.parts) {
      setup.spent += part.spent;
      setup.seconds += part.seconds.value_or(0);
    }
    setup.make_agent = MakeTestAgent;
    setup.takes_seed = [](std::string_view kind) { return kind == "random"; };
    setup.jobs.assign(jobs_, run.scheduler.get());
    setup.on_progress = [this](const Runner::Progress& progress) { progress_ = progress; };
    Result<std::unique_ptr<Runner>> runner = Runner::Make(std::move(setup), std::move(*schedule));
    EXPECT_TRUE(runner.has_value()) << runner.error().message;
    if (!runner) return run;
    run.runner = std::move(*runner);
    run.runner->Start([&run] { run.done = true; });
    run.scheduler->Run();
    EXPECT_TRUE(run.done);
    return run;
  }
  Run PlayNew(const std::string& path, std::uint64_t games) {
    Result<std::unique_ptr<RunFolder>> folder = RunFolder::Create(path, Asked(games));
    EXPECT_TRUE(folder.has_value()) << folder.error().message;
    Run run = Play(std::move(*folder));
    Finish(run);
    return run;
  }
  Run GoOn(const std::string& path) {
    Result<std::unique_ptr<RunFolder>> folder =
        RunFolder::Resume(path, testing::FakeClock().Now(), [](const WrittenRun&) { return Result<void>(); });
    EXPECT_TRUE(folder.has_value()) << folder.error().message;
    if (!folder) return {};
    Run run = Play(std::move(*folder));
    Finish(run);
    return run;
  }
  void Finish(Run& run) {
    json::Object summary = run.runner->summary().ToJson(run.folder->spec(), 0, 0);
    EXPECT_TRUE(run.folder->Finish(1, run.runner->spent(), std::move(summary), budget_).has_value());
    run.folder.reset();
  }
  static std::string Text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::vector<json::Value> Lines(const std::string& path) {
    std::vector<json::Value> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(*json::Parse(line));
    return lines;
  }
  std::string Path(const std::string& name) const { return dir_ + "/" + name; }

  const std::string dir_ = ::testing::TempDir() + "runner_test." + SecureToken(8);
  const Game* game_ = &TicTacToe();
  json::Value options_;
  std::vector<RunAgent> agents_{{"random", {"random", {}}}, {"random:seed=1", {"random", {{"seed", 1}}}}};
  RunBudget budget_;
  std::size_t jobs_ = 1;
  Runner::Progress progress_;
};

TEST_F(RunnerTest, PlaysPairsFromBothSeatsUnderNeutralNames) {
  const Run run = PlayNew(Path("run"), 6);
  EXPECT_TRUE(run.runner->complete());
  EXPECT_EQ(progress_.counted, 6U);
  EXPECT_EQ(progress_.total, 6U);
  const std::vector<GameLine> games = *ReadGameLines(Path("run"));
  ASSERT_EQ(games.size(), 6U);
  for (std::size_t i = 0; i < 6; i += 2) {
    EXPECT_EQ(games[i].seed, games[i + 1].seed);
    EXPECT_EQ(games[i].pair, i / 2);
    EXPECT_EQ(games[i].seats, (std::vector<std::string>{"random", "random:seed=1"}));
    EXPECT_EQ(games[i + 1].seats, (std::vector<std::string>{"random:seed=1", "random"}));
  }
  EXPECT_NE(games[0].seed, games[2].seed);
  // The seed that an agent was given is not the same seed in every game.
  const std::string replays = Text(Path("run/replays.jsonl"));
  EXPECT_THAT(replays, HasSubstr("Player 1"));
  EXPECT_THAT(replays, Not(HasSubstr("\\\"seed\\\":1,")));
}

TEST_F(RunnerTest, KeepsGamesThatCanBeReplayed) {
  PlayNew(Path("run"), 4);
  const std::vector<GameLine> games = *ReadGameLines(Path("run"));
  for (const GameLine& line : games) {
    Result<RecordedGame> recorded = ReadReplay(Path("run"), line.game);
    ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
    RecordingJournal journal;
    journal.Put(recorded->table, std::move(recorded->events));
    Result<Replay> replay = Replay::Open(journal, *game_, recorded->table, kSpectatorViewer);
    ASSERT_TRUE(replay.has_value()) << replay.error().message;
    std::size_t played = 0;
    std::string winner;
    const Result<void> shown = replay->Run(0, [&](const json::Object& step) {
      const json::Object& payload = step.at("payload").as_object();
      played += json::TextOf(payload, "event") == "update" || json::TextOf(payload, "event") == "end" ? 1 : 0;
      winner = json::TextOf(payload, "winner");
      return true;
    });
    ASSERT_TRUE(shown.has_value()) << shown.error().message;
    EXPECT_EQ(played, line.turns);
    EXPECT_EQ(winner, line.winners.empty() ? "" : "Player " + std::to_string(line.winners[0] + 1));
  }
  EXPECT_EQ(ReadReplay(Path("run"), 9).error().code, ErrorCode::kNotFound);
}

TEST_F(RunnerTest, SaysWhatWasDecided) {
  agents_ = {{"paid", {"paid", {}}}, {"random", {"random", {}}}};
  const Run run = PlayNew(Path("run"), 2);
  const std::vector<GameLine> games = *ReadGameLines(Path("run"));
  const SeatFigures& paid = games[0].by_seat[0];
  EXPECT_EQ(paid.asked_again, paid.decisions);
  EXPECT_EQ(paid.repaired, paid.decisions);
  EXPECT_EQ(paid.tokens.cached, 60 * paid.decisions);
  EXPECT_NEAR(*paid.cost, 0.02 * static_cast<double>(paid.decisions), 1e-9);
  EXPECT_EQ(games[0].tokens, 200 * paid.decisions);
  EXPECT_EQ(run.runner->spent().tokens, games[0].tokens + games[1].tokens);
  const json::Value first = Lines(Path("run/decisions.jsonl")).front();
  EXPECT_EQ(first.at("agent"), "paid");
  EXPECT_EQ(first.at("model"), "m");
  EXPECT_EQ(first.at("verdict"), "accepted");
  EXPECT_EQ(first.at("choices").as_array().size(), 9U);
  EXPECT_EQ(first.at("choices").at(4).at("id"), "5");
  EXPECT_EQ(first.at("choices").at(4).at("data"), R"({"position":[1,1]})");
  EXPECT_EQ(first.at("choice"), R"({"action":"move","data":{"position":[0,0]}})");
  EXPECT_THAT(json::View(first.at("observation").as_string()), HasSubstr("Player 1"));
  EXPECT_EQ(first.at("answers").at(1).at("ms"), 12.3);
  EXPECT_EQ(first.at("prompt").at(0).at("content"), "Your move?");
  const json::Value training = Lines(Path("run/training.jsonl")).front();
  EXPECT_EQ(training.at("messages").at(1).at("role"), "assistant");
  EXPECT_EQ(training.at("messages").at(1).at("content"), "this");
  const bool won = games[0].Won(0);
  EXPECT_EQ(training.at("result"), won ? "win" : games[0].winners.empty() ? "draw" : "loss");
  EXPECT_THAT(Text(Path("run/replays.jsonl")), Not(HasSubstr("Your move?"))) << "prompts are kept once";
  const ModelTally& model = run.runner->summary().models().at("m");
  EXPECT_EQ(model.asked_again, model.repaired);
  EXPECT_NEAR(model.Latency(0.9), 12.3, 0.01);
}

TEST_F(RunnerTest, TellsForfeitsFromVoidGames) {
  const std::map<std::string, bool> forfeits{{"schema", true},   {"parse", true},       {"refused", true},
                                             {"declined", true}, {"cut-off", true},     {"provider", false},
                                             {"timeout", false}, {"cap", false},        {"too-large", false},
                                             {"", false},        {"unreachable", false}};
  for (const auto& [code, forfeit] : forfeits) {
    agents_ = {{"quitter", {"quitter", {{"code", code}}}}, {"random", {"random", {}}}};
    const Run run = PlayNew(Path("run-" + code), 2);
    const std::vector<GameLine> games = *ReadGameLines(Path("run-" + code));
    ASSERT_EQ(games.size(), 2U) << code;
    EXPECT_EQ(games[1].forfeit, forfeit) << code;
    EXPECT_EQ(games[1].result, forfeit ? GameResult::kWin : GameResult::kVoid) << code;
    EXPECT_EQ(games[1].winners, forfeit ? std::vector<SeatIndex>{0} : std::vector<SeatIndex>{}) << code;
    EXPECT_EQ(games[1].cause, "quitter: it had to");
    EXPECT_EQ(games[1].code, code.empty() ? "unknown" : code);
    const AgentTally& tally = run.runner->summary().agents()[0];
    EXPECT_EQ(tally.all.losses, forfeit ? 2U : 0U) << code;
    EXPECT_EQ(tally.forfeits, tally.all.losses);
    EXPECT_EQ(run.runner->summary().voided(), forfeit ? 0U : 2U);
    const std::map<std::string, std::uint64_t> causes{{"quitter: it had to", 2}};
    EXPECT_EQ(run.runner->summary().forfeit_causes(), forfeit ? causes : decltype(causes)());
    EXPECT_EQ(run.runner->complete(), forfeit);
  }
}

TEST_F(RunnerTest, StopsAtAPermanentError) {
  agents_ = {{"quitter", {"quitter", {{"code", "provider"}, {"permanent", true}}}}, {"random", {"random", {}}}};
  const Run run = PlayNew(Path("run"), 6);
  EXPECT_EQ(ReadGameLines(Path("run"))->size(), 1U) << "there is no second game";
  ASSERT_TRUE(run.runner->stopped().has_value());
  EXPECT_EQ(run.runner->stopped()->kind, StopReason::Kind::kPermanent);
  EXPECT_EQ(run.runner->stopped()->sentence, "quitter: it had to");
  EXPECT_FALSE(run.runner->complete());
  // Once the cause is gone, the game that was void is played, too.
  agents_ = {{"quitter", {"paid", {}}}, {"random", {"random", {}}}};
  EXPECT_TRUE(GoOn(Path("run")).runner->complete());
  EXPECT_EQ(ReadGameLines(Path("run"))->size(), 6U);
}

TEST_F(RunnerTest, StopsIfNothingWorks) {
  agents_ = {{"quitter", {"quitter", {{"code", "provider"}}}}, {"random", {"random", {}}}};
  const Run run = PlayNew(Path("run"), 1000);
  EXPECT_EQ(run.runner->stopped()->kind, StopReason::Kind::kNothingWorks);
  EXPECT_THAT(run.runner->stopped()->sentence, HasSubstr("3 games in a row are void, the last because of quitter: "));
  // Once games count, a provider that fails for a while is waited for longer.
  agents_[0].spec = {"paid", {}};
  budget_.tokens = 2000;
  EXPECT_GT(GoOn(Path("run")).runner->summary().counted(), 0U);
  budget_.tokens = std::nullopt;
  agents_[0].spec = {"quitter", {{"code", "provider"}}};
  EXPECT_THAT(GoOn(Path("run")).runner->stopped()->sentence, HasSubstr("10 games in a row are void"));
  agents_ = {{"unmade", {"unmade", {}}}, {"random", {"random", {}}}};
  PlayNew(Path("unmade"), 2);
  EXPECT_EQ(ReadGameLines(Path("unmade"))->at(1).cause, "an agent could not be seated");
}

TEST_F(RunnerTest, EndsATurnThatCannotBeCompleted) {
  game_ = &Stories();
  for (const char* code : {"provider", "parse"}) {
    agents_ = {{"quitter", {"quitter", {{"code", code}}}}, {"random", {"random", {}}}};
    RunSpec spec = Asked(1);
    spec.fixed_roles = true;
    Result<std::unique_ptr<RunFolder>> folder = RunFolder::Create(Path(code), spec);
    ASSERT_TRUE(folder.has_value());
    Run run = Play(std::move(*folder));
    Finish(run);
    EXPECT_EQ(ReadGameLines(Path(code))->at(0).code, code);
    EXPECT_EQ(ReadGameLines(Path(code))->at(0).forfeit, code == std::string("parse"));
  }
}

TEST_F(RunnerTest, KeepsToItsBudget) {
  agents_ = {{"paid", {"paid", {}}}, {"random", {"random", {}}}};
  budget_.tokens = 300;
  {
    const Run run = PlayNew(Path("run"), 4);
    EXPECT_EQ(run.runner->stopped()->sentence, "the budget of 300 tokens is reached");
    EXPECT_EQ(run.runner->spent().tokens, 400U) << "no question follows the one that reached it";
    EXPECT_EQ(ReadGameLines(Path("run"))->at(0).code, "cap");
  }
  // What was spent stays spent, also for games that do not count.
  EXPECT_EQ(GoOn(Path("run")).runner->spent().tokens, 0U);
  budget_.tokens = std::nullopt;
  budget_.cost = 0.05;
  EXPECT_EQ(GoOn(Path("run")).runner->stopped()->sentence, "the budget of $0.05 is reached");
  budget_.cost = std::nullopt;
  budget_.hours = 1;
  EXPECT_TRUE(GoOn(Path("run")).runner->complete());
  const RunSpec spec = *ReadRunSpec(Path("run"));
  ASSERT_EQ(spec.parts.size(), 4U);
  EXPECT_EQ(spec.parts[0].spent.tokens, 400U);
  EXPECT_NEAR(spec.parts[0].spent.cost, 0.04, 1e-9);
}

TEST_F(RunnerTest, StopsWhenToldTo) {
  agents_ = {{"random:delay_ms=1000", {"random", {{"delay_ms", 1000}}}}, {"random", {"random", {}}}};
  jobs_ = 3;
  Run run;
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::Create(Path("run"), Asked(6));
  ASSERT_TRUE(folder.has_value());
  budget_.hours = 1.5 / 3600;
  {
    ScheduleSpec plan;
    plan.agents = (*folder)->spec().agents;
    plan.games = {{"tictactoe", 2}};
    plan.pairs = 3;
    plan.max_games = 6;
    plan.seed = 5;
    Runner::Setup setup;
    setup.games = {game_};
    setup.options = {nullptr};
    setup.agents = agents_;
    setup.folder = folder->get();
    setup.budget = budget_;
    setup.make_agent = MakeTestAgent;
    setup.takes_seed = [](std::string_view kind) { return kind == "random"; };
    setup.jobs.assign(3, run.scheduler.get());
    run.runner = std::move(*Runner::Make(std::move(setup), std::move(*Schedule::Make(plan))));
  }
  run.runner->Start([&run] { run.done = true; });
  run.scheduler->Advance(std::chrono::seconds(1));
  EXPECT_FALSE(run.done);
  run.scheduler->Advance(std::chrono::seconds(1));
  EXPECT_TRUE(run.done);
  EXPECT_EQ(run.runner->stopped()->kind, StopReason::Kind::kBudget);
  EXPECT_EQ(run.runner->summary().voided(), 3U) << "those under way";
  EXPECT_EQ(run.runner->summary().counted(), 0U);
  run.runner->Stop({StopReason::Kind::kInterrupted, "late"});
  run.scheduler->Run();
  EXPECT_EQ(run.runner->stopped()->kind, StopReason::Kind::kBudget) << "the first reason counts";
}

// What a kill leaves, at any moment, is resumed to the same files.
TEST_F(RunnerTest, ResumesAfterAKillAtAnyMoment) {
  agents_ = {{"paid", {"paid", {}}}, {"random", {"random", {}}}};
  jobs_ = 2;
  PlayNew(Path("whole"), 6);
  const std::vector<std::string> files{kDecisionsFile, kTrainingFile, kReplaysFile, kGamesFile};
  // The order in which everything was written: all the lines of a game, file by file, in some order of games.
  std::map<std::string, std::map<std::uint64_t, std::string>> texts;
  for (const std::string& file : files) {
    for (const json::Value& line : Lines(Path("whole/" + file))) {
      texts[file][*json::WholeOf(line.as_object(), "game")] += json::Write(line) + "\n";
    }
  }
  std::size_t total = 0;
  for (const std::string& file : files) total += fs::file_size(Path("whole/" + file));
  RunSpec begun = Asked(6);
  for (std::size_t cut = 0; cut <= total; cut += total / 25 + 1) {
    const std::string path = Path("cut-" + std::to_string(cut));
    fs::create_directories(path);
    std::ofstream(path + "/run.json") << json::Write(ToJson(begun));
    std::size_t left = cut;
    for (const std::uint64_t game : {1, 0, 2, 5, 3, 4}) {
      for (const std::string& file : files) {
        const std::string text = texts[file][game].substr(0, left);
        left -= text.size();
        std::ofstream(path + "/" + file, std::ios::app | std::ios::binary) << text;
      }
    }
    const Run run = GoOn(path);
    ASSERT_TRUE(run.runner && run.runner->complete()) << cut;
    for (const std::string& file : files)
      ASSERT_EQ(Text(path + "/" + file), Text(Path("whole/" + file))) << cut << file;
    RunSpec ended = *ReadRunSpec(path);
    EXPECT_EQ(json::Write(ended.summary), json::Write(ReadRunSpec(Path("whole"))->summary)) << cut;
    // What was spent before the kill is known as far as games had ended.
    const std::vector<GameLine> games = *ReadGameLines(path);
    std::uint64_t tokens = 0;
    for (const GameLine& game : games) tokens += game.tokens;
    EXPECT_EQ(ended.parts[0].spent.tokens + ended.parts[1].spent.tokens, tokens) << cut;
    fs::remove_all(path);
  }
}

TEST_F(RunnerTest, RefusesGamesOfAnotherRun) {
  PlayNew(Path("run"), 4);
  std::string text = Text(Path("run/games.jsonl"));
  const std::size_t seed = text.find("\"seed\":") + 7;
  text.replace(seed, text.find(',', seed) - seed, "7");
  std::ofstream(Path("run/games.jsonl"), std::ios::trunc) << text;
  Result<std::unique_ptr<RunFolder>> folder =
      RunFolder::Resume(Path("run"), Time(), [](const WrittenRun&) { return Result<void>(); });
  ASSERT_TRUE(folder.has_value());
  ScheduleSpec plan;
  plan.agents = (*folder)->spec().agents;
  plan.games = {{"tictactoe", 2}};
  plan.pairs = 2;
  plan.seed = 5;
  testing::FakeScheduler scheduler;
  Runner::Setup setup;
  setup.games = {game_};
  setup.options = {nullptr};
  setup.agents = agents_;
  setup.folder = folder->get();
  setup.jobs = {&scheduler};
  const auto runner = Runner::Make(std::move(setup), std::move(*Schedule::Make(plan)));
  ASSERT_FALSE(runner.has_value());
  EXPECT_THAT(runner.error().message, HasSubstr("games.jsonl: game 0 has another pair, seed, game or other seats"));
}

// Without the key, nobody can make the mark, and nothing of run.json can be exchanged under it.
TEST_F(RunnerTest, MarksARunForTheUserWhoBeganIt) {
  const auto marked = [this](std::string_view key) {
    return HasMark(Path("run"), ReadWrittenRun(Path("run"))->text, key);
  };
  const auto check = [](const WrittenRun&) { return Result<void>(); };
  {
    const auto folder = RunFolder::Create(Path("run"), Asked(2), "mine");
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    EXPECT_TRUE(marked("mine"));
    EXPECT_FALSE(marked("theirs"));
    EXPECT_FALSE(marked("")) << "no key is no key of anybody";
    EXPECT_EQ(fs::status(Path("run/run.mark")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  const std::string begun = Text(Path("run/run.json"));
  {
    auto folder = RunFolder::Resume(Path("run"), Time(), check, "mine");
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    EXPECT_TRUE(marked("mine")) << "of the next part, too";
    EXPECT_TRUE(HasMark(Path("run"), begun, "mine")) << "it may have been killed before run.json was written";
    ASSERT_TRUE((*folder)->Finish(1, {}, {}, {}).has_value());
  }
  EXPECT_TRUE(marked("mine")) << "and at its end";
  EXPECT_FALSE(HasMark(Path("run"), begun, "mine")) << "but not of what was there before that";

  std::string text = Text(Path("run/run.json"));
  text.replace(text.find("random:seed=1"), 13, "random:seed=2");
  std::ofstream(Path("run/run.json"), std::ios::trunc) << text;
  EXPECT_FALSE(marked("mine"));

  ASSERT_TRUE(RunFolder::Resume(Path("run"), Time(), check).has_value());
  EXPECT_FALSE(marked("mine")) << "without a key, nothing is marked";
  ASSERT_TRUE(RunFolder::Resume(Path("run"), Time(), check, "mine").has_value());
  EXPECT_TRUE(marked("mine"));
  fs::remove(Path("run/run.mark"));
  EXPECT_FALSE(marked("mine"));
}

// A stranger's folder may have links to our files.
TEST_F(RunnerTest, WritesThroughNoLink) {
  const auto check = [](const WrittenRun&) { return Result<void>(); };
  for (const char* name : {"games.jsonl", "decisions.jsonl", "lock", "run.json.unfinished"}) {
    ASSERT_TRUE(RunFolder::Create(Path("run"), Asked(2)).has_value());
    std::ofstream(Path("mine")) << "mine";
    fs::remove(Path("run/") + name);
    fs::create_symlink(Path("mine"), Path("run/") + name);
    EXPECT_FALSE(RunFolder::Resume(Path("run"), Time(), check).has_value()) << name;
    EXPECT_EQ(Text(Path("mine")), "mine") << name;
    fs::remove_all(Path("run"));
  }
}

TEST_F(RunnerTest, WaitsForNoPipe) {
  const auto check = [](const WrittenRun&) { return Result<void>(); };
  for (const char* name : {"games.jsonl", "replays.jsonl", "run.json", "run.json.unfinished"}) {
    ASSERT_TRUE(RunFolder::Create(Path("run"), Asked(2)).has_value());
    fs::remove(Path("run/") + name);
    ASSERT_EQ(mkfifo((Path("run/") + name).c_str(), 0600), 0);
    EXPECT_FALSE(RunFolder::Resume(Path("run"), Time(), check).has_value()) << name;
    fs::remove_all(Path("run"));
  }
}

TEST_F(RunnerTest, LetsOneProcessWrite) {
  const auto first = RunFolder::Create(Path("run"), Asked(2));
  const auto check = [](const WrittenRun&) { return Result<void>(); };
  const auto second = RunFolder::Resume(Path("run"), Time(), check);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_THAT(second.error().message, HasSubstr("another openseat writes to the run in"));
  EXPECT_EQ(RunFolder::Create(Path("run"), Asked(2)).error().code, ErrorCode::kConflict);
}

TEST_F(RunnerTest, RefusesFoldersInUseAndFoldersOfNothing) {
  PlayNew(Path("run"), 2);
  const auto check = [](const WrittenRun&) { return Result<void>(); };
  EXPECT_THAT(RunFolder::Create(Path("run"), Asked(2)).error().message, HasSubstr("has a run already (run.json)"));
  EXPECT_EQ(RunFolder::Resume(Path("none"), Time(), check).error().code, ErrorCode::kNotFound);
  const auto refused = RunFolder::Resume(Path("run"), Time(), [](const WrittenRun&) {
    return Result<void>(Fail(ErrorCode::kConflict, "it is another one"));
  });
  EXPECT_EQ(refused.error().message, "it is another one");
  EXPECT_EQ(ReadRunSpec(Path("run"))->parts.size(), 1U) << "nothing was changed";
  std::ofstream(Path("run/games.jsonl"), std::ios::app) << Lines(Path("run/games.jsonl")).back() << "\n";
  EXPECT_THAT(RunFolder::Resume(Path("run"), Time(), check).error().message,
              HasSubstr("games.jsonl:3: game 1 is in line 2 already"));
}

// The formats are as their schemas say.
TEST_F(RunnerTest, WritesWhatTheSchemasSay) {
  const auto schema = [](const std::string& name) {
    const Result<json::Value> source =
        json::Parse(Text(std::string(OPENSEAT_DOCS) + "/formats/" + name + ".schema.json"));
    EXPECT_TRUE(source.has_value()) << name;
    const auto compiled = schema::Schema::Compile(*source);
    EXPECT_TRUE(compiled.has_value()) << name;
    return *compiled;
  };
  const auto check = [](const schema::Schema& compiled, const json::Value& value) {
    const auto violations = compiled.Validate(value);
    EXPECT_TRUE(violations.empty()) << schema::Explain(violations) << "\n" << json::Write(value);
  };
  agents_ = {{"paid", {"paid", {}}}, {"random:invalid=0.5", {"random", {{"invalid", 0.5}}}}};
  PlayNew(Path("paid"), 4);
  agents_ = {{"quitter", {"quitter", {{"code", "provider"}}}}, {"random", {"random", {}}}};
  PlayNew(Path("void"), 2);
  agents_ = {{"random", {"random", {}}}, {"quitter", {"quitter", {{"code", "parse"}}}}};
  PlayNew(Path("forfeit"), 2);
  for (const char* run : {"paid", "void", "forfeit"}) {
    check(*schema("run"), *json::Parse(Text(Path(run) + "/run.json")));
    for (const char* file : {"games", "decisions", "replays", "training"}) {
      const auto compiled = schema(file);
      for (const json::Value& line : Lines(Path(run) + "/" + file + ".jsonl")) check(*compiled, line);
    }
  }
  EXPECT_FALSE(schema("games")->IsValid(json::Object{{"game", "one"}}));
}

}  // namespace
}  // namespace openseat::arena
