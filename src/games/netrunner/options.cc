#include "games/netrunner/options.h"

#include <array>
#include <string>
#include <utility>

#include "core/game_base.h"
#include "games/netrunner/card_table.h"

namespace openseat::games::netrunner {
namespace {

constexpr std::string_view kBeginner = "system-gateway-beginner";
constexpr std::string_view kIntermediate = "system-gateway-intermediate";
constexpr std::string_view kOwnDecks = "system-gateway";
constexpr int kBeginnerPoints = 6;
constexpr int kPoints = 7;
constexpr int kMostPoints = 60;

tl::unexpected<Error> Wrong(std::string message, std::string path) {
  return Fail(ErrorCode::kInvalid, std::move(message), std::move(path));
}

Result<bool> BoolOption(const json::Value& options, std::string_view name, bool fallback) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return fallback;
  if (!value->is_bool())
    return Wrong(std::string(name) + " must be true or false; got " + Shown(*value), std::string(name));
  return value->get_bool();
}

Result<CardId> ReadCard(const json::Value& value, Side side, const std::string& path) {
  if (!value.is_string()) return Wrong("a card is its code or title; got " + Shown(value), path);
  const std::optional<CardId> card = FindCard(json::View(value.get_string()));
  if (!card) return Wrong("there is no card " + Shown(value), path);
  if (CardOf(*card).side != side) {
    return Wrong(std::string(CardOf(*card).title) + " is a card of the " + std::string(SideName(Other(side))), path);
  }
  return *card;
}

Result<Deck> ReadDeck(const json::Value& value, Side side) {
  const std::string path = side == Side::kCorp ? "decks.corp" : "decks.runner";
  if (auto members = CheckMembers(value, {"identity", "cards"}); !members) return Wrong(members.error().message, path);
  Deck deck;
  const Result<CardId> identity = ReadCard(*json::Find(value, "identity"), side, path + ".identity");
  if (!identity) return Fail(identity.error());
  if (CardOf(*identity).type != CardType::kIdentity) {
    return Wrong(std::string(CardOf(*identity).title) + " is no identity", path + ".identity");
  }
  deck.identity = *identity;
  const json::Value& cards = *json::Find(value, "cards");
  if (!cards.is_array()) return Wrong("cards must be an array; got " + Shown(cards), path + ".cards");
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

json::Value DeckSchema() {
  return json::Object{{"type", "object"},
                      {"properties", json::Object{{"identity", json::Object{{"type", "string"}}},
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
           {"format", json::Object{{"enum", json::Array{kBeginner, kIntermediate, kOwnDecks}}, {"default", kBeginner}}},
           {"decks", json::Object{{"type", "object"},
                                  {"properties", json::Object{{"corp", DeckSchema()}, {"runner", DeckSchema()}}},
                                  {"required", json::Array{"corp", "runner"}},
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
  std::string_view format = decks == nullptr ? kBeginner : kOwnDecks;
  if (const json::Value* given = json::Find(options, "format")) {
    const std::string_view name = given->is_string() ? json::View(given->get_string()) : std::string_view();
    if (name != kBeginner && name != kIntermediate && name != kOwnDecks) {
      return Wrong("format must be " + std::string(kBeginner) + ", " + std::string(kIntermediate) + " or " +
                       std::string(kOwnDecks) + "; got " + Shown(*given),
                   "format");
    }
    format = name;
  }
  if ((format == kOwnDecks) != (decks != nullptr)) {
    return Wrong("the format " + std::string(kOwnDecks) + " needs decks, and the others have theirs", "decks");
  }
  const Result<bool> shuffle = BoolOption(options, "shuffle", true);
  if (!shuffle) return Fail(shuffle.error());
  const Result<bool> validate = BoolOption(options, "validate", true);
  if (!validate) return Fail(validate.error());
  const Result<bool> all_windows = BoolOption(options, "all-windows", false);
  if (!all_windows) return Fail(all_windows.error());
  const Result<int> points =
      IntegerOption(options, "points", format == kBeginner ? kBeginnerPoints : kPoints, 1, kMostPoints);
  if (!points) return Fail(points.error());
  setup.shuffle = *shuffle;
  setup.all_windows = *all_windows;
  setup.points_to_win = *points;
  if (decks == nullptr) {
    const bool beginner = format == kBeginner;
    setup.decks[0] = MakeTeachingDeck(beginner ? TeachingDeck::kBeginnerCorp : TeachingDeck::kIntermediateCorp);
    setup.decks[1] = MakeTeachingDeck(beginner ? TeachingDeck::kBeginnerRunner : TeachingDeck::kIntermediateRunner);
    return setup;
  }
  if (auto members = CheckMembers(*decks, {"corp", "runner"}); !members) return Wrong(members.error().message, "decks");
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    Result<Deck> deck = ReadDeck(*json::Find(*decks, side == Side::kCorp ? "corp" : "runner"), side);
    if (!deck) return Fail(deck.error());
    if (*validate) {
      if (auto valid = ValidateDeck(*deck, side); !valid) return Wrong(valid.error().message, "decks");
    }
    setup.decks[At(side)] = *std::move(deck);
  }
  return setup;
}

}  // namespace openseat::games::netrunner
