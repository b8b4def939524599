#include "protocols/registry_api/registry_json.h"

#include "base/time.h"
#include "net/schemas.h"

namespace openseat::registry_api {
namespace {

using net::schemas::ListOf;
using net::schemas::Moment;
using net::schemas::ObjectOf;
using net::schemas::Text;
using net::schemas::Typed;
using net::schemas::Whole;

json::Object Copies(int most) {
  json::Object count = Whole({}, 1);
  count["maximum"] = most;
  return {{"type", "object"},
          {"description", "Copies of each card, by its code."},
          {"maxProperties", kMaxDeckEntries},
          {"additionalProperties", std::move(count)}};
}
json::Object Closed(json::Object schema) {
  schema["additionalProperties"] = false;
  return schema;
}
json::Object Name(std::string_view description) {
  json::Object schema = Text(description);
  schema["maxLength"] = kMaxNameBytes;
  return schema;
}

}  // namespace

json::Object AccountJson(const Account& account) {
  return {{"id", account.id.str()}, {"name", account.name}, {"created", FormatIso8601(account.created)}};
}

json::Object KeyJson(const ApiKey& key) {
  json::Object out{{"id", key.id.str()}, {"label", key.label}, {"hint", key.hint}};
  if (!key.account.empty()) out["account"] = key.account.str();
  if (key.minted) out["minted"] = true;
  out["created"] = FormatIso8601(key.created);
  if (key.last_used) out["last_used"] = FormatIso8601(*key.last_used);
  if (key.revoked) out["revoked"] = FormatIso8601(*key.revoked);
  return out;
}

json::Object DeckJson(const StoredDeck& deck, const std::vector<DeckProblem>& problems) {
  const DeckList& list = deck.list;
  json::Object out;
  if (!deck.id.empty()) out["id"] = deck.id.str();
  if (!deck.account.empty()) out["account"] = deck.account.str();
  out["name"] = list.name;
  out["game"] = list.game;
  out["side"] = list.side;
  out["format"] = list.format;
  if (!list.identity.empty()) out["identity"] = list.identity;
  json::Object cards;
  std::int64_t size = 0;
  for (const auto& [code, count] : list.cards) {
    cards[code] = count;
    size += count;
  }
  out["cards"] = std::move(cards);
  out["size"] = size;
  if (!list.notes.empty()) out["notes"] = list.notes;
  if (!deck.id.empty()) {
    out["created"] = FormatIso8601(deck.created);
    out["changed"] = FormatIso8601(deck.changed);
  }
  out["valid"] = problems.empty();
  json::Array listed;
  for (const DeckProblem& problem : problems) {
    json::Object entry{{"message", problem.message}};
    if (!problem.card.empty()) entry["card"] = problem.card;
    listed.push_back(std::move(entry));
  }
  out["problems"] = std::move(listed);
  return out;
}

json::Value AccountSchema() {
  return ObjectOf({{"id", Text()}, {"name", Text()}, {"created", Moment()}}, {"id", "name", "created"});
}

json::Value KeySchema() {
  return ObjectOf({{"id", Text()},
                   {"label", Text("For people.")},
                   {"hint", Text("The start of the secret.")},
                   {"account", Text("The id of its account.")},
                   {"minted", Typed("boolean", "Made for one seat of one match, and deleted with it.")},
                   {"created", Moment()},
                   {"last_used", Moment("To the minute.")},
                   {"revoked", Moment()}},
                  {"id", "label", "hint", "created"});
}

json::Value DeckSchema() {
  const json::Object problem = ObjectOf(
      {{"message", Text("A sentence for people.")}, {"card", Text("The code of the card it is about.")}}, {"message"});
  return ObjectOf(
      {{"id", Text("Missing if the deck was only checked.")},
       {"account", Text("The id of its account.")},
       {"name", Text()},
       {"game", Text()},
       {"side", Text("The game's name for it; empty if unknown.")},
       {"format", Text("Which of the game's deck rules it follows.")},
       {"identity", Text("A card's code.")},
       {"cards", Copies(kMaxStoredCopies)},
       {"size", json::Object{{"type", "integer"}, {"minimum", 0}, {"description", "Total number of cards."}}},
       {"notes", Text()},
       {"created", Moment()},
       {"changed", Moment()},
       {"valid", Typed("boolean", "Whether it is legal.")},
       {"problems", ListOf(problem)}},
      {"name", "game", "side", "format", "cards", "size", "valid", "problems"});
}

json::Value CardSchema() {
  return ObjectOf({{"code", Text()},
                   {"title", Text()},
                   {"side", Text()},
                   {"faction", Text()},
                   {"type", Text()},
                   {"subtypes", ListOf(Text())},
                   {"unique", Typed("boolean", "Only one may be in play.")},
                   {"text", Text("What it does, in our words.")},
                   {"limit", Whole({}, 1)},
                   {"cost", Whole()},
                   {"strength", Whole()},
                   {"memory", Whole()},
                   {"advancement", Whole()},
                   {"points", Whole()},
                   {"trash", Whole()},
                   {"influence", Whole()},
                   {"min_deck", Whole()},
                   {"influence_limit", Whole()}},
                  {"code", "title", "side", "faction", "type", "subtypes", "unique", "text", "limit"});
}

json::Value AccountBodySchema() {
  return Closed(ObjectOf({{"name", Name("Unique, compared without case.")}}, {"name"}));
}

json::Value KeyBodySchema() {
  return Closed(ObjectOf(
      {{"label", Name("For people: its purpose.")}, {"account", Text("The owner: an account's id or name.")}}, {}));
}

json::Value DeckBodySchema() {
  json::Object text = Text("A pasted list: lines like \"3x Hedge Fund\", and the identity.");
  text["maxLength"] = 65536;
  json::Object notes = Text();
  notes["maxLength"] = kMaxNotesBytes;
  const json::Object deck = {{"type", json::Array{"object", "array"}},
                             {"items", json::Object()},
                             {"description", "NetrunnerDB's JSON: from its API, or just the deck."}};
  return Closed(ObjectOf({{"name", Name("Default: the name in the text or JSON.")},
                          {"game", Text("Default: netrunner.")},
                          {"account", Text("The owner: an account's id or name.")},
                          {"format", Text("Default: the game's usual format.")},
                          {"side", Text()},
                          {"identity", Text("A card's code or title.")},
                          {"cards", Copies(kMaxCopies)},
                          {"notes", std::move(notes)},
                          {"text", std::move(text)},
                          {"netrunnerdb", deck}},
                         {}));
}

json::Value AccountExample() {
  return json::Object{{"id", "a-k3fq2ab7cd"}, {"name", "Alex"}, {"created", "2026-11-20T21:33:30.123Z"}};
}

json::Value KeyExample() {
  return json::Object{
      {"id", "k-m2xq7ab4ce"}, {"label", "my bot"}, {"hint", "osk_k3fq"}, {"created", "2026-11-20T21:33:30.123Z"}};
}

json::Value DeckExample() {
  return json::Object{
      {"id", "d-q7ab4cem2x"},
      {"name", "Precision"},
      {"game", "netrunner"},
      {"side", "corp"},
      {"format", "system-gateway"},
      {"identity", "30035"},
      {"cards", json::Object{{"30075", 3}, {"30072", 3}}},
      {"size", 6},
      {"created", "2026-11-20T21:33:30.123Z"},
      {"changed", "2026-11-20T21:33:30.123Z"},
      {"valid", false},
      {"problems", json::Array{json::Object{{"message", "the Corp's deck has 40 to 60 cards; got 6"}}}}};
}

}  // namespace openseat::registry_api
