#include "games/netrunner/deck_lists.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "core/game_base.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/decks.h"
#include "games/netrunner/options.h"

namespace openseat::games::netrunner {
namespace {

constexpr std::size_t kMaxTextBytes = 64 << 10;
constexpr std::size_t kMaxReported = 20;  // lines or cards listed in an error
// No deck comes near these; the time that a text of other things may take is bounded by them.
constexpr std::size_t kMaxLines = 500;    // that are not empty
constexpr std::size_t kMaxUnread = 100;   // lines that cannot be read, until the rest is not looked at
constexpr std::size_t kMaxEntries = 500;  // different cards

struct Teaching {
  std::string_view format;
  TeachingDeck decks[2];  // by side
};
constexpr std::array kTeaching{
    Teaching{kBeginnerFormat, {TeachingDeck::kBeginnerCorp, TeachingDeck::kBeginnerRunner}},
    Teaching{kIntermediateFormat, {TeachingDeck::kIntermediateCorp, TeachingDeck::kIntermediateRunner}}};

std::string SideId(Side side) {
  return side == Side::kCorp ? "corp" : "runner";
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// A normalized title: ASCII letters and digits in lower case. NetrunnerDB's newer ids
// ("hedge_fund") become the same.
std::string Fold(std::string_view title) {
  std::string out = PlainTitle(title);
  std::erase_if(out, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); });
  return out;
}

// People often use only the part of an identity's title before the colon.
std::string FoldShort(const CardDef& identity) {
  return Fold(identity.title.substr(0, identity.title.find(':')));
}

// Every card by its folded title, and each identity also by its short one, if no other one has it.
std::unordered_map<std::string, CardId> FoldAll() {
  std::unordered_map<std::string, int> short_titles;
  for (const CardDef& def : AllCards()) {
    if (def.type == CardType::kIdentity) ++short_titles[FoldShort(def)];
  }
  std::unordered_map<std::string, CardId> cards;
  for (std::size_t i = 0; i < AllCards().size(); ++i) {
    const CardDef& def = AllCards()[i];
    cards.emplace(Fold(def.title), static_cast<CardId>(i));
    if (def.type != CardType::kIdentity) continue;
    if (std::string name = FoldShort(def); short_titles[name] == 1)
      cards.emplace(std::move(name), static_cast<CardId>(i));
  }
  return cards;
}

// By code, title, or a similarly spelled title.
std::optional<CardId> Recognize(std::string_view name) {
  if (const std::optional<CardId> card = FindCard(name)) return card;
  static const std::unordered_map<std::string, CardId> folded = FoldAll();
  const auto found = folded.find(Fold(name));
  return found == folded.end() ? std::nullopt : std::optional(found->second);
}

// Removes a leading whole number from `text` and returns it; nullopt, and `text` unchanged, without one up to 1000.
// Larger ones count no copies: they are codes, or belong to a name ("2026 Nationals").
std::optional<int> TakeNumber(std::string_view& text) {
  std::size_t end = 0;
  int number = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') {
    number = number * 10 + (text[end] - '0');
    if (number > 1000) return std::nullopt;
    ++end;
  }
  if (end == 0) return std::nullopt;
  text.remove_prefix(end);
  return number;
}

struct DeckEntry {
  int copies = 1;
  bool counted = false;  // a number of copies was given
  std::string_view name;
};

// "3x Hedge Fund", "3 Hedge Fund", "3 x Hedge Fund", "Hedge Fund x3", "Hedge Fund".
DeckEntry SplitLine(std::string_view line) {
  DeckEntry entry{.name = line};
  std::string_view rest = line;
  if (const std::optional<int> copies = TakeNumber(rest)) {
    std::string_view after = Trim(rest);
    const bool times = (after.starts_with('x') || after.starts_with('X')) && after.size() > 1 && after[1] == ' ';
    if (times) after = Trim(after.substr(1));
    if ((times || rest.starts_with(' ') || rest.starts_with('\t')) && !after.empty()) {
      return {.copies = *copies, .counted = true, .name = after};
    }
  }
  if (const std::size_t x = line.find_last_of("xX"); x != std::string_view::npos && x > 0 && line[x - 1] == ' ') {
    std::string_view number = line.substr(x + 1);
    if (const std::optional<int> copies = TakeNumber(number); copies && number.empty()) {
      return {.copies = *copies, .counted = true, .name = Trim(line.substr(0, x))};
    }
  }
  return entry;
}

