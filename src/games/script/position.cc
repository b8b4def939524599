#include "games/script/position.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/text.h"
#include "core/game_base.h"

namespace openseat::games {
namespace {

constexpr std::size_t kMostChoices = 10'000;  // of one seat
constexpr std::size_t kMostNewLines = 50;
constexpr std::size_t kMostLineBytes = 1000;
constexpr std::size_t kMostTextBytes = 200;  // of a label or a reason

tl::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

// One line, not too long.
std::string OneLine(std::string_view text, std::size_t most) {
  std::string line = Ellipsize(text, most);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

const json::Array* ListIn(const json::Value& object, std::string_view name) {
  const json::Value* list = json::Find(object, name);
  return list == nullptr ? nullptr : list->if_array();
}

Result<SeatSet> SeatsOf(const json::Array& list, std::size_t seats, const std::string& what) {
  SeatSet set;
  for (const json::Value& value : list) {
    const auto seat = IntegerOf(value);
    if (!seat || *seat < 0 || *seat >= static_cast<std::int64_t>(seats)) {
      return Bad(what + " must be seats from 0 to " + std::to_string(seats - 1) + "; got " + json::Excerpt(value));
    }
    set.Insert(static_cast<SeatIndex>(*seat));
  }
  return set;
}

Result<Outcome> ReadOutcome(const json::Value& given, std::size_t seats) {
  Outcome outcome;
  const json::Array* winners = ListIn(given, "winners");
  if (winners == nullptr) return Bad("outcome(state) must have the list winners");
  const Result<SeatSet> won = SeatsOf(*winners, seats, "outcome(state).winners");
  if (!won) return Fail(won.error());
  outcome.winners = *won;
  outcome.reason = OneLine(json::TextOf(given, "reason"), kMostTextBytes);
  if (outcome.reason.empty()) return Bad("outcome(state).reason must say why the game is over (\"three in a row\")");
  const json::Value* scores = json::Find(given, "scores");
  for (SeatIndex seat = 0; seat < seats; ++seat) {
    if (scores == nullptr) {
      outcome.scores.push_back(won->empty() ? 0.5 : won->Contains(seat) ? 1 : 0);
      continue;
    }
    const json::Array* list = scores->if_array();
    if (list == nullptr || list->size() != seats || !(*list)[seat].is_number()) {
      return Bad("outcome(state).scores must be a list of " + std::to_string(seats) + " numbers; got " +
                 json::Excerpt(*scores));
    }
    outcome.scores.push_back((*list)[seat].to_number<double>());
  }
  const double best = *std::ranges::max_element(outcome.scores);
  for (const SeatIndex seat : outcome.winners) {
    if (outcome.scores[seat] != best) return Bad("outcome(state): a winner must have the highest of the scores");
  }
  if (won->empty() && seats > 1 && std::ranges::count(outcome.scores, best) == 1) {
    return Bad(
        "outcome(state): nobody wins, though one of the scores is the highest: leave out scores, or name the winners");
  }
  return outcome;
}

// The schema of an action from its choices, so that exactly these are valid; with `given` data, what is free in it
// stays free.
json::Value SchemaOfChoices(const CatalogEntry& entry, const json::Value* given,
                            const std::vector<ScriptChoice>& choices) {
  if (entry.members.empty()) return {};
  std::vector<std::pair<std::string, json::Value>> members;
  std::size_t product = 1;
  bool is_free = false;
  for (const DataMember& member : entry.members) {
    if (member.values.empty() && given != nullptr) {
      const json::Value* schema = json::Find(*given, member.name);
      members.emplace_back(member.name, schema == nullptr ? member.schema : SchemaOf(*schema));
      is_free = true;
      continue;
    }
    json::Array values;
    std::set<std::string> seen;
    for (const ScriptChoice& choice : choices) {
      const json::Value& value = *json::Find(choice.choice.data, member.name);  // NumberOf found it
      if (seen.insert(json::Write(value)).second) values.push_back(value);
    }
    product *= values.size();
    members.emplace_back(member.name, json::Object{{"enum", std::move(values)}});
  }
  json::Value schema = DataSchema(members);
  if (is_free || product == choices.size()) return schema;
  json::Array all;
  for (const ScriptChoice& choice : choices) all.push_back(choice.choice.data);
  schema.get_object()["enum"] = std::move(all);
  return schema;
}

// Counts the choices' JSON in bytes before they are made: a few long values make many long choices.
Result<void> Spend(std::size_t bytes, const std::string& path, std::size_t& spent) {
  spent += bytes;
  if (spent <= kMostChoiceBytes) return {};
  return Fail(ErrorCode::kTooLarge, path + ": the choices of all seats together are at most " +
                                        std::to_string(kMostChoiceBytes >> 10) + " KB of JSON; got " +
                                        std::to_string(spent) + " bytes or more");
}

tl::unexpected<Error> FailOfMany(const std::string& path) {
  return Fail(ErrorCode::kTooLarge, path + " has more than " + std::to_string(kMostChoices) + " choices");
}

// Every combination of the members' values, the last member's differing first: as the harness makes them, in its order.
Result<json::Array> Combinations(const CatalogEntry& entry, const json::Value& data, const std::string& path,
                                 std::size_t& spent) {
  if (!data.is_object())
    return Bad(path + " must have data that is an object, or a list of objects; got " + json::Excerpt(data));
  std::vector<std::pair<boost::json::string_view, std::vector<json::Value>>> members;
  std::size_t count = 1;
  for (const auto& member : data.get_object()) {
    const std::vector<json::Value>& values = members.emplace_back(member.key(), LegalValuesOf(member.value())).second;
    count *= values.size();
    if (count == 0) {
      return Bad(path + " offers " + entry.name + " without a legal value of " + std::string(json::KeyOf(member)));
    }
    if (count > kMostChoices) return FailOfMany(path);
  }
  std::size_t bytes = count * (entry.name.size() + 2);
  for (const auto& [name, values] : members) {
    bytes += count * (name.size() + 4);
    for (const json::Value& value : values) bytes += count / values.size() * json::Write(value).size();
  }
  if (auto may = Spend(bytes, path, spent); !may) return Fail(may.error());
  json::Array all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    json::Object choice;
    std::size_t stride = count;
    for (const auto& [name, values] : members) {
      stride /= values.size();
      choice[name] = values[i / stride % values.size()];
    }
    all.push_back(std::move(choice));
  }
  return all;
}

// Of each member, the places of the legal values among those that info.actions lists.
using Places = std::vector<std::vector<std::size_t>>;

// "places" of an action: of each member, how many values are legal and the place of each, or {"values"}. Of values that
// are not listed, the place is beyond the others.
Result<Places> ReadPlaces(const CatalogEntry& entry, const json::Array& given) {
  Places places;
  if (given.size() != entry.members.size()) return Bad("actions: an action has other members than in info.actions");
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::vector<std::size_t>& read = places.emplace_back();
    if (const json::Array* values = ListIn(given[i], "values"); values != nullptr && !values->empty()) {
      for (const json::Value& value : *values) {
        const auto found = entry.members[i].places.find(json::Write(value));
        read.push_back(found == entry.members[i].places.end() ? entry.members[i].values.size() : found->second);
      }
      continue;
    }
    const json::Array* list = given[i].if_array();
    if (list == nullptr || list->size() < 2 ||
        IntegerOf(list->front()) != static_cast<std::int64_t>(list->size()) - 1) {
      return Bad("actions: a member has no list of values");
    }
    for (std::size_t j = 1; j < list->size(); ++j) {
      const auto place = IntegerOf((*list)[j]);
      if (!place || *place < 0 || *place >= static_cast<std::int64_t>(entry.members[i].values.size())) {
        return Bad("actions: a member has a value that is not in info.actions");
      }
      read.push_back(static_cast<std::size_t>(*place));
    }
  }
  return places;
}

// The choices of an action that counts, by their numbers only, in the order of Combinations.
Result<std::vector<ScriptChoice>> Numbered(const CatalogEntry& entry, const Places& places, const std::string& path,
                                           std::size_t& spent) {
  std::size_t count = 1;
  for (const std::vector<std::size_t>& values : places) {
    count *= values.size();
    if (count > kMostChoices) return FailOfMany(path);
  }
  std::size_t bytes = count * (entry.name.size() + 2);
  std::vector<Move> numbers{0};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const DataMember& member = entry.members[i];
    bytes += count * (member.name.size() + 4);
    std::vector<Move> longer;
    longer.reserve(count);
    for (const Move number : numbers) {
      for (const std::size_t place : places[i]) {
        longer.push_back(static_cast<Move>(number * member.values.size() + place));
      }
    }
    for (const std::size_t place : places[i]) bytes += count / places[i].size() * member.bytes[place];
    numbers = std::move(longer);
  }
  if (auto may = Spend(bytes, path, spent); !may) return Fail(may.error());
  std::vector<ScriptChoice> choices;
  choices.reserve(count);
  for (const Move number : numbers) choices.push_back({.move = *entry.first_move + number, .choice = {}, .label = {}});
  return choices;
}

