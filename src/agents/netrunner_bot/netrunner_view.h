// What the bot reads from its decision: the legal choices with the cards they mean, and the numbers of the description.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/decision.h"
#include "games/netrunner/card_def.h"

namespace openseat::netrunner_bot {

struct LegalChoice {
  std::string action{};
  json::Value data{};
  std::string card{};    // the title of the card it is about; empty where it is about none, or an unknown one
  std::string place{};   // where that card is installed: "in Server 1"; or empty
  std::string server{};  // the server that it names
  std::string option{};  // of a prompt
};

struct ServerView {
  int ice = 0;
  int root = 0;
};

struct View {
  std::vector<LegalChoice> choices;
  std::map<std::string, ServerView, std::less<>> servers;  // those with anything in or before them
  std::string text;                                        // the description
  std::string message;                                     // the prompt's
  std::string encountered;                                 // the title of the encountered ice
  bool corp = false;
  bool running = false;
  int credits = 0;
  int clicks = 0;
  int hand = 0;
  int tags = 0;
};

// Nothing where the decision does not read like one of Netrunner.
std::optional<View> ReadView(const Decision& decision);
// The card of that title; nullptr where there is none.
const games::netrunner::CardDef* CardNamed(std::string_view title);

}  // namespace openseat::netrunner_bot