// "[Hedge Fund](https://…) *(System Gateway)*" as "Hedge Fund (System Gateway)"; removes a leading list marker.
std::string PlainLine(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("* ") || line.starts_with("- ")) line = Trim(line.substr(2));
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line.substr(at).starts_with("](")) {
      const std::size_t close = line.find(')', at);
      if (close == std::string_view::npos) break;
      at = close;
    } else if (line[at] == '_' && (line.substr(at + 1).starts_with('(') || out.ends_with(')'))) {
      continue;
    } else if (line[at] != '[' && line[at] != '*') {
      out += line[at];
    }
  }
  // Influence dots, and marks for unique or banned cards.
  static constexpr std::array<std::string_view, 8> kMarks{"\xE2\x97\x8F", "\xE2\x80\xA2",    "\xE2\x98\x85",
                                                          "\xE2\x97\x86", "\xE2\x97\x8B",    "\xE2\x99\xA6",
                                                          "\xE2\x98\x86", "\xF0\x9F\xA6\x84"};
  std::string_view plain = Trim(out);
  for (bool cut = true; cut; plain = Trim(plain)) {
    cut = false;
    for (const std::string_view mark : kMarks) {
      if (!plain.ends_with(mark)) continue;
      plain.remove_suffix(mark.size());
      cut = true;
    }
  }
  return std::string(plain);
}

// A card's name without the set that may follow it in parentheses.
std::optional<CardId> RecognizeWithSet(std::string_view name) {
  if (const std::optional<CardId> card = Recognize(name)) return card;
  if (const std::size_t open = name.rfind('('); name.ends_with(')') && open != std::string_view::npos && open > 0) {
    return Recognize(Trim(name.substr(0, open)));
  }
  return std::nullopt;
}

// Headings ("Agenda (9)") and what deck sites append to a list.
bool IsDecoration(std::string_view line) {
  static constexpr std::array<std::string_view, 25> kHeadings{
      "agenda",   "agendas",  "asset",      "assets",     "operation", "operations", "upgrade",
      "upgrades", "ice",      "identity",   "event",      "events",    "hardware",   "program",
      "programs", "resource", "resources",  "barrier",    "barriers",  "code gate",  "code gates",
      "sentry",   "sentries", "icebreaker", "icebreakers"};
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view heading = lower;
  while (heading.starts_with('#')) heading.remove_prefix(1);
  if (const std::size_t open = heading.find('('); open != std::string_view::npos) heading = heading.substr(0, open);
  if (heading.ends_with(':')) heading.remove_suffix(1);
  heading = Trim(heading);
  if (std::ranges::find(kHeadings, heading) != kHeadings.end()) return true;
  std::string_view rest = lower;
  if (TakeNumber(rest)) {
    rest = Trim(rest);
    for (const std::string_view start :
         {"influence spent", "influence points", "influence", "cards", "agenda points"}) {
      if (rest == start || rest.starts_with(std::string(start) + " (")) return true;
    }
  }
  for (const std::string_view start :
       {"//", "cards up to ", "deck built on ", "decklist published on ", "deck legality",
        "influence:", "agenda points:", "deck size:", "http://", "https://"}) {
    if (lower.starts_with(start)) return true;
  }
  return false;
}

constexpr std::size_t kMaxQuotedBytes = 80;

std::string Quoted(std::string_view text) {
  return Quote(SanitizeUtf8(text.substr(0, 2 * kMaxQuotedBytes)), kMaxQuotedBytes);
}

// "a, b and 3 more".
std::string Listed(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size() && i < kMaxReported; ++i) out += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > kMaxReported) out += " and " + std::to_string(items.size() - kMaxReported) + " more";
  return out;
}

std::string TooManyEntries() {
  return "a deck has at most " + std::to_string(kMaxEntries) + " different cards";
}

// As CheckDeckSize says it.
std::string WrongCopies(int got, std::string_view name) {
  return "a deck has 1 to " + std::to_string(kMaxCopies) + " copies of a card; got " + std::to_string(got) + " of " +
         Quoted(name);
}

enum class Added : std::uint8_t { kYes, kSecondIdentity, kTooManyCopies };

// Adds a card to a list, which must not be used unless that succeeds. Copies of an identity do not count.
Added Put(DeckList& list, CardId card, int copies) {
  const CardDef& def = CardOf(card);
  if (def.type != CardType::kIdentity) {
    int& count = list.cards[std::string(def.code)];
    count += copies;
    return count > kMaxCopies ? Added::kTooManyCopies : Added::kYes;
  }
  if (!list.identity.empty() && list.identity != def.code) return Added::kSecondIdentity;
  list.identity = def.code;
  return Added::kYes;
}

