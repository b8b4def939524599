#include "games/netrunner/cards/card_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace openseat::games::netrunner {
namespace {

// Whether its controller may want to choose when it resolves.
bool Asks(const Program& program) {
  return std::any_of(program.begin(), program.end(), [](const Instruction& instruction) {
    return instruction.op == Op::kMay || instruction.op == Op::kChoose || instruction.op == Op::kTarget ||
           instruction.op == Op::kSearch;
  });
}

// Whether the card has exactly one delayed trigger for each Delay in the program.
bool HasDelayed(const CardDef& card, const Program& program) {
  return std::ranges::all_of(program, [&](const Instruction& instruction) {
    const auto waits = [&](const Trigger& trigger) { return trigger.delayed && trigger.on == instruction.event; };
    return instruction.op != Op::kDelay || std::ranges::count_if(card.triggers, waits) == 1;
  });
}

bool HasDelayed(const CardDef& card) {
  const auto ability = [&](const Ability& one) { return HasDelayed(card, one.effect); };
  const auto trigger = [&](const Trigger& one) { return HasDelayed(card, one.effect); };
  const auto subroutine = [&](const Subroutine& one) { return HasDelayed(card, one.effect); };
  return HasDelayed(card, card.play) && std::ranges::all_of(card.abilities, ability) &&
         std::ranges::all_of(card.triggers, trigger) && std::ranges::all_of(card.subroutines, subroutine);
}

std::vector<CardDef> MakeTable() {
  std::vector<CardDef> cards;
  AddAnarch(cards);
  AddCriminal(cards);
  AddShaper(cards);
  AddNeutralRunner(cards);
  AddHaasBioroid(cards);
  AddJinteki(cards);
  AddNbn(cards);
  AddWeyland(cards);
  AddNeutralCorp(cards);
  OPENSEAT_CHECK(cards.size() < kNoCard, "a card's number fits into a byte");
  for (CardDef& card : cards) {
    for (const Subtype subtype : card.subtype_list) card.subtypes |= SetOf(subtype);
    card.plain_title = PlainTitle(card.title);
    for (Trigger& trigger : card.triggers) {
      trigger.interactive = Asks(trigger.effect);
      if (!trigger.delayed) card.events |= 1u << static_cast<unsigned>(trigger.on);
    }
    for (const StaticAbility& ability : card.statics) card.modifiers |= 1u << static_cast<unsigned>(ability.what);
    OPENSEAT_CHECK(card.abilities.size() <= 4 && card.triggers.size() <= 4 && card.subroutines.size() <= 8,
                   "a card's abilities, triggers and subroutines have a bit each");
    OPENSEAT_CHECK(HasDelayed(card), "what a Delay arms is a delayed trigger of its card");
  }
  return cards;
}

const std::vector<CardDef>& Table() {
  static const std::vector<CardDef> table = MakeTable();
  return table;
}

// Every card by its code and by its title.
std::unordered_map<std::string_view, CardId> IndexTable() {
  std::unordered_map<std::string_view, CardId> index;
  const std::vector<CardDef>& table = Table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    index.emplace(table[i].code, static_cast<CardId>(i));
    index.emplace(table[i].title, static_cast<CardId>(i));
  }
  return index;
}

}  // namespace

std::span<const CardDef> AllCards() {
  return Table();
}

const CardDef& CardOf(CardId card) {
  // Everything that is asked about a card comes by here: no guard, as a local object would have.
  static std::atomic<const CardDef*> known{nullptr};
  const CardDef* table = known.load(std::memory_order_acquire);
  if (table == nullptr) {
    table = Table().data();
    known.store(table, std::memory_order_release);
  }
  return table[card];
}

std::optional<CardId> FindCard(std::string_view code_or_title) {
  static const std::unordered_map<std::string_view, CardId> index = IndexTable();
  const auto found = index.find(code_or_title);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

std::string PlainTitle(std::string_view title) {
  static constexpr std::array<std::pair<std::string_view, char>, 12> kMarked{{{"\xC3\xA2", 'a'},
                                                                              {"\xC3\xA1", 'a'},
                                                                              {"\xC4\x81", 'a'},
                                                                              {"\xC3\xA9", 'e'},
                                                                              {"\xC3\xA8", 'e'},
                                                                              {"\xC3\xAB", 'e'},
                                                                              {"\xC3\xAD", 'i'},
                                                                              {"\xC3\xB3", 'o'},
                                                                              {"\xC3\xB6", 'o'},
                                                                              {"\xC3\xBA", 'u'},
                                                                              {"\xC3\xBC", 'u'},
                                                                              {"\xC3\xA3", 'a'}}};
  std::string out;
  for (std::size_t at = 0; at < title.size(); ++at) {
    const auto marked = std::find_if(kMarked.begin(), kMarked.end(),
                                     [&](const auto& mark) { return title.substr(at).starts_with(mark.first); });
    if (marked != kMarked.end()) {
      out += marked->second;
      ++at;  // of two bytes
    } else {
      const char c = title[at];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

std::string_view SideName(Side side) {
  return side == Side::kCorp ? "Corp" : "Runner";
}

std::string_view TypeName(CardType type) {
  static constexpr std::array<std::string_view, 10> kNames = {"Identity", "Agenda", "Asset",    "ICE",     "Operation",
                                                              "Upgrade",  "Event",  "Hardware", "Program", "Resource"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view FactionName(Faction faction) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "Anarch", "Criminal", "Shaper", "Neutral", "Haas-Bioroid", "Jinteki", "NBN", "Weyland Consortium", "Neutral"};
  return kNames[static_cast<std::size_t>(faction)];
}

std::string_view SubtypeName(Subtype subtype) {
  static constexpr std::array<std::string_view, 33> kNames = {
      "Advertisement", "AI",          "Ambush",     "AP",       "Barrier",  "Bioroid", "Character",
      "Chip",          "Code Gate",   "Connection", "Console",  "Cyborg",   "Decoder", "Destroyer",
      "Expansion",     "Fracter",     "G-mod",      "Genetics", "Gray Ops", "Hostile", "Icebreaker",
      "Job",           "Killer",      "Megacorp",   "Natural",  "Research", "Run",     "Security",
      "Sentry",        "Transaction", "Trojan",     "Virtual",  "Virus"};
  static_assert(kNames.size() == kSubtypes);
  return kNames[static_cast<std::size_t>(subtype)];
}

}  // namespace openseat::games::netrunner
