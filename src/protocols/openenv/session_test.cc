#include "protocols/openenv/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocols/openenv/observation.h"
#include "protocols/openenv/test_sockets.h"
#include "schema/schema.h"

namespace openseat::openenv {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(OpenEnvTest, AWholeEpisodeFitsItsSchemas) {
  for (const Game* game : games_) {
    const json::Object schemas = SchemasOf(game->info());
    const auto observations = schema::Schema::Compile(schemas.at("observation"));
    ASSERT_TRUE(observations);
    Client client = Connect(first_, game->info().id);
    json::Value data = Reset(client, R"({"seed":7,"episode_id":"E"})");
    EXPECT_TRUE(data.at("reward").is_null());
    std::uint64_t steps = 0;
    double sum = 0;
    for (;; data = Step(client, FirstId(data)), ++steps) {
      json::Value joined = data.at("observation");
      joined.as_object()["reward"] = data.at("reward");
      joined.as_object()["done"] = data.at("done");
      EXPECT_TRUE((*observations)->Validate(joined).empty()) << json::Write(joined);
      if (steps > 0) sum += data.at("reward").to_number<double>();
      const json::Value state = Ask(client, R"({"type":"state"})");
      EXPECT_EQ(state.at("episode_id"), json::Value("E"));
      EXPECT_EQ(state.at("step_count").to_number<std::uint64_t>(), steps);
      if (data.at("done") == json::Value(true)) break;
      ASSERT_LT(steps, 200);
    }
    const json::Value outcome = data.at("observation").at("outcome");
    EXPECT_EQ(sum, outcome == json::Value("win") ? 1 : outcome == json::Value("loss") ? -1 : 0);
    EXPECT_EQ(Step(client, "0").at("code"), json::Value("EXECUTION_ERROR")) << "the episode is over";
    Drop(client);
  }
  EXPECT_EQ(environments_.open(), 0);
  EXPECT_TRUE(journal_.Tables(10)->empty()) << "nothing is kept";
}

TEST_F(OpenEnvTest, TheSameSeedGivesTheSameBytes) {
  for (const Game* game : games_) {
    std::vector<std::vector<std::string>> runs(2);
    for (auto& run : runs) {
      Client client = Connect(second_, game->info().id);
      std::vector<std::string> answers = Say(client, R"({"type":"reset","data":{"seed":42,"episode_id":"x"}})");
      while (run.size() < 100) {
        ASSERT_THAT(answers, SizeIs(1));
        run.push_back(answers.front());
        const json::Value data = json::Parse(answers.front())->at("data");
        if (data.at("done") == json::Value(true)) break;
        answers = Say(client, R"({"type":"step","data":{"choice":)" + FirstId(data) + "}}");
      }
      Drop(client);
    }
    EXPECT_EQ(runs[0], runs[1]) << game->info().id;
  }
}

TEST_F(OpenEnvTest, IllegalChoicesCostAndAreTold) {
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":1,"illegal":{"reward":-0.5,"attempts":3}})");
  json::Value data = Step(client, "77");
  EXPECT_EQ(data.at("reward").to_number<double>(), -0.5);
  EXPECT_EQ(data.at("done"), json::Value(false));
  EXPECT_THAT(data.at("observation").at("refused").as_string().c_str(), HasSubstr("77"));
  data = Step(client, "\"I would rather not\"");
  EXPECT_EQ(data.at("reward").to_number<double>(), -0.5);
  EXPECT_FALSE(data.at("observation").at("choices").as_array().empty()) << "it is asked again";
  data = Step(client, "1.5");
  EXPECT_EQ(data.at("done"), json::Value(true)) << "the third in a row forfeits";
  EXPECT_EQ(data.at("reward").to_number<double>(), -1.5);
  EXPECT_EQ(data.at("observation").at("outcome"), json::Value("loss"));
}