// How many copies of a card are in a list that it was added to.
int CopiesIn(const DeckList& list, CardId card) {
  return list.cards.at(std::string(CardOf(card).code));
}

void FindSide(DeckList& list) {
  std::string_view code = list.identity;
  if (code.empty() && !list.cards.empty()) code = list.cards.begin()->first;
  if (const std::optional<CardId> card = FindCard(code)) list.side = SideId(CardOf(*card).side);
}

class Rules final : public DeckRules {
 public:
  std::string_view game() const override { return "netrunner"; }

  const std::vector<std::string>& formats() const override {
    static const std::vector<std::string> formats{std::string(kOwnDecksFormat), std::string(kBeginnerFormat),
                                                  std::string(kIntermediateFormat)};
    return formats;
  }

  Result<DeckList> FromText(std::string_view text) const override {
    if (text.size() > kMaxTextBytes) {
      return Fail(ErrorCode::kParse, "a deck's text has at most " + std::to_string(kMaxTextBytes) + " bytes", "text");
    }
    DeckList list;
    list.game = game();
    std::vector<std::string> unread;
    std::size_t number = 0;
    std::size_t lines = 0;
    for (std::size_t at = 0; at <= text.size() && unread.size() < kMaxUnread; ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = PlainLine(text.substr(at, end - at));
      at = end + 1;
      if (line.empty()) continue;
      if (++lines > kMaxLines) {
        return Fail(ErrorCode::kParse, "a deck's text has at most " + std::to_string(kMaxLines) + " lines", "text");
      }
      if (line.starts_with("# ") && list.name.empty() && list.cards.empty()) {
        list.name = Trim(std::string_view(line).substr(2));
        continue;
      }
      std::string_view name = line;
      // "Identity: Haas-Bioroid: Precision Design"
      if (name.size() > 9 && name[8] == ':' && Fold(name.substr(0, 8)) == "identity") name = Trim(name.substr(9));
      const DeckEntry entry = SplitLine(name);
      std::optional<CardId> card = RecognizeWithSet(name);
      if (!card) card = RecognizeWithSet(entry.name);
      if (card) {
        const Added added = Put(list, *card, entry.copies);
        if (added == Added::kSecondIdentity) {
          unread.push_back("line " + std::to_string(number + 1) + " names a second identity, " + Quoted(line));
        } else if (added == Added::kTooManyCopies) {
          unread.push_back("line " + std::to_string(number + 1) + ": " + std::to_string(CopiesIn(list, *card)) +
                           " copies of " + Quoted(CardOf(*card).title) + " (a deck has at most " +
                           std::to_string(kMaxCopies) + " of a card)");
        }
        continue;
      }
      if (IsDecoration(line)) continue;
      if (!entry.counted && list.name.empty() && list.cards.empty()) {
        list.name = line;
        continue;
      }
      unread.push_back("line " + std::to_string(number + 1) + ": unknown card " + Quoted(entry.name));
    }
    if (!unread.empty()) {
      return Fail(ErrorCode::kParse,
                  "expected lines like \"3x Hedge Fund\" with cards from System Gateway; " + Listed(unread) +
                      (unread.size() < kMaxUnread ? "" : "; the rest was not read"),
                  "text");
    }
    if (list.cards.empty() && list.identity.empty()) {
      return Fail(ErrorCode::kParse, "expected lines like \"3x Hedge Fund\"; the text names no cards", "text");
    }
    return Completed(std::move(list));
  }