// What the numbers do not say: there are too many, or a value is not listed.
bool IsNumbered(const CatalogEntry& entry, const Places& places) {
  if (!entry.first_move) return false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (std::ranges::max(places[i]) >= entry.members[i].values.size()) return false;
  }
  return true;
}
json::Object DataOf(const CatalogEntry& entry, const Places& places, const json::Array& given) {
  json::Object data;
  for (std::size_t i = 0; i < places.size(); ++i) {
    json::Array values;
    for (std::size_t j = 0; j < places[i].size(); ++j) {
      const json::Array* said = ListIn(given[i], "values");
      values.push_back(said == nullptr ? entry.members[i].values[places[i][j]] : (*said)[j]);
    }
    data[entry.members[i].name] = std::move(values);
  }
  return data;
}

// Adds the choices of an action that the seat has not been offered yet.
Result<void> Offer(const CatalogEntry& entry, std::vector<ScriptChoice> choices, const std::string& path,
                   std::vector<const CatalogEntry*>& offered, SeatChoices& seat) {
  if (std::ranges::find(offered, &entry) != offered.end()) {
    return Bad(path + " lists \"" + entry.name + "\" twice: give it once, with all the values of its data");
  }
  offered.push_back(&entry);
  if (seat.choices.size() + choices.size() > kMostChoices) return FailOfMany(path);
  std::ranges::move(choices, std::back_inserter(seat.choices));
  return {};
}

