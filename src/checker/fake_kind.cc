#include "checker/fake_kind.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "checker/fake_names.h"

namespace openseat::checker {
namespace {

using enum FakeKind;

constexpr std::size_t kMaxName = 120;  // bytes examined; names are untrusted
constexpr std::size_t kMaxPath = 6;    // names examined

const NamedKind* Find(std::span<const NamedKind> entries, std::string_view name) {
  const auto entry = std::ranges::find(entries, name, &NamedKind::name);
  return entry == entries.end() ? nullptr : &*entry;
}

// "playerFirstNames2", "player-first-names_2": player, first, names, 2.
std::vector<std::string> Tokens(std::string_view name) {
  const auto is = [](int (*test)(int), char c) { return test(static_cast<unsigned char>(c)) != 0; };
  name = name.substr(0, kMaxName);
  std::vector<std::string> tokens;
  bool fresh = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is(std::isalnum, c)) {
      fresh = true;
      continue;
    }
    if (is(std::isupper, c) && i > 0) {
      const bool lower_before = !is(std::isupper, name[i - 1]);
      const bool lower_behind = i + 1 < name.size() && is(std::islower, name[i + 1]);
      fresh = fresh || lower_before || lower_behind;
    }
    if (fresh) tokens.emplace_back();
    fresh = false;
    tokens.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return tokens;
}

std::string Singular(std::string_view word) {
  const auto without = [&](std::size_t count) { return std::string(word.substr(0, word.size() - count)); };
  if (word.size() > 4 && word.ends_with("ies")) return without(3) + "y";
  for (const std::string_view end : {"sses", "xes", "ches", "shes"}) {
    if (word.ends_with(end)) return without(2);
  }
  if (word.size() > 2 && word.ends_with("s") && !word.ends_with("ss") && !word.ends_with("us")) return without(1);
  return std::string(word);
}

const NamedKind* FindEither(std::span<const NamedKind> entries, const std::string& name) {
  const NamedKind* entry = Find(entries, name);
  return entry != nullptr ? entry : Find(entries, Singular(name));
}

// The kind of the longest suffix of the tokens that is a known name: for player, first, name it is "firstname".
std::optional<FakeKind> KindOfEnd(std::span<const std::string> tokens) {
  for (std::size_t from = 0; from < tokens.size(); ++from) {
    std::string joined;
    for (const std::string& token : tokens.subspan(from)) joined += token;
    if (const NamedKind* entry = FindEither(KnownNames(), joined)) return entry->kind;
  }
  return std::nullopt;
}

struct Guess {
  FakeKind kind = kNone;
  const NamedKind* generic = nullptr;  // for names that say little
};

// Whether the thing has a name, and the name says it all: a city, a color, a song.
bool IsThing(FakeKind kind) {
  return kind == kJob || kind == kTeam ||
         (kind >= kCity && kind <= kUnit && kind != kAddress && kind != kPostcode && kind != kPhone &&
          kind != kHexColor);
}

// The name, title or value of such a thing.
FakeKind KindOfGeneric(const NamedKind& generic, FakeKind of) {
  if (generic.name == "name") return IsThing(of) ? of : kFullName;
  if (generic.name == "title") {
    const bool has_title = of == kBookTitle || of == kSong || of == kAlbum || of == kJob;
    return has_title ? of : kTitle;
  }
  return of;
}

Guess GuessFrom(std::string_view name) {
  std::vector<std::string> tokens = Tokens(name);
  // "name_2", "city of birth", "message_to".
  const auto is_number = [](const std::string& token) {
    return std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; });
  };
  while (tokens.size() > 1 && is_number(tokens.back())) tokens.pop_back();
  if (tokens.empty()) return {};
  while (tokens.back().size() > 1 && tokens.back().back() >= '0' && tokens.back().back() <= '9' &&
         !KindOfEnd({&tokens.back(), 1})) {
    tokens.back().pop_back();
  }
  const auto of = std::ranges::find(tokens, "of");
  if (of != tokens.begin() && of != tokens.end() && KindOfEnd({tokens.begin(), of})) tokens.erase(of, tokens.end());
  const NamedKind* generic = FindEither(GenericNames(), tokens.back());
  if (generic == nullptr) return {KindOfEnd(tokens).value_or(kNone)};
  if (tokens.size() > 1) {
    // "first_name" as a whole, else the "city" in "city_name".
    for (std::size_t from = 0; from + 1 < tokens.size(); ++from) {
      std::string joined;
      for (const std::string& token : std::span(tokens).subspan(from)) joined += token;
      if (const NamedKind* entry = FindEither(KnownNames(), joined)) return {entry->kind};
    }
    tokens.pop_back();
    const FakeKind kind = KindOfEnd(tokens).value_or(kNone);
    if (kind != kNone) return {KindOfGeneric(*generic, kind)};
  }
  return {generic->kind, generic};
}

}  // namespace

FakeKind KindOf(std::span<const std::string_view> path, std::string_view action, std::string_view format) {
  if (const NamedKind* entry = Find(KnownFormats(), format)) return entry->kind;
  const NamedKind* const value = Find(GenericNames(), "value");
  const Guess own = path.empty() ? Guess{kNone, value} : GuessFrom(path.back());
  if (own.generic == nullptr) return own.kind;
  for (std::size_t up = 1; up < path.size() && up < kMaxPath; ++up) {
    const Guess around = GuessFrom(path[path.size() - 1 - up]);
    if (around.generic == nullptr && around.kind != kNone) return KindOfGeneric(*own.generic, around.kind);
  }
  // A name in "order_food" is usually that of the person who orders; in "name_pet" it is the pet's.
  const std::vector<std::string> words = Tokens(action);
  const bool is_naming =
      std::ranges::any_of(words, [](const std::string& word) { return word == "name" || word == "rename"; });
  if (own.kind != kNone && !(own.generic->name == "name" && is_naming)) return own.kind;
  const Guess done = GuessFrom(action);
  return done.generic == nullptr && done.kind != kNone ? KindOfGeneric(*own.generic, done.kind) : own.kind;
}

}  // namespace openseat::checker