// A control character takes six bytes as JSON, seven if it is written twice.
TEST_F(OpenEnvTest, ErrorsQuoteTheBeginning) {
  const std::string much = "\"" + std::string(1u << 20, '\x7f') + "\"";
  const auto data = [&](std::string_view type, const std::string& member) {
    return R"({"type":")" + std::string(type) + R"(","data":{)" + member + "}}";
  };
  const std::pair<std::string, const char*> cases[] = {
      {R"({"type":)" + much + "}", "Unknown message type"},
      {R"({"type":"reset",)" + much + ":1}", "members type and data"},
      {data("reset", much + ":1"), "reset has no argument"},
      {data("reset", R"("seat":)" + much), "must be a seat from 0 to 1"},
      {data("reset", R"("seat":[)" + much + "]"), "must be a seat from 0 to 1"},
      {data("reset", R"("fields":[)" + much + "]"), "fields may list state, text, choices and mask"},
      {data("reset", R"("players":)" + much), "players must be from 2 to 2"},
      {data("reset", R"("reward":)" + much), "reward must be"},
      {data("reset", R"("illegal":{)" + much + ":1}"), "illegal has the members reward and attempts"},
      {data("reset", R"("opponents":)" + much), "at most 65536 bytes"},
      {data("reset", R"("opponents":{"kind":)" + much + "}"), "no agent"},
      {data("reset", R"("opponents":{"kind":"random",)" + much + ":1}"), "has the options seed"},
      {data("reset_many", R"("count":1,"seeds":[)" + much + "]"), "seeds must be whole numbers from 0"},
      {data("step", R"("choice":1,"seat":)" + much), "seat must be the number of a seat"},
      {data("mcp", R"("jsonrpc":"2.0","method":"x","id":)" + much), "an id has at most 1024 bytes"},
  };
  Client client = Connect(first_, "tictactoe");
  for (const auto& [message, expected] : cases) {
    const std::vector<std::string> answers = Say(client, message);
    ASSERT_THAT(answers, SizeIs(1)) << expected;
    EXPECT_THAT(answers.front(), HasSubstr(expected));
    EXPECT_LT(answers.front().size(), 8u << 10) << expected;
  }
  Reset(client, R"({"fields":["mask"]})");
  for (const std::string& choice : {"\"" + std::string(200'000, '\x7f') + "\"", much, "[" + much + "]"}) {
    const std::vector<std::string> answers = Say(client, data("step", R"("choice":)" + choice));
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_THAT(answers.front(), HasSubstr("an answer "));
    EXPECT_LT(answers.front().size(), 8u << 10);
  }
}

TEST_F(OpenEnvTest, AModelsOddAnswerIsRefusedAndIsNoError) {
  Client client = Connect(first_, "connectm");
  Reset(client, R"({"seed":1})");
  for (const char* action :
       {"{}", R"({"action":"no such","data":{}})", R"({"columns":3})", R"({"choice":[3,4]})", R"({"choice":true})",
        R"({"choice":null})", R"({"choice":{"choice":null}})", R"({"choice":"no","why":"so"})"}) {
    const json::Value data = Ask(client, R"({"type":"step","data":)" + std::string(action) + "}");
    ASSERT_TRUE(data.as_object().contains("observation")) << action << json::Write(data);
    EXPECT_TRUE(data.at("observation").as_object().contains("refused")) << action;
  }
}

TEST_F(OpenEnvTest, ActionsByIdLabelNameAndRawText) {
  Client client = Connect(first_, "connectm");
  json::Value data = Reset(client, R"({"seed":1})");
  const json::Value choice = data.at("observation").at("choices").at(2);
  const std::string by_name =
      R"({"action":)" + json::Write(choice.at("action")) + R"(,"data":)" + json::Write(choice.at("data")) + "}";
  const std::vector<std::string> forms{
      json::Write(choice.at("id")),
      "\"" + json::Write(choice.at("id")) + "\"",
      json::Write(choice.at("label")),
      json::Write(
          json::Value("<think>The third.</think>```json\n{'choice': " + json::Write(choice.at("id")) + ",}\n```")),
      json::Write(json::Value("I take it. " + by_name)),
      by_name,
  };
  std::string first;
  for (const std::string& form : forms) {
    Reset(client, R"({"seed":1})");
    const auto answers = Say(client, R"({"type":"step","data":{"choice":)" + form + "}}");
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_FALSE(json::Parse(answers[0])->at("data").at("observation").as_object().contains("refused")) << answers[0];
    if (first.empty()) first = answers[0];
    EXPECT_EQ(answers[0], first) << form;
  }
  Reset(client, R"({"seed":1})");
  EXPECT_EQ(Say(client, R"({"type":"step","data":)" + by_name + "}"), std::vector<std::string>{first});
  Reset(client, R"({"seed":1})");
  const auto named = Say(client, R"({"type":"step","data":{"choice":)" + json::Write(choice.at("action")) +
                                     R"(,"data":)" + json::Write(choice.at("data")) + "}}");
  EXPECT_EQ(named, std::vector<std::string>{first});
}

TEST_F(OpenEnvTest, TwoSocketsPlayOneEpisode) {
  Client one = Connect(first_, "tictactoe");
  Client two = Connect(second_, "tictactoe");
  EXPECT_TRUE(Say(one, R"({"type":"reset","data":{"episode_id":"E","opponents":"open","seed":3}})").empty());
  EXPECT_TRUE(Say(two, R"({"type":"reset","data":{"episode_id":"E","seat":1}})").empty()) << "it is not its turn yet";
  auto answers = one.socket->Take();
  ASSERT_THAT(answers, SizeIs(1));
  json::Value data = json::Parse(answers[0])->at("data");
  Client* turn = &one;
  Client* other = &two;
  for (int moves = 0; moves < 9; ++moves) {
    answers = Say(*turn, R"({"type":"step","data":{"choice":)" + FirstId(data) + "}}");
    const auto theirs = other->socket->Take();
    ASSERT_THAT(theirs, SizeIs(1));
    data = json::Parse(theirs[0])->at("data");
    if (data.at("done") == json::Value(true)) break;
    EXPECT_TRUE(answers.empty()) << "the mover waits";
    std::swap(turn, other);
  }
  ASSERT_THAT(answers, SizeIs(1));
  const json::Value mine = json::Parse(answers[0])->at("data");
  EXPECT_EQ(mine.at("reward").to_number<double>() + data.at("reward").to_number<double>(), 0);
  EXPECT_EQ(mine.at("observation").at("outcome"), json::Value("win"));
  // The same id again, the other way round.
  EXPECT_TRUE(Say(two, R"({"type":"reset","data":{"episode_id":"E","seat":1,"opponents":"open"}})").empty());
  EXPECT_THAT(Say(one, R"({"type":"reset","data":{"episode_id":"E","opponents":"open"}})"), SizeIs(1));
  Drop(one);
  answers = two.socket->Take();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(answers[0], HasSubstr(R"("outcome":"win")")) << "who leaves has lost";
  Drop(two);
  EXPECT_EQ(environments_.open(), 0);
}

TEST_F(OpenEnvTest, ASeatIsTakenOnceAndTheTermsAreTheFirstOnes) {
  Client one = Connect(first_, "tictactoe");
  Client two = Connect(second_, "tictactoe");
  Say(one, R"({"type":"reset","data":{"episode_id":"E","opponents":"open","seed":3}})");
  EXPECT_EQ(Reset(two, R"({"episode_id":"E","opponents":"open"})").at("code"), json::Value("EXECUTION_ERROR"));
  const json::Value wrong = Reset(two, R"({"episode_id":"E","seat":1,"seed":4})");
  EXPECT_EQ(wrong.at("code"), json::Value("VALIDATION_ERROR"));
  EXPECT_THAT(wrong.at("message").as_string().c_str(), StartsWith("seed is not that of the episode"));
  EXPECT_EQ(Reset(two, R"({"opponents":"open"})").at("code"), json::Value("VALIDATION_ERROR")) << "an id is needed";
}

TEST_F(OpenEnvTest, WhoWaitsIsAnsweredInTime) {
  Client one = Connect(first_, "tictactoe");
  Client two = Connect(second_, "tictactoe");
  Say(one, R"({"type":"reset","data":{"episode_id":"E","opponents":"open","wait":5}})");
  first_.Advance(seconds(5));
  Run();
  json::Value data = json::Parse(one.socket->Take().at(0))->at("data");
  EXPECT_EQ(data.at("observation").at("waiting"), json::Value(true));
  EXPECT_EQ(FirstId(data), "\"wait\"");
  EXPECT_TRUE(Say(one, R"({"type":"step","data":{"choice":"wait"}})").empty());
  Say(two, R"({"type":"reset","data":{"episode_id":"E","seat":1}})");
  data = json::Parse(one.socket->Take().at(0))->at("data");
  EXPECT_EQ(data.at("observation").at("waiting"), json::Value(false));
  EXPECT_EQ(data.at("reward").to_number<double>(), 0);
}

TEST_F(OpenEnvTest, WaitingOnIsNoMistakeIfOthersChoseMeanwhile) {
  Client one = Connect(first_, "tictactoe");
  Client two = Connect(second_, "tictactoe");
  Say(one, R"({"type":"reset","data":{"episode_id":"E","opponents":"open","wait":5,"illegal":{"attempts":1}}})");
  first_.Advance(seconds(5));
  Run();
  EXPECT_THAT(one.socket->Take(), SizeIs(1));
  Say(two, R"({"type":"reset","data":{"episode_id":"E","seat":1}})");
  json::Value data = Step(one, "\"wait\"");
  EXPECT_EQ(data.at("done"), json::Value(false));
  EXPECT_EQ(data.at("reward").to_number<double>(), 0);
  EXPECT_FALSE(data.at("observation").as_object().contains("refused"));
  EXPECT_EQ(Step(one, "\"wait\"").at("done"), json::Value(true)) << "this time it was asked";
}

TEST_F(OpenEnvTest, WhoLeavesWhileTheMatchIsOpenedHasLost) {
  Client one = Connect(first_, "tictactoe");
  Client two = Connect(first_, "tictactoe");
  Say(one, R"({"type":"reset","data":{"episode_id":"E","opponents":"open"}})");
  two.session->OnText(R"({"type":"reset","data":{"episode_id":"E","seat":1}})");
  Drop(two);
  json::Value data = json::Parse(one.socket->Take().at(0))->at("data");
  if (data.at("done") == json::Value(false)) data = Step(one, FirstId(data));
  ASSERT_TRUE(data.is_object());
  EXPECT_EQ(data.at("observation").at("outcome"), json::Value("win"));
}

TEST_F(OpenEnvTest, WhoJoinsFirstIsToldThatNothingWaits) {
  Client client = Connect(second_, "tictactoe");
  const json::Value data = Reset(client, R"({"episode_id":"E","seat":1})");
  EXPECT_EQ(data.at("code"), json::Value("EXECUTION_ERROR"));
  EXPECT_THAT(data.at("message").as_string().c_str(), StartsWith("no episode with this id waits for players"));
  EXPECT_EQ(environments_.open(), 0);
}

TEST_F(OpenEnvTest, APlayerWhoLeftAWaitingEpisodeIsForgotten) {
  EpisodeTerms terms;
  terms.game = tictactoe_.get();
  terms.seats.resize(2);
  const ChoiceJudge nobody;
  Episode episode(std::move(terms), MatchRules{}, first_, journal_, MakeLocalAgent, nobody, [] {});
  PlayerTerms player;
  player.seats = {0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(episode.Join(player, {}, [](const Result<std::string>&) {}), 0);
    episode.Leave(0);
  }
}

TEST_F(OpenEnvTest, OneSocketPlaysAllSeats) {
  for (const char* game : {"tictactoe", "rps"}) {
    Client client = Connect(first_, game);
    json::Value data = Reset(client, R"({"seed":5,"seat":"all"})");
    double first = 0;
    double second = 0;
    for (int turn = 0; turn < 300; ++turn) {
      const auto& views = data.at("observation").at("views").as_array();
      ASSERT_EQ(views.size(), 2);
      first += views[0].at("reward").to_number<double>();
      second += views[1].at("reward").to_number<double>();
      if (data.at("done") == json::Value(true)) break;
      data = Step(client, FirstId(data));
    }
    EXPECT_EQ(data.at("done"), json::Value(true)) << game;
    EXPECT_EQ(first + second, 0) << game;
    Drop(client);
  }
}

TEST_F(OpenEnvTest, ManyEnvironmentsOverOneSocket) {
  Client client = Connect(first_, "tictactoe");
  json::Value data = Ask(client, R"({"type":"reset_many","data":{"count":20,"seed":100,"autoreset":true}})");
  std::size_t ends = 0;
  for (int round = 0; round < 30; ++round) {
    json::Array actions;
    for (const json::Value& result : data.at("results").as_array()) {
      const auto& choices = result.at("observation").at("choices").as_array();
      actions.push_back(choices.empty() ? json::Value(json::Object{{"choice", 0}})
                                        : json::Value(json::Object{{"choice", choices[0].at("id")}}));
      ends += result.at("done") == json::Value(true) ? 1 : 0;
    }
    ASSERT_EQ(actions.size(), 20);
    data =
        Ask(client,
            json::Write(json::Object{{"type", "step_many"}, {"data", json::Object{{"actions", std::move(actions)}}}}));
  }
  EXPECT_GT(ends, 20) << "they begin again";
  EXPECT_EQ(environments_.open(), 20);
  EXPECT_EQ(Ask(client, R"({"type":"step_many","data":{"actions":[null]}})").at("code"),
            json::Value("VALIDATION_ERROR"));
  EXPECT_EQ(Step(client, "0").at("code"), json::Value("EXECUTION_ERROR"));
  Drop(client);
  EXPECT_EQ(environments_.open(), 0);
}

TEST_F(OpenEnvTest, AnAnswerThatIsTooLongIsAnError) {
  Client client = Connect(first_, "connectm");
  const std::string options = R"({"columns":20,"rows":20,"m":4})";
  const json::Value data =
      Ask(client, R"({"type":"reset_many","data":{"count":1024,"seat":"all","options":)" + options + "}}");
  ASSERT_TRUE(data.as_object().contains("code"));
  EXPECT_THAT(data.at("message").as_string().c_str(), StartsWith("the answer of 1024 environments would have "));
  EXPECT_EQ(environments_.open(), 0);
  EXPECT_FALSE(Reset(client).as_object().contains("code"));
}

TEST_F(OpenEnvTest, AfterAFailedResetManyNothingIsStepped) {
  Client client = Connect(first_, "tictactoe");
  const json::Value failed = Ask(client, R"({"type":"reset_many","data":{"count":2,"options":{"none":1}}})");
  EXPECT_TRUE(failed.as_object().contains("code")) << json::Write(failed);
  EXPECT_EQ(Ask(client, R"({"type":"step_many","data":{"actions":[]}})").at("code"), json::Value("VALIDATION_ERROR"));
  EXPECT_FALSE(Reset(client).as_object().contains("code"));
}

TEST_F(OpenEnvTest, WhatIsRecordedIsAReplay) {
  Client client = Connect(first_, "tictactoe");
  json::Value data = PlayOut(client, Reset(client, R"({"seed":5,"record":true})"));
  const std::string match(data.at("metadata").at("match").as_string().c_str());
  EXPECT_EQ(data.at("metadata"), data.at("observation").at("metadata"));
  Drop(client);
  const auto events = journal_.Read(TableId(match), 0, 100);
  ASSERT_TRUE(events);
  EXPECT_EQ(events->back().event.kind, EventKind::kClosed);
}

TEST_F(OpenEnvTest, WhatLeavesBeforeTheEndOfARecordedEpisodeEndsIt) {
  Client client = Connect(second_, "tictactoe");
  const json::Value data = Reset(client, R"({"seed":5,"record":true})");
  const std::string match(data.at("metadata").at("match").as_string().c_str());
  Drop(client);
  EXPECT_EQ(environments_.open(), 0);
  const auto events = journal_.Read(TableId(match), 0, 100);
  ASSERT_TRUE(events);
  EXPECT_EQ(events->back().event.kind, EventKind::kClosed);
}

TEST_F(OpenEnvTest, ARestartClosesARecordedEpisode) {
  Client client = Connect(first_, "tictactoe");
  const json::Value data = Reset(client, R"({"seed":5,"record":true})");
  const TableId match(data.at("metadata").at("match").as_string().c_str());
  Lobby restarted{games_, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent};
  EXPECT_EQ(restarted.Recover()->matches, 0) << "nobody can come back to it";
  EXPECT_TRUE(journal_.Find(match)->closed);
  Drop(client);
}

TEST_F(OpenEnvTest, EnvironmentsCountAgainstTheBudget) {
  Metrics metrics;
  PeerLimits limits;
  limits.max_matches_per_address = 3;
  Budget budget({.others = {}, .loopback = limits}, &metrics);
  Client client = Connect(first_, "tictactoe", budget.PayerOf("127.0.0.1", Instant()));
  const json::Value full = Ask(client, R"({"type":"reset_many","data":{"count":4}})");
  EXPECT_EQ(full.at("code"), json::Value("CAPACITY_REACHED"));
  EXPECT_EQ(full.at("max_sessions").to_number<int>(), 3);
  EXPECT_EQ(client.socket->closed_with, net::close_code::kPolicy) << "after the answer";
  Run();
  EXPECT_EQ(environments_.open(), 0);
  EXPECT_EQ(budget.held(Holding::kMatches), 0);
}

TEST_F(OpenEnvTest, AnEpisodeThatIsOverHasNoPlace) {
  Budget budget;
  Client client = Connect(first_, "tictactoe", budget.PayerOf("192.0.2.7", Instant()));
  PlayOut(client, Reset(client));
  EXPECT_EQ(budget.held(Holding::kMatches), 0u);
  json::Value data = Ask(client, R"({"type":"reset_many","data":{"count":1}})").at("results").as_array()[0];
  EXPECT_EQ(budget.held(Holding::kMatches), 1u);
  while (data.at("done") == json::Value(false)) {
    data = Ask(client, R"({"type":"step_many","data":{"actions":[{"choice":)" + FirstId(data) + "}]}}")
               .at("results")
               .as_array()[0];
  }
  EXPECT_EQ(budget.held(Holding::kMatches), 0u);
}

TEST_F(OpenEnvTest, WhatWaitsIsLimitedForAllTogether) {
  Metrics metrics;
  Budget budget({.max_memory = 8u << 20, .others = {}, .loopback = {}}, &metrics);
  EXPECT_EQ(budget.limits().max_waiting_bytes_in_all, 1u << 20);
  Client client = Connect(first_, "tictactoe", budget.PayerOf("192.0.2.7", Instant()));
  Say(client, R"({"type":"reset","data":{"opponents":"open","episode_id":"one"}})");
  const std::string step = R"({"type":"step","data":{"choice":"wait","pad":")" + std::string(400'000, 'x') + "\"}}";
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Say(client, step), SizeIs(0));
  EXPECT_GT(client.session->waiting(), 800'000u);
  EXPECT_EQ(client.socket->closed_with, 0);
  Client other = Connect(first_, "tictactoe", budget.PayerOf("192.0.2.8", Instant()));
  Say(other, R"({"type":"reset","data":{"opponents":"open","episode_id":"two"}})");
  Say(other, step);
  EXPECT_EQ(other.socket->closed_with, net::close_code::kTryAgain);
  EXPECT_NE(metrics.Text().find(R"(openseat_refused_total{budget="max_waiting_bytes_in_all"} 1)"), std::string::npos);
}

TEST_F(OpenEnvTest, WhatIsRecordedCountsAgainstTheBudget) {
  Metrics metrics;
  PeerLimits limits;
  limits.match_bytes = {.per_second = 1000, .burst = 1000};
  Budget budget({.others = {}, .loopback = limits}, &metrics);
  Client client = Connect(first_, "tictactoe", budget.PayerOf("127.0.0.1", Instant()));
  for (int i = 0; i < 20; ++i) PlayOut(client, Reset(client));
  const json::Value first = PlayOut(client, Reset(client, R"({"record":true})"));
  EXPECT_EQ(first.at("done"), json::Value(true)) << "what has begun goes on";
  const json::Value refused = Reset(client, R"({"record":true})");
  EXPECT_EQ(refused.at("code"), json::Value("CAPACITY_REACHED"));
  EXPECT_THAT(json::TextOf(refused.as_object(), "message"), ::testing::HasSubstr("match_bytes_per_second_per_address"));
}

TEST_F(OpenEnvTest, EnvironmentsOfAKeyCountFromAllAddresses) {
  BudgetLimits limits;
  limits.keys.max_matches_per_key = 3;
  Budget budget(limits);
  const auto connect = [&](const char* address) {
    return Connect(first_, "tictactoe", budget.PayerOf(address, Instant())->WithKey("key k-1", Instant()));
  };
  Client first = connect("192.0.2.1");
  Client second = connect("192.0.2.2");
  const std::string two = R"({"type":"reset_many","data":{"count":2}})";
  EXPECT_TRUE(Ask(first, two).as_object().contains("results"));
  const json::Value refused = Ask(second, two);
  EXPECT_EQ(refused.at("code"), json::Value("CAPACITY_REACHED"));
  EXPECT_THAT(json::TextOf(refused.as_object(), "message"), ::testing::HasSubstr("max_matches_per_key"));
  EXPECT_EQ(refused.at("max_sessions").to_number<int>(), 3);
  EXPECT_EQ(budget.held(Holding::kMatches), 2);
  Drop(first);
  Client third = connect("192.0.2.3");
  EXPECT_TRUE(Ask(third, two).as_object().contains("results"));
}

TEST_F(OpenEnvTest, AtTheLimitAnEpisodeHasThePlaceOfTheLast) {
  Metrics metrics;
  PeerLimits limits;
  limits.max_matches_per_address = 2;
  Budget budget({.others = {}, .loopback = limits}, &metrics);
  Client client = Connect(first_, "tictactoe", budget.PayerOf("127.0.0.1", Instant()));
  const std::string many = R"({"type":"reset_many","data":{"count":2,"autoreset":true}})";
  EXPECT_TRUE(Ask(client, many).as_object().contains("results"));
  json::Value data = Ask(client, many);
  for (int round = 0; round < 30; ++round) {
    json::Array actions;
    for (const json::Value& result : data.at("results").as_array()) {
      ASSERT_FALSE(result.as_object().contains("error")) << json::Write(result);
      const auto& choices = result.at("observation").at("choices").as_array();
      actions.push_back(json::Object{{"choice", choices.empty() ? json::Value(0) : choices[0].at("id")}});
    }
    data =
        Ask(client,
            json::Write(json::Object{{"type", "step_many"}, {"data", json::Object{{"actions", std::move(actions)}}}}));
  }
  Reset(client);
  EXPECT_FALSE(Reset(client).as_object().contains("code"));
  EXPECT_EQ(budget.held(Holding::kMatches), 1);
  EXPECT_EQ(Reset(client, R"({"options":{"none":1}})").at("code"), json::Value("VALIDATION_ERROR"));
  EXPECT_EQ(budget.held(Holding::kMatches), 0) << "nothing began";
}

TEST_F(OpenEnvTest, TheSeatThatActsOutOfTurnIsToBlame) {
  Client client = Connect(first_, "tictactoe");
  Reset(client, R"({"seed":5,"seat":"all","illegal":{"attempts":1}})");
  const json::Value data = Ask(client, R"({"type":"step","data":{"choice":0,"seat":1}})");
  EXPECT_EQ(data.at("done"), json::Value(true)) << json::Write(data);
  EXPECT_EQ(data.at("observation").at("views").at(0).at("reward"), json::Value(1)) << json::Write(data);
}

TEST_F(OpenEnvTest, WrongArgumentsAreNamed) {
  Client client = Connect(first_, "tictactoe");
  const auto path = [&](const std::string& arguments) {
    const json::Value data = Reset(client, arguments);
    EXPECT_EQ(data.at("code"), json::Value("VALIDATION_ERROR")) << arguments;
    return std::string(data.at("errors").at(0).at("loc").at(1).as_string().c_str());
  };
  EXPECT_EQ(path(R"({"sead":1})"), "sead");
  EXPECT_EQ(path(R"({"seed":-1})"), "seed");
  EXPECT_EQ(path(R"({"seed":1.5})"), "seed");
  EXPECT_EQ(path(R"({"role":"Z"})"), "role");
  EXPECT_EQ(path(R"({"seat":2})"), "seat");
  EXPECT_EQ(path(R"({"opponents":"nobody"})"), "opponents");
  EXPECT_EQ(path(R"({"opponents":["random","random"]})"), "opponents");
  EXPECT_EQ(path(R"({"opponents":"random:delay_ms=5"})"), "opponents") << "only for those who operate the server";
  EXPECT_EQ(path(R"({"reward":"shaped"})"), "reward");
  EXPECT_EQ(path(R"({"seat":[0,1],"opponents":["random","random"]})"), "opponents");
  EXPECT_EQ(path(R"({"illegal":{"cost":1}})"), "illegal.cost");
  EXPECT_EQ(path(R"({"fields":["all"]})"), "fields");
  EXPECT_EQ(path(R"({"wait":51})"), "wait");
  EXPECT_EQ(path(R"({"players":3})"), "players");
  EXPECT_EQ(Step(client, "1").at("code"), json::Value("EXECUTION_ERROR")) << "nothing was reset";
}

TEST_F(OpenEnvTest, OnlyTheAdminHasAgentsOfOtherHostsPlay) {
  const json::Object arguments{{"opponents", "far"}};
  EXPECT_TRUE(ReadReset(arguments, *tictactoe_, kinds_, Namer::kAdmin));
  const Result<ResetOptions> refused = ReadReset(arguments, *tictactoe_, kinds_, Namer::kPlayer);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("admin token"));
}

