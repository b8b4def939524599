#include "games/narrative/describe.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/tokens.h"

namespace openseat::games::narrative {
namespace {

constexpr std::size_t kEarlierTurns = 60;  // of those not told in full, the latest get one line each
constexpr std::size_t kLine = 200;         // bytes of such a line
constexpr std::size_t kLineWish = 100;     // bytes of what the player did, in it

// As JSON, but readable in any script.
std::string Quoted(std::string_view text) {
  return json::WritePretty(json::Value(json::String(text)));
}

std::string Standing(double standing) {
  std::string out;
  if (standing == static_cast<double>(static_cast<std::int64_t>(standing))) {
    json::WriteNumber(static_cast<std::int64_t>(standing), out);
  } else {
    json::WriteNumber(standing, out);
  }
  return out;
}

// The scenario's own; any others are in the facts.
void AddParties(std::string_view title, const std::vector<Party>& parties,
                const std::map<std::string, double, std::less<>>& standings, std::string& out) {
  out += "\n## " + std::string(title) + "\n\n";
  for (const Party& party : parties) {
    const auto found = standings.find(party.id);
    out += "- `" + party.id + "`, " + party.name + ": " + party.about;
    out += " Standing: " + Standing(found == standings.end() ? party.standing : found->second) + ".\n";
  }
}

std::string WishText(const Wish& wish, const PlayerNames& names, std::string_view text) {
  const std::string& who = names[wish.player];
  if (wish.choice_id.empty()) return who + " does not take one of the choices, but says: " + Quoted(text);
  return who + " chooses: " + Quoted(text);
}
std::string WishWithin(const Wish& wish, const PlayerNames& names, std::size_t tokens) {
  std::string out = WishText(wish, names, wish.text);
  // Escapes may make it longer than the text.
  for (std::size_t part = tokens; EstimateTokens(out) > tokens && part > 0; part /= 2) {
    out = WishText(wish, names, BeginningOf(wish.text, part));
  }
  return out;
}

// --- What has happened ---

std::string Heading(std::size_t number) {
  return "\n**Turn " + std::to_string(number) + ".** ";
}

// A turn in full or, if that exceeds `tokens`, its end, where the story continues.
std::string WholeTurn(const Turn& turn, std::size_t number, const PlayerNames& names, std::size_t tokens) {
  std::string wish = Heading(number);
  if (turn.wish) wish += WishWithin(*turn.wish, names, tokens / 4) + "\n\n";
  std::string said;
  if (const json::Value* responses = json::Find(turn.narration, "npcResponses")) {
    for (const json::Value& each : responses->as_array()) {
      said += "\n`" + std::string(json::TextOf(each, "npcId")) + "` (" + std::string(json::TextOf(each, "emotion")) +
              "): " + Quoted(json::TextOf(each, "response")) + "\n";
    }
  }
  const std::string_view narrative = json::TextOf(turn.narration, "narrative");
  std::size_t left = tokens - std::min(tokens, EstimateTokens(wish));
  if (EstimateTokens(narrative) + EstimateTokens(said) < left) return wish + std::string(narrative) + "\n" + said;
  left -= std::min(left, std::size_t{2});  // the line breaks
  // At most a third for what is said, unless the narrative is short.
  const std::size_t told = std::min(EstimateTokens(narrative), left - std::min(left / 3, EstimateTokens(said)));
  wish += EndOf(narrative, told) + "\n";
  const std::string last = EndOf(said, left - told);
  return last.empty() ? wish : wish + "\n" + last + (last.ends_with('\n') ? "" : "\n");
}

std::string TurnInALine(const Turn& turn, std::size_t number, const PlayerNames& names) {
  std::string out = Heading(number);
  if (turn.wish) out += WishText(*turn.wish, names, Ellipsize(turn.wish->text, kLineWish)) + "\n\n";
  return out + Ellipsize(json::TextOf(turn.narration, "narrative"), kLine) + "\n";
}

// The latest turns in full, as long as they take at most half of `tokens` (the very last may take three quarters
// and is cut to that); the earlier ones in one line each.
std::string Told(const Story& story, const PlayerNames& names, std::size_t tokens) {
  const std::size_t count = story.turns().size();
  std::vector<std::string> latest_first;
  std::size_t used = 0;
  bool whole = true;
  std::size_t lines = 0;
  for (std::size_t i = count; i-- > 0 && lines < kEarlierTurns;) {
    const Turn& turn = *story.turns()[i];
    std::string text;
    if (whole) {
      text = WholeTurn(turn, i + 1, names, i + 1 == count ? tokens * 3 / 4 : tokens);
      whole = i + 1 == count || used + EstimateTokens(text) <= tokens / 2;
    }
    if (!whole) {
      text = TurnInALine(turn, i + 1, names);
      ++lines;
    }
    const std::size_t cost = EstimateTokens(text);
    if (used + cost > tokens) break;
    used += cost;
    latest_first.push_back(std::move(text));
  }
  return std::accumulate(latest_first.rbegin(), latest_first.rend(), std::string());
}

// --- Facts ---

// The members of `all` that fit into `tokens`, shorter ones first, in their order. Marks the object if some are
// missing.
json::Object Fitting(const json::Object& all, std::size_t tokens, bool& cut) {
  if (EstimateTokens(json::Write(all)) <= tokens) return all;
  cut = true;
  struct Member {
    std::size_t place = 0;
    std::size_t cost = 0;
    json::Value value;
  };
  const std::size_t longest = tokens / 8;
  std::vector<Member> members;
  for (const auto& member : all) {
    Member& each = members.emplace_back(Member{members.size(), 0, member.value()});
    const auto cost = [&] { return EstimateTokens(json::Write(each.value)); };
    if (cost() > longest) {
      std::string text =
          each.value.is_string() ? std::string(json::View(each.value.get_string())) : json::Write(each.value);
      // Escapes make it longer than the text.
      for (std::size_t part = longest; part > 0 && cost() > longest; part /= 2) {
        each.value = BeginningOf(text, part);
      }
    }
    each.cost = cost() + EstimateTokens(json::View(member.key())) + 2;
  }
  std::ranges::stable_sort(members, {}, &Member::cost);
  std::size_t used = 0;
  std::erase_if(members, [&](const Member& each) { return (used += each.cost) > tokens; });
  std::ranges::sort(members, {}, &Member::place);
  json::Object kept;
  std::size_t place = 0;
  auto next = members.begin();
  for (const auto& member : all) {
    if (next == members.end()) break;
    if (next->place == place++) kept[member.key()] = std::move((next++)->value);
  }
  return kept;
}

std::string FactsOf(const Story& story, const PlayerNames& names, std::size_t tokens) {
  json::Object facts{{"scenario", story.scenario().id},
                     {"schemaVersion", story.version()},
                     {"turn", story.turns().size() + 1},
                     {"maxTurns", story.max_turns()},
                     {"seed", story.seed()},
                     {"player", names[story.wish() ? story.wish()->player : story.player()]}};
  bool cut = false;
  if (story.wish()) {
    json::Object wish;
    if (!story.wish()->choice_id.empty()) wish["choiceId"] = story.wish()->choice_id;
    wish["text"] = story.wish()->text;
    for (std::size_t part = tokens / 3; EstimateTokens(json::Write(wish)) > tokens / 2 && part > 0; part /= 2) {
      wish["text"] = BeginningOf(story.wish()->text, part);
      cut = true;
    }
    facts["wish"] = std::move(wish);
  }
  facts["relationships"] = Fitting(ToJson(story.relationships()), tokens / 8, cut);
  facts["factions"] = Fitting(ToJson(story.factions()), tokens / 8, cut);
  facts["world"] = Fitting(story.world(), tokens / 4, cut);
  if (cut) facts["cut"] = true;
  return std::string(kFacts) + json::Write(facts) + "\n";
}

}  // namespace

std::string DescribeToNarrator(const Story& story, const PlayerNames& names, std::size_t tokens) {
  const Scenario& scenario = story.scenario();
  std::string out = "You tell \"" + scenario.title + "\" to " + names[kNarrator + 1];
  for (SeatIndex seat = kNarrator + 2; seat < names.size(); ++seat) {
    out += (seat + 1 == names.size() ? " and " : ", ") + names[seat];
  }
  out += ".\n\n## How it begins\n\n" + scenario.premise + "\n\n## How to tell it\n\n" + scenario.style +
         "\n\n## What only you know\n\n" + scenario.secrets + "\n";
  AddParties("Characters", scenario.characters, story.relationships(), out);
  AddParties("Factions", scenario.factions, story.factions(), out);
  out += "\n## What has happened\n";
  const std::size_t room = tokens - std::min(tokens, EstimateTokens(out));
  std::string now = "\n## Now\n\n";
  if (story.over()) {
    now += "The story is over.\n";
  } else if (!story.wish() && !story.turns().empty()) {
    now += names[story.player()] + " chooses what to do.\n";
  } else {
    if (story.wish()) now += WishWithin(*story.wish(), names, room * 3 / 10) + "\n\n";
    const int turn = static_cast<int>(story.turns().size()) + 1;
    now += "Tell turn " + std::to_string(turn) + " of at most " + std::to_string(story.max_turns());
    if (turn == 1) {
      now += ", the opening";
    } else if (turn == story.max_turns()) {
      now += ", the last: bring the story to its end";
    } else if (turn + 3 >= story.max_turns()) {
      now += "; bring the story towards its end";
    }
    if (!story.unlike().empty()) {
      const std::string before = BeginningOf(story.unlike(), room / 5);
      now +=
          ". It was told before; tell it differently this time, with other words and another course: " + Quoted(before);
    }
    now += ". How things stand, the world with them, is in the facts.\n\n" + FactsOf(story, names, room / 2);
  }
  if (story.turns().empty()) return out + "\nNothing yet.\n" + now;
  return out + Told(story, names, room - std::min(room, EstimateTokens(now))) + now;
}

std::string DescribeToPlayer(const Story& story, const PlayerNames& names, SeatIndex player, std::size_t tokens) {
  std::string out = "You are **" + names[player] + "** in \"" + story.scenario().title + "\".\n";
  if (story.turns().empty()) out += "\n" + story.scenario().premise + "\n";
  std::string now = "\n";
  if (story.over()) {
    now += "The story is over.\n";
  } else if (story.narrating()) {
    now += names[kNarrator] + " is telling what happens.\n";
  } else if (story.player() != player) {
    now += names[story.player()] + " chooses what to do.\n";
  } else {
    now += "You may choose one of these, or say what you do in your own words:\n\n";
    const std::vector<Offer> offers = story.Offers();
    for (const Offer& offer : offers) {
      now += "- `" + offer.id + "`: " + BeginningOf(offer.label, tokens / 4 / offers.size());
      if (!offer.description.empty()) now += " (" + BeginningOf(offer.description, tokens / 4 / offers.size()) + ")";
      now += "\n";
    }
  }
  const std::size_t used = EstimateTokens(out) + EstimateTokens(now);
  return out + Told(story, names, tokens - std::min(tokens, used)) + now;
}

}  // namespace openseat::games::narrative
