#include "app/game_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "agents/make_agent.h"
#include "games/tictactoe/tictactoe.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/memory_registry.h"

namespace openseat::app {
namespace {

class GameDoorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / "openseat-door-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
    Open({});
  }
  void Open(AccessOptions options) {
    door_.reset();
    access_.emplace(std::move(*Access::Open(dir_, std::move(options))));
    door_.emplace(*access_, registry_, lobby_, scheduler_);
  }
  void TearDown() override {
    access_.reset();
    std::filesystem::remove_all(dir_);
  }

  static net::HttpRequest Upgrade(const std::string& token, bool local = false) {
    net::HttpRequest request;
    request.path = "/chimera";
    request.peer = local ? "127.0.0.1" : "203.0.113.9";
    request.loopback = local;
    request.headers.Add("Upgrade", "websocket");
    if (!token.empty()) request.query = {{"token", token}};
    return request;
  }
  // The door's answer to an upgrade from elsewhere: "in", or the error's code.
  std::string Knock(const net::AdmitUpgrade& admit, const std::string& token, bool local = false) {
    const net::HttpRequest request = Upgrade(token, local);
    std::string said = "nothing";
    admit(request, [&](const Result<std::string>& admitted) {
      said = admitted ? "in" : std::string(ErrorCodeName(admitted.error().code));
      who_ = admitted.value_or(std::string());
    });
    for (int i = 0; i < 5; ++i) scheduler_.Run();
    return said;
  }
  std::string Neuro(const std::string& token) { return Knock(door_->ForNeuro(), token); }
  std::string Chimera(const std::string& token) { return Knock(door_->ForChimera(), token); }
  MatchRef Match(Privacy privacy) {
    std::optional<MatchRef> made;
    lobby_.Create(
        scheduler_, "tictactoe", nullptr, {}, [&](const Result<MatchRef>& ref) { made = *ref; }, nullptr, privacy);
    for (int i = 0; i < 5; ++i) scheduler_.Run();
    return *made;
  }

  std::string dir_;
  std::string who_;  // whose key opened the door last
  testing::FakeScheduler scheduler_;
  testing::MemoryRegistry registry_{scheduler_.clock()};
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  const std::unique_ptr<Game> game_ = games::MakeTicTacToe();
  const std::array<const Game*, 1> all_{game_.get()};
  Lobby lobby_{all_, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent};
  std::optional<Access> access_;
  std::optional<GameDoor> door_;
};

TEST_F(GameDoorTest, FromElsewhereGamesNeedAToken) {
  EXPECT_EQ(Knock(door_->ForNeuro(), "", true), "in") << "from this machine";
  EXPECT_EQ(Neuro(""), "unauthorized");
  EXPECT_EQ(Neuro("wrong"), "unauthorized");
  EXPECT_EQ(Neuro(access_->fresh_token()), "in");
  EXPECT_EQ(Chimera(access_->fresh_token()), "in");
}

TEST_F(GameDoorTest, AnApiKeyOpensGamesUntilItIsRevoked) {
  CreatedKey key;
  registry_.CreateKey({.label = "bot"}, scheduler_, [&](const Result<CreatedKey>& made) { key = *made; });
  scheduler_.Run();
  EXPECT_EQ(Neuro(key.secret), "in");
  EXPECT_EQ(who_, "key " + key.key.id.str());
  EXPECT_EQ(Chimera(key.secret), "in");
  EXPECT_EQ(who_, "key " + key.key.id.str());
  EXPECT_EQ(Neuro(key.secret + "x"), "unauthorized");
  registry_.RevokeKey(key.key.id, scheduler_, {});
  scheduler_.Run();
  EXPECT_EQ(Neuro(key.secret), "unauthorized");
}

TEST_F(GameDoorTest, TheKeysOfAnAccountCountAsOne) {
  AccountId account;
  registry_.CreateAccount("Ann", scheduler_, [&](const Result<Account>& made) { account = made->id; });
  scheduler_.Run();
  for (const char* label : {"laptop", "phone"}) {
    std::string secret;
    registry_.CreateKey({.label = label, .account = account}, scheduler_,
                        [&](const Result<CreatedKey>& made) { secret = made->secret; });
    scheduler_.Run();
    EXPECT_EQ(Neuro(secret), "in");
    EXPECT_EQ(who_, "key " + account.str());
  }
  EXPECT_EQ(Neuro(access_->fresh_token()), "in");
  EXPECT_EQ(who_, "") << "the administrator has no key";
}

