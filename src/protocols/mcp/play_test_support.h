// For tests: matches in a lobby on a FakeScheduler, with some seats played from outside.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/external/external_agent.h"
#include "agents/external/seat_token.h"
#include "agents/kinds.h"
#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "games/narrative/narrative.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::mcp {

class Hall {
 public:
  // A match between seats of these kinds ("external", "random", "" for an open one).
  TableId Match(const std::string& game, const std::vector<std::string>& kinds) {
    std::vector<PlannedSeat> seats;
    tokens.assign(kinds.size(), "");
    std::vector<std::string> secrets(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      PlannedSeat& seat = seats.emplace_back();
      if (kinds[i].empty()) continue;
      seat.name = kinds[i] + std::to_string(i);
      seat.agent.kind = kinds[i];
      if (kinds[i] == "external") secrets[i] = MintSeat(seat.agent.options).token;
    }
    TableId id;
    lobby.Create(scheduler, game, nullptr, std::move(seats),
                 [&](const Result<MatchRef>& made) { id = made ? made->id : TableId(); });
    scheduler.Run();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      tokens[i] = SeatToken{id, static_cast<SeatIndex>(i), secrets[i]}.Text();
    }
    return id;
  }
  Table& At(const TableId& id) { return *directory.Local(scheduler, id); }
  ExternalAgent& AgentAt(const TableId& id, SeatIndex seat) { return *ExternalAt(At(id), seat); }
  // Of which a player may name "random" only.
  static const AgentKinds& Kinds() {
    constexpr const char* kAnything = R"({"type":"object","properties":{"token_sha256":{},"key_sha256":{},"url":{}}})";
    const auto make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
      Result<ExternalAgentOptions> read = ParseExternalAgentOptions(options);
      if (!read) return Fail(read.error());
      return std::make_unique<ExternalAgent>(std::move(*read));
    };
    const AgentKind external{
        .kind = "external", .title = "Agent", .description = "Somebody.", .options = kAnything, .make = make};
    AgentKind neuro = external;
    neuro.kind = "neuro";
    neuro.bare = "url";
    static const AgentKinds kinds({RandomKind(), ScriptKind(), external, neuro});
    return kinds;
  }

  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  const std::unique_ptr<Game> tictactoe = games::MakeTicTacToe();
  const std::unique_ptr<Game> netrunner = games::MakeNetrunner();
  const std::unique_ptr<Game> narrative = games::MakeNarrative();
  const std::array<const Game*, 3> games{tictactoe.get(), netrunner.get(), narrative.get()};
  Lobby lobby{games,     MatchRules{}, std::chrono::minutes(5),
              directory, journal,      [](const AgentSpec& spec) { return Kinds().Make(spec); }};
  std::vector<std::string> tokens;  // of the last match's seats
};

}  // namespace openseat::mcp
