// For tests: matches in a lobby on a FakeScheduler, some of their seats played from outside.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/external/external_agent.h"
#include "agents/external/seat_token.h"
#include "agents/make_agent.h"
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
  ExternalAgent& AgentAt(const TableId& id, SeatIndex seat) {
    return dynamic_cast<ExternalAgent&>(*At(id).seat(seat).agent());
  }
  static AgentFactory Agents() {
    return [](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
      if (spec.kind != "external") return MakeLocalAgent(spec);
      Result<ExternalAgentOptions> options = ParseExternalAgentOptions(spec.options);
      if (!options) return Fail(options.error());
      return std::make_unique<ExternalAgent>(std::move(*options));
    };
  }

  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  const std::unique_ptr<Game> tictactoe = games::MakeTicTacToe();
  const std::unique_ptr<Game> netrunner = games::MakeNetrunner();
  const std::array<const Game*, 2> games{tictactoe.get(), netrunner.get()};
  Lobby lobby{games, MatchRules{}, std::chrono::minutes(5), directory, journal, Agents()};
  std::vector<std::string> tokens;  // of the last match's seats
};

}  // namespace openseat::mcp
