#include "agents/netrunner_bot/netrunner_view.h"

#include <cstdint>
#include <utility>

#include "games/netrunner/cards/card_table.h"

namespace openseat::netrunner_bot {
namespace {

using Titles = std::map<std::string, std::string, std::less<>>;  // by public number

constexpr std::string_view kGame = "netrunner";

// Null if there is no such member.
const json::Value& At(const json::Value& value, std::string_view name) {
  static const json::Value null;
  const json::Value* found = json::Find(value, name);
  return found == nullptr ? null : *found;
}

int NumberOf(const json::Value& value) {
  if (value.is_int64()) return static_cast<int>(value.get_int64());
  return value.is_uint64() ? static_cast<int>(value.get_uint64()) : 0;
}

std::size_t SizeOf(const json::Value& value) {
  return value.is_array() ? value.get_array().size() : 0;
}

// Every card of the observation that has a number and a title, at any depth.
void AddTitles(const json::Value& value, Titles& titles) {
  if (value.is_array()) {
    for (const json::Value& item : value.get_array()) AddTitles(item, titles);
  }
  if (!value.is_object()) return;
  const std::string_view cid = json::TextOf(value, "cid");
  const std::string_view title = json::TextOf(value, "title");
  if (!cid.empty() && !title.empty()) titles.try_emplace(std::string(cid), title);
  for (const auto& member : value.get_object()) AddTitles(member.value(), titles);
}

std::string TitleOf(const Titles& titles, std::string_view cid) {
  const auto found = titles.find(cid);
  return found == titles.end() ? std::string() : found->second;
}

// How choices name a server: "remote1" is "Server 1".
std::string ServerNamed(std::string_view key) {
  if (key == "hq") return "HQ";
  if (key == "rd") return "R&D";
  if (key == "archives") return "Archives";
  constexpr std::string_view kRemote = "remote";
  return key.starts_with(kRemote) ? "Server " + std::string(key.substr(kRemote.size())) : std::string(key);
}

void ReadServers(const json::Value& servers, View& view) {
  if (!servers.is_object()) return;
  for (const auto& [key, server] : servers.get_object()) {
    const json::Value& content = At(server, "content");
    ServerView seen{.ice = SizeOf(At(server, "ices")), .root = SizeOf(content)};
    for (std::size_t i = 0; i < seen.root; ++i) {
      const json::Value& card = content.get_array()[i];
      const bool known = !json::TextOf(card, "title").empty();
      const json::Value& trash = At(card, "trash");
      if (!known) ++seen.unknown;
      if (known && !trash.is_null() && NumberOf(trash) <= view.credits) ++seen.worth_it;
    }
    view.servers[ServerNamed(json::View(key))] = seen;
    for (std::size_t i = 0; view.corp && i < SizeOf(content); ++i) {
      if (json::TextOf(content.get_array()[i], "type") == "Agenda") view.agenda_installed = true;
    }
  }
}

PromptView ReadPrompt(const json::Value& prompt, const Titles& titles) {
  PromptView view{.purpose = std::string(json::TextOf(prompt, "purpose")),
                  .card = std::string(json::TextOf(At(prompt, "card"), "title")),
                  .number = NumberOf(At(prompt, "number"))};
  const json::Value& selected = At(prompt, "selected");
  for (std::size_t i = 0; i < SizeOf(selected); ++i) {
    const json::Value& cid = selected.get_array()[i];
    view.selected.push_back(cid.is_string() ? TitleOf(titles, json::View(cid.get_string())) : std::string());
  }
  return view;
}

BotChoice ReadChoice(const PlayedChoice& choice, const Titles& titles) {
  return {.action = choice.action,
          .data = choice.data,
          .card = TitleOf(titles, json::TextOf(choice.data, "card")),
          .server = std::string(json::TextOf(choice.data, "server")),
          .option = std::string(json::TextOf(choice.data, "choice"))};
}

}  // namespace

std::optional<View> ReadView(const Decision& decision) {
  const Sight& sight = *decision.sight;
  if (sight.game() == nullptr || sight.game()->info().id != kGame) return std::nullopt;
  const json::Value& seen = sight.observation();
  Titles titles;
  AddTitles(seen, titles);
  View view;
  view.corp = json::TextOf(seen, "side") == "corp";
  const json::Value& own = At(seen, view.corp ? "corp" : "runner");
  view.credits = NumberOf(At(own, "credit"));
  view.clicks = NumberOf(At(own, "click"));
  view.hand = SizeOf(At(own, "hand"));
  view.tags = NumberOf(At(At(At(seen, "runner"), "tag"), "base"));
  view.running = At(seen, "run").is_object();
  view.encountered = json::TextOf(At(At(seen, "encounters"), "ice"), "title");
  ReadServers(At(At(seen, "corp"), "servers"), view);
  view.prompt = ReadPrompt(At(seen, "prompt"), titles);
  for (const LegalChoice& choice : sight.choices()) view.choices.push_back(ReadChoice(choice.choice, titles));
  return view;
}

const games::netrunner::CardDef* CardNamed(std::string_view title) {
  const auto card = games::netrunner::FindCard(title);
  return card ? &games::netrunner::CardOf(*card) : nullptr;
}

}  // namespace openseat::netrunner_bot