// REQUIRES data that the catalog does not have.
std::string WhyUnlisted(const CatalogEntry& entry, const json::Value& data) {
  const std::string listed = "info.actions." + entry.name + ".data";
  if (entry.members.empty()) return ", but there is no " + listed + ": list there every value that a member can have";
  for (const DataMember& member : entry.members) {
    if (json::Find(data, member.name) == nullptr) return ": its data lacks the legal values of " + member.name;
  }
  return ", but " + listed + " does not list it";
}

// "actions[i]" of the harness: {"name", "description"?, "data"?, "choices"?, "labels"?}; nothing is offered without
// choices. Without "choices", all combinations of the data are legal; without "data", exactly the choices are. Or, in a
// brief position, {"at", "places"}: the action's place in info.actions, and those of its legal values.
Result<void> ReadAction(const ScriptInfo& info, const json::Value& given, bool is_brief,
                        std::vector<const CatalogEntry*>& offered, SeatChoices& seat, std::size_t& spent) {
  const std::string path = "actions(state, " + std::to_string(seat.seat) + ")";
  const CatalogEntry* entry = info.Find(json::TextOf(given, "name"));
  const json::Value* data = json::Find(given, "data");
  json::Value named;
  if (const json::Array* list = ListIn(given, "places")) {
    const json::Value* place = json::Find(given, "at");
    const std::int64_t at = place == nullptr ? -1 : IntegerOf(*place).value_or(-1);
    if (at < 0 || at >= static_cast<std::int64_t>(info.catalog.size())) return Bad("actions: an action has no place");
    entry = &info.catalog[static_cast<std::size_t>(at)];
    const auto places = ReadPlaces(*entry, *list);
    if (!places) return Fail(places.error());
    if (IsNumbered(*entry, *places)) {
      Result<std::vector<ScriptChoice>> choices = Numbered(*entry, *places, path, spent);
      if (!choices) return Fail(choices.error());
      return Offer(*entry, *std::move(choices), path, offered, seat);
    }
    named = DataOf(*entry, *places, *list);
    data = &named;
  }
  if (entry == nullptr) return Bad("actions: an action is not in info.actions");
  json::Array combined;
  const json::Array* choices = ListIn(given, "choices");
  if (choices == nullptr && data == nullptr) return Bad(path + " must have data or choices");
  if (choices == nullptr) {
    Result<json::Array> all = Combinations(*entry, *data, path, spent);
    if (!all) return Fail(all.error());
    combined = *std::move(all);
    choices = &combined;
  } else {
    std::size_t bytes = choices->size() * entry->name.size();
    for (const json::Value& choice : *choices) bytes += json::Write(choice).size();
    if (auto may = Spend(bytes, path, spent); !may) return may;
  }
  if (choices->empty()) return {};
  const json::Array* labels = ListIn(given, "labels");
  if (labels != nullptr && labels->size() != choices->size()) {
    return Bad(path + " must have as many labels as choices; got " + std::to_string(labels->size()) + " for " +
               std::to_string(choices->size()));
  }
  std::vector<ScriptChoice> read;
  for (std::size_t i = 0; i < choices->size(); ++i) {
    const json::Value& choice = (*choices)[i];
    const std::optional<Move> number = NumberOf(*entry, choice);
    if (!number)
      return Bad(path + " offers " + entry->name + " " + json::Excerpt(choice) + WhyUnlisted(*entry, choice));
    std::string label;
    if (labels != nullptr && (*labels)[i].is_string()) {
      label = LabelOf(json::View((*labels)[i].get_string()));
    }
    read.push_back({*number, {entry->name, choice}, std::move(label)});
  }
  if (!is_brief) {
    const std::string description(json::TextOf(given, "description"));
    seat.actions.push_back({.name = entry->name,
                            .description = description.empty() ? entry->description : description,
                            .schema = SchemaOfChoices(*entry, data, read)});
  }
  return Offer(*entry, std::move(read), path, offered, seat);
}