  Result<DeckList> FromJson(const json::Value& document) const override {
    const auto wrong = [](std::string message) {
      return Fail(ErrorCode::kParse, "expected a deck in NetrunnerDB's format; " + std::move(message), "netrunnerdb");
    };
    const json::Value* deck = &document;
    if (const json::Value* data = json::Find(document, "data")) deck = data;
    if (deck->is_array()) {
      if (deck->get_array().size() != 1) {
        return wrong("there are " + std::to_string(deck->get_array().size()) +
                     " decks in it, but exactly one is expected");
      }
      deck = &deck->get_array().front();
    }
    const json::Value* attributes = json::Find(*deck, "attributes");
    if (attributes != nullptr) deck = attributes;
    const json::Value* cards = json::Find(*deck, "cards");
    if (cards == nullptr) cards = json::Find(*deck, "card_slots");
    if (cards == nullptr || !cards->is_object()) return wrong("it has no object \"cards\"");

    if (cards->get_object().size() > kMaxEntries) return wrong(TooManyEntries());

    DeckList list;
    list.game = game();
    const auto text_of = [deck](std::string_view member) {
      const json::Value* value = json::Find(*deck, member);
      return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
    };
    list.name = text_of("name");
    std::vector<std::string> unknown;
    std::string too_many;  // what is wrong with the first card that has too many copies
    const auto put = [&](std::string_view name, int copies) {
      const std::optional<CardId> card = Recognize(name);
      if (!card) {
        unknown.push_back(Quoted(name));
        return;
      }
      const Added added = Put(list, *card, copies);
      if (added == Added::kSecondIdentity) {
        unknown.push_back(Quoted(name) + " (a second identity)");
      } else if (added == Added::kTooManyCopies && too_many.empty()) {
        too_many = WrongCopies(CopiesIn(list, *card), name);
      }
    };
    if (const std::string identity = text_of("identity_card_id"); !identity.empty()) put(identity, 1);
    for (const auto& [code, count] : cards->get_object()) {
      if (!count.is_int64() || count.get_int64() < 0 || count.get_int64() > kMaxCopies) {
        return wrong("the number of copies of " + Quoted(json::View(code)) + " must be from 0 to " +
                     std::to_string(kMaxCopies) + "; got " + json::Excerpt(count));
      }
      if (count.get_int64() > 0) put(json::View(code), static_cast<int>(count.get_int64()));
    }
    if (!unknown.empty()) {
      return Fail(ErrorCode::kInvalid, "not in System Gateway: " + Listed(unknown), "netrunnerdb");
    }
    if (!too_many.empty()) return Fail(ErrorCode::kInvalid, std::move(too_many), "netrunnerdb");
    return Completed(std::move(list));
  }

  Result<DeckList> Complete(DeckList list) const override {
    if (list.cards.size() > kMaxEntries) return Fail(ErrorCode::kInvalid, TooManyEntries(), "cards");
    list.game = game();
    const bool any_format = list.format.empty();
    if (any_format) list.format = formats().front();
    if (std::ranges::find(formats(), list.format) == formats().end()) {
      return Fail(ErrorCode::kInvalid, "format must be one of " + Listed(formats()) + "; got " + Quoted(list.format),
                  "format");
    }
    std::vector<std::string> unknown;
    if (!list.identity.empty()) {
      const std::optional<CardId> card = Recognize(list.identity);
      if (!card || CardOf(*card).type != CardType::kIdentity) {
        return Fail(ErrorCode::kInvalid, "there is no identity " + Quoted(list.identity) + " in System Gateway",
                    "identity");
      }
      list.identity = CardOf(*card).code;
    }
    for (const auto& [name, copies] : std::exchange(list.cards, {})) {
      if (copies < 1 || copies > kMaxCopies) return Fail(ErrorCode::kInvalid, WrongCopies(copies, name), "cards");
      const std::optional<CardId> card = Recognize(name);
      if (!card) {
        unknown.push_back(Quoted(name));
        continue;
      }
      const Added added = Put(list, *card, copies);
      if (added == Added::kSecondIdentity) {
        return Fail(ErrorCode::kInvalid, "a deck has one identity; also got " + Quoted(name), "cards");
      }
      if (added == Added::kTooManyCopies) {
        return Fail(ErrorCode::kInvalid, WrongCopies(CopiesIn(list, *card), name), "cards");
      }
    }
    if (!unknown.empty()) {
      return Fail(ErrorCode::kInvalid, "not in System Gateway: " + Listed(unknown), "cards");
    }
    if (!list.side.empty() && list.side != "corp" && list.side != "runner") {
      return Fail(ErrorCode::kInvalid, "side must be corp or runner; got " + Quoted(list.side), "side");
    }
    if (list.side.empty() || !list.identity.empty()) FindSide(list);
    return any_format ? InItsFormat(std::move(list)) : list;
  }

