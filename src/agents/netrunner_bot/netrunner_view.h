// What the bot reads: its legal choices with the cards they mean, and the numbers of what its seat observes. All of it
// is data (Decision::sight); nothing depends on a sentence for people.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/decision.h"
#include "games/netrunner/cards/card_def.h"

namespace openseat::netrunner_bot {

struct BotChoice {
  std::string action{};
  json::Value data{};
  std::string card{};    // the title of the card it concerns; empty if it concerns none, or an unknown one
  std::string server{};  // the server that it names
  std::string option{};  // of a prompt
};

struct ServerView {
  std::size_t ice = 0;
  std::size_t root = 0;
  std::size_t unknown = 0;   // cards of the root that it does not know
  std::size_t worth_it = 0;  // those that it knows, and could pay to trash
};

// The open prompt; docs/netrunner.md lists the purposes.
struct PromptView {
  std::string purpose{};  // "" if there is none
  std::string card{};     // the title of the card that it concerns
  int number = 0;
  std::vector<std::string> selected{};  // titles of the cards that are selected so far; "" for an unknown one
};

struct View {
  std::vector<BotChoice> choices{};
  std::map<std::string, ServerView, std::less<>> servers{};  // by name: "HQ", "Server 1"
  PromptView prompt{};
  std::string encountered{};  // the title of the encountered ice
  bool corp = false;
  bool running = false;
  bool agenda_installed = false;  // one of its own
  int credits = 0;
  int clicks = 0;
  std::size_t hand = 0;
  int tags = 0;
};

// nullopt if the decision is not from Netrunner.
std::optional<View> ReadView(const Decision& decision);
// The card with that title; nullptr if there is none.
const games::netrunner::CardDef* CardNamed(std::string_view title);

}  // namespace openseat::netrunner_bot
