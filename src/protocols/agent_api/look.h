// SeatLook: all that the Agent API says of one seat, as a plain value. What the answers and the webhooks are made from,
// so that both say the same, and nothing that the seat may not see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/action.h"
#include "core/ids.h"

namespace openseat::agent_api {

// What the seat is asked now.
struct Asked {
  DecisionId id;
  std::string query;
  std::string state;    // the table in words; may be empty
  std::string refusal;  // why the last choice was refused; may be empty
};

// Something that the seat was told.
struct ToldLine {
  std::uint64_t version = 0;
  std::string text;
  bool silent = true;
};

struct SeatLook {
  std::string gameid;  // a UUID of the table's id (agents/external/seat_token.h)
  std::string game;    // "netrunner"
  bool hosted = false;
  SeatIndex seat = 0;
  // Of the seats that are taken, in order; roles are "" where the game has none.
  std::vector<std::string> names;
  std::vector<std::string> roles;
  // GameState::Observe for this seat; nothing where the rules are elsewhere or the match has not begun.
  std::optional<json::Value> observation;
  std::optional<Asked> asked;
  ActionSet actions;  // what may be chosen
  std::vector<ToldLine> told;
  std::uint64_t version = 0;
  bool over = false;
  std::optional<std::string> winner;  // its name, where the game is over and somebody won
  std::string reason;                 // why it is over

  bool IsNetrunner() const { return hosted && game == "netrunner"; }
  // What the side is called in answers: "corp"; the player's name where the game has no roles.
  std::string Side() const;
  // The same as events have it: "Corp".
  std::string SideTitle() const;
};

// What a seat of this name is called: its role, or else its name.
std::string TitleOf(const SeatLook& look, const std::string& name);

// The same as SeatLook::Side has it: "corp".
std::string SideOf(const SeatLook& look, const std::string& name);

}  // namespace openseat::agent_api