TEST_F(OpenEnvTest, OnlyTheAdminGivesASeedToAnEpisodeWithOpenSeatsThatHidesSomething) {
  const json::Object arguments{{"episode_id", "E"}, {"opponents", "open"}, {"seed", 3}};
  EXPECT_TRUE(ReadReset(arguments, *rps_, kinds_, Namer::kAdmin));
  const Result<ResetOptions> refused = ReadReset(arguments, *rps_, kinds_, Namer::kPlayer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "seed");
  EXPECT_TRUE(ReadReset(arguments, *tictactoe_, kinds_, Namer::kPlayer)) << "it hides nothing";
  const json::Object joins{{"episode_id", "E"}, {"seat", 1}, {"seed", 3}};
  const Result<ResetOptions> guessed = ReadReset(joins, *rps_, kinds_, Namer::kPlayer);
  ASSERT_FALSE(guessed) << "whether it is the episode's would say what that one hides";
  EXPECT_EQ(guessed.error().path, "seed");
}

TEST_F(OpenEnvTest, AnEpisodeThatCannotBeginIsTriedAgainWithItsSeed) {
  Metrics metrics;
  PeerLimits limits;
  limits.match_bytes = {.per_second = 1, .burst = 4000};
  Budget budget({.others = {}, .loopback = limits}, &metrics);
  Client client = Connect(first_, "tictactoe", budget.PayerOf("127.0.0.1", Instant()));
  json::Value data =
      Ask(client, R"({"type":"reset_many","data":{"count":1,"seed":100,"autoreset":true,"record":true}})");
  const auto step = [&] {
    SCOPED_TRACE(json::Write(data));
    const json::Value& result = data.at("results").at(0);
    json::Value choice(0);
    if (!result.as_object().contains("error")) {
      const auto& choices = result.at("observation").at("choices").as_array();
      if (!choices.empty()) choice = choices[0].at("id");
    }
    const json::Object action{{"choice", choice}};
    data =
        Ask(client,
            json::Write(json::Object{{"type", "step_many"}, {"data", json::Object{{"actions", json::Array{action}}}}}));
    return json::Write(data.at("results").at(0));
  };
  std::string last;
  for (int i = 0; i < 100 && last.find("match_bytes") == std::string::npos; ++i) last = step();
  ASSERT_THAT(last, HasSubstr("match_bytes"));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(step(), HasSubstr("match_bytes"));
  std::vector<int> seeds;
  const std::vector<TableRecord> before = *journal_.Tables(100);
  for (const TableRecord& record : before) {
    seeds.push_back(json::Parse(record.opened_payload)->at("seed").to_number<int>());
  }
  std::ranges::sort(seeds);
  first_.Advance(std::chrono::hours(3));
  step();
  const std::vector<TableRecord> now = *journal_.Tables(100);
  ASSERT_EQ(now.size(), seeds.size() + 1);
  EXPECT_THAT(std::ranges::max(
                  now, {},
                  [](const TableRecord& each) { return json::Parse(each.opened_payload)->at("seed").to_number<int>(); })
                  .opened_payload,
              HasSubstr("\"seed\":" + std::to_string(seeds.back() + 1)));
}

