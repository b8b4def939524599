#include "games/netrunner/options.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "core/game_base.h"
#include "games/netrunner/cards/card_table.h"

namespace openseat::games::netrunner {
namespace {

constexpr int kBeginnerPoints = 6;
constexpr int kPoints = 7;
constexpr int kMostPoints = 60;
constexpr std::size_t kMaxDeckName = 1000;

tl::unexpected<Error> Wrong(std::string message, std::string path) {
  return Fail(ErrorCode::kInvalid, std::move(message), std::move(path));
}

Result<bool> BoolOption(const json::Value& options, std::string_view name, bool fallback) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return fallback;
  if (!value->is_bool())
    return Wrong(std::string(name) + " must be true or false; got " + json::Excerpt(*value), std::string(name));
  return value->get_bool();
}

Result<CardId> ReadCard(const json::Value& value, Side side, const std::string& path) {
  if (!value.is_string()) return Wrong("a card must be a code or title; got " + json::Excerpt(value), path);
  const std::optional<CardId> card = FindCard(json::View(value.get_string()));
  if (!card) return Wrong("unknown card " + json::Excerpt(value), path);
  if (CardOf(*card).side != side) {
    return Wrong(std::string(CardOf(*card).title) + " is a card of the " + std::string(SideName(Other(side))), path);
  }
  return *card;
}

Result<Deck> ReadDeck(const json::Value& value, Side side) {
  const std::string path = side == Side::kCorp ? "decks.corp" : "decks.runner";
  if (!value.is_object()) return Wrong("a deck must be an object; got " + json::Excerpt(value), path);
  for (const auto& member : value.get_object()) {
    const std::string_view name = json::View(member.key());
    if (name != "identity" && name != "cards" && name != "name") {
      return Wrong("a deck has the members identity, cards and name; got " + Quote(name), path);
    }
  }
  for (const std::string_view name : {"identity", "cards"}) {
    if (json::Find(value, name) == nullptr) return Wrong("a deck needs " + std::string(name), path);
  }
  Deck deck;
  const Result<CardId> identity = ReadCard(*json::Find(value, "identity"), side, path + ".identity");
  if (!identity) return Fail(identity.error());
  if (CardOf(*identity).type != CardType::kIdentity) {
    return Wrong(std::string(CardOf(*identity).title) + " is not an identity", path + ".identity");
  }
  deck.identity = *identity;
  const json::Value& cards = *json::Find(value, "cards");
  if (!cards.is_array()) return Wrong("cards must be an array; got " + json::Excerpt(cards), path + ".cards");
  if (cards.get_array().size() > kMaxDeck) {
    return Wrong("a deck has at most " + std::to_string(kMaxDeck) + " cards", path + ".cards");
  }
  for (const json::Value& item : cards.get_array()) {
    const Result<CardId> card = ReadCard(item, side, path + ".cards");
    if (!card) return Fail(card.error());
    if (CardOf(*card).type == CardType::kIdentity) {
      return Wrong(std::string(CardOf(*card).title) + " is an identity and cannot be in a deck", path + ".cards");
    }
    deck.cards.push_back(*card);
  }
  return deck;
}

Result<std::string> ReadDeckName(const json::Value& deck, const std::string& fallback) {
  const json::Value* name = json::Find(deck, "name");
  if (name == nullptr) return fallback;
  if (!name->is_string() || name->get_string().size() > kMaxDeckName) {
    return Wrong("a deck's name must be a string of at most " + std::to_string(kMaxDeckName) + " bytes; got " +
                     json::Excerpt(*name),
                 "decks");
  }
  return std::string(json::View(name->get_string()));
}

// In the teaching formats, both sides play the teaching deck, in any order.
Result<void> CheckTeachingDeck(Deck deck, TeachingDeck which, std::string_view format) {
  Deck wanted = MakeTeachingDeck(which);
  std::ranges::sort(wanted.cards);
  std::ranges::sort(deck.cards);
  if (deck == wanted) return {};
  return Wrong("in the format " + std::string(format) + ", both sides must play their teaching deck", "decks");
}

json::Value DeckSchema() {
  return json::Object{
      {"type", "object"},
      {"properties", json::Object{{"name", json::Object{{"type", "string"}, {"maxLength", kMaxDeckName}}},
                                  {"identity", json::Object{{"type", "string"}}},
                                  {"cards", json::Object{{"type", "array"},
                                                         {"items", json::Object{{"type", "string"}}},
                                                         {"maxItems", kMaxDeck}}}}},
      {"required", json::Array{"identity", "cards"}},
      {"additionalProperties", false}};
}

}  // namespace

json::Value OptionsSchema() {
  const json::Value flag = json::Object{{"type", "boolean"}};
  return json::Object{
      {"type", "object"},
      {"properties",
       json::Object{
           {"format", json::Object{{"enum", json::Array{kBeginnerFormat, kIntermediateFormat, kOwnDecksFormat}},
                                   {"default", kBeginnerFormat}}},
           {"decks", json::Object{{"type", "object"},
                                  {"properties", json::Object{{"corp", DeckSchema()}, {"runner", DeckSchema()}}},
                                  {"minProperties", 1},
                                  {"additionalProperties", false}}},
           {"shuffle", flag},
           {"validate", flag},
           {"points", json::Object{{"type", "integer"}, {"minimum", 1}, {"maximum", kMostPoints}}},
           {"all-windows", flag}}},
      {"additionalProperties", false}};
}