Result<SeatChoices> ReadChoices(const ScriptInfo& info, const json::Value& list, SeatIndex index, bool is_brief,
                                std::size_t& spent) {
  SeatChoices seat{index, {}, {}};
  if (!list.is_array()) return Bad("actions must be a list");
  std::vector<const CatalogEntry*> offered;
  for (const json::Value& given : list.get_array()) {
    if (auto read = ReadAction(info, given, is_brief, offered, seat, spent); !read) return Fail(read.error());
  }
  if (seat.choices.empty()) {
    return Bad("actions(state, " + std::to_string(index) + ") offers nothing, but awaited(state) waits for seat " +
               std::to_string(index));
  }
  std::ranges::stable_sort(seat.choices, {}, &ScriptChoice::move);
  // Only digests can be equal, or data that is listed twice.
  for (std::size_t i = 1; i < seat.choices.size(); ++i) {
    ScriptChoice& choice = seat.choices[i];
    const ScriptChoice& before = seat.choices[i - 1];
    if (choice.move > before.move) continue;
    const PlayedChoice one = ChoiceOf(info, choice);
    const PlayedChoice other = ChoiceOf(info, before);
    if (one.action == other.action && one.data == other.data) {
      return Bad("actions(state, " + std::to_string(index) + ") offers " + one.action + " " + json::Excerpt(one.data) +
                 " twice");
    }
    if (before.move == std::numeric_limits<Move>::max()) {
      return Bad("actions(state, " + std::to_string(index) + ") offers too much that has the same digest; change " +
                 one.action + " " + json::Excerpt(one.data));
    }
    choice.move = before.move + 1;
  }
  return seat;
}

Result<void> ReadTurn(const ScriptInfo& info, const json::Value& answer, std::size_t seats, Position& position) {
  const json::Array* awaited = ListIn(answer, "awaited");
  const json::Array* actions = ListIn(answer, "actions");
  if (awaited == nullptr || actions == nullptr || awaited->size() != actions->size()) {
    return Bad("awaited(state) and actions(state, seat) must return lists");
  }
  const Result<SeatSet> set = SeatsOf(*awaited, seats, "awaited(state)");
  if (!set) return Fail(set.error());
  if (set->size() != awaited->size()) return Bad("awaited(state) lists a seat twice");
  position.awaited = *set;
  std::size_t spent = 0;  // bytes of all choices
  for (std::size_t i = 0; i < awaited->size(); ++i) {
    const auto index = static_cast<SeatIndex>(*IntegerOf((*awaited)[i]));
    Result<SeatChoices> seat = ReadChoices(info, (*actions)[i], index, position.later != nullptr, spent);
    if (!seat) return Fail(seat.error());
    position.choices.push_back(*std::move(seat));
  }
  const json::Value* outcome = json::Find(answer, "outcome");
  if (outcome != nullptr && !outcome->is_null()) {
    Result<Outcome> read = ReadOutcome(*outcome, seats);
    if (!read) return Fail(read.error());
    position.outcome = *std::move(read);
  }
  if (position.outcome.has_value() != position.awaited.empty()) {
    return Bad("awaited(state) must be empty exactly when outcome(state) is not null");
  }
  return {};
}

}  // namespace

