#include "agents/netrunner_bot/netrunner_view.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "games/netrunner/card_table.h"

namespace openseat::netrunner_bot {
namespace {

// The number before `word` in the line: "5 credits".
int NumberBefore(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos || at < 2) return 0;
  std::size_t begin = at - 1;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int number = 0;
  std::from_chars(line.data() + begin, line.data() + at, number);
  return number;
}

// What the description of the action calls the card: "c5: Palisade protecting HQ".
std::string NameIn(std::string_view description, std::string_view cid) {
  const std::string key = " " + std::string(cid) + ": ";
  std::size_t begin = description.find(key);
  if (begin == std::string_view::npos) return "";
  begin += key.size();
  const std::size_t end = description.find("; c", begin);
  return std::string(
      description.substr(begin, end == std::string_view::npos ? description.size() - 1 - begin : end - begin));
}

// Every data that an object's schema lists, its members being independent of one another.
void AddFlatData(const json::Value& schema, std::vector<json::Object>& out) {
  const json::Value* properties = json::Find(schema, "properties");
  if (properties == nullptr || !properties->is_object()) return;
  std::vector<json::Object> made{json::Object()};
  for (const auto& [name, property] : properties->get_object()) {
    const json::Value* values = json::Find(property, "enum");
    if (values == nullptr || !values->is_array() || name == "until") continue;
    std::vector<json::Object> longer;
    for (const json::Object& data : made) {
      for (const json::Value& value : values->get_array()) {
        longer.push_back(data);
        longer.back()[name] = value;
      }
    }
    made = std::move(longer);
  }
  out.insert(out.end(), made.begin(), made.end());
}

// The same of an action's whole schema.
void AddData(const json::Value& schema, std::vector<json::Object>& out) {
  const json::Value* any = json::Find(schema, "anyOf");
  if (any == nullptr) return AddFlatData(schema, out);
  if (!any->is_array()) return;
  for (const json::Value& part : any->get_array()) AddFlatData(part, out);
}

void AddChoices(const Action& action, View& view) {
  if (!action.schema) {
    view.choices.push_back({.action = action.name, .data = nullptr});
    return;
  }
  std::vector<json::Object> all;
  AddData(*action.schema, all);
  for (json::Object& data : all) {
    LegalChoice choice;
    choice.action = action.name;
    choice.server = json::TextOf(data, "server");
    choice.option = json::TextOf(data, "choice");
    const std::string name = NameIn(action.description, json::TextOf(data, "card"));
    for (const std::string_view mark : {" protecting ", " in the root of ", " in Server "}) {
      const std::size_t at = name.find(mark);
      if (at == std::string::npos) continue;
      choice.card = name.substr(0, at);
      choice.place = name.substr(at + 1);
    }
    if (choice.place.empty()) choice.card = name;
    choice.data = std::move(data);
    view.choices.push_back(std::move(choice));
  }
}

void ReadLine(const std::string& line, View& view, std::string& server) {
  const std::string_view own = view.corp ? "**Corp** " : "**Runner** ";
  if (line.starts_with(own)) {
    view.credits = NumberBefore(line, " credits");
    view.clicks = NumberBefore(line, " clicks");
    view.hand = NumberBefore(line, " cards in hand");
  }
  if (line.starts_with("**Runner** ")) view.tags = NumberBefore(line, " tags");
  if (line.starts_with("A run on ")) view.running = true;
  if (line.starts_with("Subroutines of ")) view.encountered = line.substr(15, line.size() - 16);
  if (line.starts_with("- ") && line.ends_with(":")) {
    server = line.substr(2, line.find_first_of(",:") - 2);
    if (server == "Installed") server.clear();
    if (!server.empty()) view.servers[server].ice = line.find("ice from") != std::string::npos ? 0 : -1000;
    return;
  }
  if (!line.starts_with("  - ")) {
    server.clear();
  } else if (!server.empty()) {
    ServerView& of = view.servers[server];
    if (line.starts_with("  - in it")) {
      of.root = 1;  // from here on the cards are in its root
    } else if (of.root == 0 && of.ice >= 0) {
      ++of.ice;
    } else {
      ++of.root;
    }
  }
}

}  // namespace

std::optional<View> ReadView(const Decision& decision) {
  const std::string& text = decision.sight->text();
  if (!text.starts_with("You are the **Corp**") && !text.starts_with("You are the **Runner**")) {
    return std::nullopt;
  }
  View view;
  view.text = text;
  view.corp = text.starts_with("You are the **Corp**");
  for (const ActionPtr& action : decision.actions.all()) AddChoices(*action, view);
  std::istringstream lines(text);
  std::string server;
  for (std::string line; std::getline(lines, line);) {
    ReadLine(line, view, server);
    if (line.starts_with("**") && line.ends_with("**") && line.size() > 4)
      view.message = line.substr(2, line.size() - 4);
  }
  for (auto& [name, of] : view.servers) {
    of.ice = std::max(of.ice, 0);
    of.root = std::max(of.root - 1, 0);  // without the line "in it"
  }
  return view;
}

const games::netrunner::CardDef* CardNamed(std::string_view title) {
  const auto card = games::netrunner::FindCard(title);
  return card ? &games::netrunner::CardOf(*card) : nullptr;
}

}  // namespace openseat::netrunner_bot