TEST_F(OpenEnvTest, OptionsAreNotTooLarge) {
  const json::Object arguments{{"options", json::Object{{"x", std::string(70'000, 'x')}}}};
  const Result<ResetOptions> refused = ReadReset(arguments, *tictactoe_, kinds_, Namer::kAdmin);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at most 64 KiB"));
}

TEST_F(OpenEnvTest, AnswersKeepTheOrderOfRequests) {
  Client client = Connect(first_, "tictactoe");
  client.session->OnText(R"({"type":"reset","data":{"seed":1}})");
  client.session->OnText(R"({"type":"state"})");
  client.session->OnText("{");
  client.session->OnText(R"({"type":"mcp","data":{}})");
  client.session->OnText(R"({"type":"close"})");
  Run();
  const auto answers = client.socket->Take();
  ASSERT_THAT(answers, SizeIs(4));
  EXPECT_THAT(answers[0], StartsWith(R"({"type":"observation")"));
  EXPECT_THAT(answers[1], StartsWith(R"({"type":"state")"));
  EXPECT_THAT(answers[2], HasSubstr("INVALID_JSON"));
  EXPECT_THAT(answers[3], StartsWith(R"({"type":"mcp")"));
  EXPECT_EQ(client.socket->closed_with, net::close_code::kNormal);
}

}  // namespace
}  // namespace openseat::openenv