TEST_F(GameDoorTest, AnInvitationOpensChimera) {
  const MatchRef match = Match(Privacy::kPrivate);
  EXPECT_EQ(Chimera(match.Name()), "in");
  EXPECT_EQ(Neuro(match.Name()), "unauthorized");
  EXPECT_EQ(Chimera(match.id.str()), "unauthorized");
  EXPECT_EQ(Chimera(match.id.str() + ".aaaaaaaaaaaaaaaaaaaaaaaaaa"), "unauthorized");
  EXPECT_EQ(Chimera(Match(Privacy::kPublic).Name()), "unauthorized") << "anybody can read that one";
}

TEST_F(GameDoorTest, APlayerComesBackWithTheSeatsTokenOrACode) {
  const MatchRef match = Match(Privacy::kPublic);
  std::string token;
  lobby_.OnMatch(
      match,
      [&](openseat::Match& found) { found.Join("Ann", [&](const Result<JoinedSeat>& seat) { token = seat->token; }); },
      [] {});
  for (int i = 0; i < 5; ++i) scheduler_.Run();
  ASSERT_FALSE(token.empty());
  EXPECT_EQ(Chimera(match.id.str() + "." + token), "in");
  EXPECT_EQ(Neuro(match.id.str() + "." + token), "unauthorized");
  EXPECT_EQ(Chimera("other-match." + token), "unauthorized");
  std::string code;
  lobby_.PassOn(scheduler_, {"tictactoe", match.id.str(), "Ann", token}, "192.0.2.1",
                [&](std::string made) { code = std::move(made); });
  for (int i = 0; i < 5; ++i) scheduler_.Run();
  EXPECT_EQ(Chimera(code), "in");
  lobby_.TakeOn(scheduler_, code, [](const std::optional<SeatPass>&) {});
  for (int i = 0; i < 5; ++i) scheduler_.Run();
  EXPECT_EQ(Chimera(code), "unauthorized") << "it is used up";
}

TEST_F(GameDoorTest, WhoGuessesIsNotHeardForAWhile) {
  std::string said;
  for (int i = 0; i < 200 && said != "busy"; ++i) said = Chimera("no-match.guess" + std::to_string(i));
  EXPECT_EQ(said, "busy");
  EXPECT_EQ(Chimera(access_->fresh_token()), "busy");
  EXPECT_EQ(Chimera(""), "unauthorized") << "no guess";
}

TEST_F(GameDoorTest, AnOpenDoorCountsGuessesToo) {
  Open({.games = Games::kOpen});
  EXPECT_EQ(Chimera(""), "in");
  EXPECT_EQ(Neuro("any text"), "in");
  const std::string invitation = Match(Privacy::kPrivate).Name();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(Chimera(invitation), "in");
  // Also where the match is at another node, which is told who asks.
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(door_->IsOwner(Upgrade(invitation)));
  EXPECT_EQ(Chimera(access_->fresh_token()), "in");
  EXPECT_TRUE(door_->IsOwner(Upgrade(access_->fresh_token()))) << "an invitation is no guess";
  for (int i = 0; i < 200; ++i) {
    const std::string guess = "guess" + std::to_string(i);
    EXPECT_EQ(Chimera(guess), "in");
    EXPECT_FALSE(door_->IsOwner(Upgrade(guess)));
  }
  EXPECT_EQ(Chimera(access_->fresh_token()), "in");
  EXPECT_FALSE(door_->IsOwner(Upgrade(access_->fresh_token()))) << "who guesses is not heard for a while";
}

TEST_F(GameDoorTest, OnlyTheAdminTokenNamesAgentsAsTheAdmin) {
  net::HttpRequest request;
  request.peer = "203.0.113.9";
  request.headers.Add("Upgrade", "websocket");
  const auto namer = [&](const std::string& token) {
    request.query = {{"token", token}};
    return door_->NamerOf(request);
  };
  EXPECT_EQ(namer(access_->fresh_token()), Namer::kAdmin);
  EXPECT_EQ(namer(""), Namer::kPlayer);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(namer("guess" + std::to_string(i)), Namer::kPlayer);
  EXPECT_EQ(namer(access_->fresh_token()), Namer::kPlayer) << "who guesses is not heard for a while";
}

}  // namespace
}  // namespace openseat::app