Result<GameSetup> ReadOptions(const json::Value& options) {
  if (auto known = CheckOptions(options, {"format", "decks", "shuffle", "validate", "points", "all-windows"}); !known) {
    return Fail(known.error());
  }
  GameSetup setup;
  const json::Value* decks = json::Find(options, "decks");
  std::string_view format = decks == nullptr ? kBeginnerFormat : kOwnDecksFormat;
  if (const json::Value* given = json::Find(options, "format")) {
    const std::string_view name = given->is_string() ? json::View(given->get_string()) : std::string_view();
    if (name != kBeginnerFormat && name != kIntermediateFormat && name != kOwnDecksFormat) {
      return Wrong("format must be " + std::string(kBeginnerFormat) + ", " + std::string(kIntermediateFormat) + " or " +
                       std::string(kOwnDecksFormat) + "; got " + json::Excerpt(*given),
                   "format");
    }
    format = name;
  }
  if (format == kOwnDecksFormat && decks == nullptr) {
    return Wrong("the format " + std::string(kOwnDecksFormat) + " requires decks; the other formats have their own",
                 "decks");
  }
  const Result<bool> shuffle = BoolOption(options, "shuffle", true);
  if (!shuffle) return Fail(shuffle.error());
  const Result<bool> validate = BoolOption(options, "validate", true);
  if (!validate) return Fail(validate.error());
  const Result<bool> all_windows = BoolOption(options, "all-windows", false);
  if (!all_windows) return Fail(all_windows.error());
  const Result<int> points =
      IntegerOption(options, "points", format == kBeginnerFormat ? kBeginnerPoints : kPoints, 1, kMostPoints);
  if (!points) return Fail(points.error());
  setup.shuffle = *shuffle;
  setup.all_windows = *all_windows;
  setup.points_to_win = *points;
  if (decks != nullptr) {
    if (!decks->is_object()) return Wrong("decks must be an object; got " + json::Excerpt(*decks), "decks");
    for (const auto& member : decks->get_object()) {
      if (const std::string_view name = json::View(member.key()); name != "corp" && name != "runner") {
        return Wrong("decks has the members corp and runner; got " + Quote(name), "decks");
      }
    }
  }
  const bool teaching = format != kOwnDecksFormat;
  const bool beginner = format == kBeginnerFormat;
  static constexpr TeachingDeck kTeachingDecks[2][2] = {
      {TeachingDeck::kIntermediateCorp, TeachingDeck::kIntermediateRunner},
      {TeachingDeck::kBeginnerCorp, TeachingDeck::kBeginnerRunner}};
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    const std::string name(side == Side::kCorp ? "corp" : "runner");
    const TeachingDeck taught = kTeachingDecks[beginner ? 1 : 0][At(side)];
    const json::Value* given = decks == nullptr ? nullptr : json::Find(*decks, name);
    if (given == nullptr && !teaching) {
      return Wrong("the " + std::string(SideName(side)) + " has no deck; in the format " + std::string(format) +
                       ", both sides need one",
                   "decks." + name);
    }
    if (given == nullptr) {
      setup.decks[At(side)] = MakeTeachingDeck(taught);
      setup.deck_names[At(side)] = std::string(beginner ? "Beginner " : "Intermediate ") + std::string(SideName(side));
      continue;
    }
    Result<Deck> deck = ReadDeck(*given, side);
    if (!deck) return Fail(deck.error());
    Result<std::string> called = ReadDeckName(*given, std::string(SideName(side)));
    if (!called) return Fail(called.error());
    setup.deck_names[At(side)] = *std::move(called);
    if (teaching) {
      if (auto same = CheckTeachingDeck(*deck, taught, format); !same) return Fail(same.error());
    } else if (*validate) {
      if (auto valid = ValidateDeck(*deck, side); !valid) return Wrong(valid.error().message, "decks");
    }
    setup.decks[At(side)] = *std::move(deck);
  }
  return setup;
}

json::Value OptionsSeenBy(const json::Value& options, std::optional<Side> viewer) {
  const json::Value* decks = json::Find(options, "decks");
  if (decks == nullptr || !decks->is_object()) return options;
  json::Object shown;
  for (const auto& [side, deck] : decks->get_object()) {
    const bool own = viewer && json::View(side) == (*viewer == Side::kCorp ? "corp" : "runner");
    if (!own) {
      shown[side] = json::Object{{"identity", *json::Find(deck, "identity")}};
      continue;
    }
    json::Object whole = deck.get_object();
    if (!whole.contains("cards")) {  // seen by the other side before
      shown[side] = std::move(whole);
      continue;
    }
    std::ranges::sort(whole["cards"].get_array(), {}, [](const json::Value& card) { return json::Write(card); });
    shown[side] = std::move(whole);
  }
  json::Object out = options.get_object();
  out["decks"] = std::move(shown);
  return out;
}

}  // namespace openseat::games::netrunner