void ScriptLog::Add(LogLine line) {
  lines.push_back(std::move(line));
  if (lines.size() <= kMostLines) return;
  const std::size_t old = kMostLines / 3;
  lines.erase(lines.begin(), lines.begin() + old);
  dropped += old;
}

PlayedChoice ChoiceOf(const ScriptInfo& info, const ScriptChoice& choice) {
  return choice.choice.action.empty() ? ChoiceOf(info, choice.move) : choice.choice;
}

const SeatChoices* Position::Of(SeatIndex seat) const {
  const auto found = std::ranges::find(choices, seat, &SeatChoices::seat);
  return found == choices.end() ? nullptr : &*found;
}

Result<Position> ReadPosition(const ScriptInfo& info, const json::Value& answer, std::size_t seats,
                              const Position::Words& random) {
  Position position;
  const json::Value* state = json::Find(answer, "state");
  if (state == nullptr) return Bad("the script returned no state");
  position.state = *state;
  position.state_text = json::Write(*state);
  if (position.state_text.size() > kMostStateBytes) {
    return Fail(ErrorCode::kTooLarge, "a state is at most " + std::to_string(kMostStateBytes >> 10) +
                                          " KB of JSON; this one has " + std::to_string(position.state_text.size()) +
                                          " bytes");
  }
  position.random = WordsOf(json::Find(answer, "random")).value_or(random);
  position.viewers = info.game.hides ? seats + 1 : 1;
  position.views = std::make_shared<ScriptViews>(position.viewers);
  const json::Value* seen_by_all = json::Find(answer, "observed");
  if (seen_by_all == nullptr) position.later = std::make_shared<Lazy<Position>>();
  if (auto turn = ReadTurn(info, answer, seats, position); !turn) return Fail(turn.error());
  if (seen_by_all == nullptr) return position;
  const json::Array* observed = seen_by_all->if_array();
  if (observed == nullptr || observed->size() != position.viewers) {
    return Bad("observe(state, viewer) must return objects");
  }
  for (const json::Value& seen : *observed) {
    if (!seen.is_object()) return Bad("observe(state, viewer) must return an object; got " + json::Excerpt(seen));
    position.observed.push_back(seen);
  }
  if (const json::Array* described = ListIn(answer, "described")) {
    if (described->size() != seats) return Bad("describe(state, viewer) must return texts");
    for (const json::Value& text : *described) {
      if (!text.is_string() || text.get_string().empty()) return Bad("describe(state, viewer) must return a text");
      position.described.emplace_back(json::View(text.get_string()));
    }
  }
  return position;
}

Result<void> ReadLog(const json::Value& lines, std::size_t seats, ScriptLog& log) {
  if (!lines.is_array()) return Bad("the log of apply must be a list");
  if (lines.get_array().size() > kMostNewLines) {
    return Fail(ErrorCode::kTooLarge, "the log of one choice has at most " + std::to_string(kMostNewLines) +
                                          " lines; got " + std::to_string(lines.get_array().size()));
  }
  for (const json::Value& given : lines.get_array()) {
    const std::string_view text = given.is_string() ? json::View(given.get_string()) : json::TextOf(given, "text");
    LogLine line{OneLine(text, kMostLineBytes), {}};
    if (line.text.empty()) return Bad("a line of the log must be a text that is not empty");
    if (const json::Array* to = ListIn(given, "to")) {
      const Result<SeatSet> set = SeatsOf(*to, seats, "a line of the log is to");
      if (!set) return Fail(set.error());
      line.to = *set;
    }
    log.Add(std::move(line));
  }
  return {};
}

std::string LabelOf(std::string_view text) {
  return OneLine(text, kMostTextBytes);
}

std::string LineOf(std::string_view text) {
  return OneLine(text, kMostLineBytes);
}

Position::Words WordsFrom(Rng& rng) {
  Position::Words words{};
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(rng.Next() >> 32);
  words[0] |= 1;  // all zeros would stay zeros
  return words;
}

json::Array ToJson(const Position::Words& words) {
  return {words[0], words[1], words[2], words[3]};
}

std::optional<Position::Words> WordsOf(const json::Value* value) {
  if (value == nullptr || !value->is_array() || value->get_array().size() != 4) return std::nullopt;
  Position::Words words{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto word = IntegerOf(value->get_array()[i]);
    if (!word || *word < 0 || *word > 0xFFFFFFFF) return std::nullopt;
    words[i] = static_cast<std::uint32_t>(*word);
  }
  return words;
}

}  // namespace openseat::games