  std::vector<DeckProblem> Check(const DeckList& list) const override {
    std::vector<DeckProblem> problems;
    CountedDeck deck;
    for (const auto& [code, copies] : list.cards) {
      const std::optional<CardId> card = FindCard(code);
      if (!card) {
        problems.push_back({"there is no card " + Quoted(code) + " in System Gateway", code});
      } else if (copies > 0) {
        deck.cards[*card] += copies;
      }
    }
    const std::optional<CardId> identity = FindCard(list.identity);
    if (!identity) {
      problems.push_back({"the deck has no identity", {}});
      return problems;
    }
    deck.identity = *identity;
    const Side side = CardOf(*identity).side;
    for (const Teaching& teaching : kTeaching) {
      if (teaching.format != list.format) continue;
      if (deck != Counted(MakeTeachingDeck(teaching.decks[At(side)]))) {
        problems.push_back({"in the format " + list.format + ", both sides must play their teaching deck", {}});
      }
      return problems;
    }
    for (const DeckFault& fault : DeckFaults(deck, side)) {
      problems.push_back({fault.message, fault.card == kNoCard ? std::string() : std::string(CardOf(fault.card).code)});
    }
    return problems;
  }

  std::string ToText(const DeckList& list) const override {
    // Marks text that could be read as something else as the name.
    const bool plain = !SplitLine(list.name).counted && !RecognizeWithSet(list.name) && !IsDecoration(list.name) &&
                       PlainLine(list.name) == list.name && Fold(list.name.substr(0, 8)) != "identity";
    std::string text = (plain ? "" : "# ") + list.name + "\n";
    if (const std::optional<CardId> identity = FindCard(list.identity)) {
      text += "\n" + std::string(CardOf(*identity).title) + "\n";
    }
    for (int type = static_cast<int>(CardType::kAgenda); type <= static_cast<int>(CardType::kResource); ++type) {
      std::string section;
      int copies = 0;
      for (const auto& [code, count] : list.cards) {
        const std::optional<CardId> card = FindCard(code);
        if (!card || static_cast<int>(CardOf(*card).type) != type) continue;
        section += std::to_string(count) + "x " + std::string(CardOf(*card).title) + "\n";
        copies += count;
      }
      if (section.empty()) continue;
      text += "\n" + std::string(TypeName(static_cast<CardType>(type))) + " (" + std::to_string(copies) + ")\n";
      text += section;
    }
    return text;
  }

  json::Value ToOption(const DeckList& list) const override {
    json::Array cards;
    for (const auto& [code, copies] : list.cards) {
      for (int i = 0; i < copies; ++i) cards.push_back(json::Value(code));
    }
    json::Object option{{"identity", list.identity}, {"cards", std::move(cards)}};
    if (!list.name.empty()) option["name"] = list.name;
    return option;
  }

  json::Array Cards() const override {
    json::Array out;
    for (const CardDef& def : AllCards()) out.push_back(CardFacts(def));
    return out;
  }

 private:
  // Applies Complete to a list of known cards.
  DeckList Completed(DeckList list) const {
    list.format = formats().front();
    FindSide(list);
    return InItsFormat(std::move(list));
  }

  // A teaching deck has its own format.
  DeckList InItsFormat(DeckList list) const {
    for (const Teaching& teaching : kTeaching) {
      DeckList as_teaching = list;
      as_teaching.format = teaching.format;
      if (Check(as_teaching).empty()) return as_teaching;
    }
    return list;
  }

  static json::Object CardFacts(const CardDef& def) {
    json::Object card{{"code", def.code},           {"title", def.title},
                      {"side", SideId(def.side)},   {"faction", FactionName(def.faction)},
                      {"type", TypeName(def.type)}, {"limit", def.limit}};
    json::Array subtypes;
    for (const Subtype subtype : def.subtype_list) subtypes.push_back(json::Value(SubtypeName(subtype)));
    card["subtypes"] = std::move(subtypes);
    card["unique"] = def.unique;
    card["text"] = def.text;
    const auto number = [&card](std::string_view name, int value, bool there) {
      if (there) card[name] = value;
    };
    const bool identity = def.type == CardType::kIdentity;
    number("cost", def.cost, def.cost >= 0);
    number("strength", def.strength, def.strength >= 0);
    number("memory", def.memory, def.type == CardType::kProgram);
    number("advancement", def.advancement, def.type == CardType::kAgenda);
    number("points", def.points, def.type == CardType::kAgenda);
    number("trash", def.trash, def.trash >= 0);
    number("influence", def.influence, def.influence >= 0);
    number("min_deck", def.min_deck, identity);
    number("influence_limit", def.influence_limit, identity && def.influence_limit >= 0);
    return card;
  }
};

}  // namespace
}  // namespace openseat::games::netrunner

namespace openseat::games {

const DeckRules& NetrunnerDecks() {
  static const netrunner::Rules rules;
  return rules;
}

}  // namespace openseat::games
