#include "games/narrative/story.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace openseat::games::narrative {
namespace {

constexpr double kMostStanding = 100;
constexpr std::string_view kEnding = "ending";

std::map<std::string, double, std::less<>> StandingsOf(const std::vector<Party>& parties) {
  std::map<std::string, double, std::less<>> standings;
  for (const Party& party : parties) standings[party.id] = party.standing;
  return standings;
}

void Add(const json::Object& narration, std::string_view member, std::map<std::string, double, std::less<>>& to) {
  const json::Value* deltas = json::Find(narration, member);
  if (deltas == nullptr) return;
  for (const auto& delta : deltas->as_object()) {
    double& standing = to[std::string(json::View(delta.key()))];
    standing = std::clamp(standing + delta.value().to_number<double>(), -kMostStanding, kMostStanding);
  }
}

}  // namespace

Story::Story(const Scenario& scenario, int version, int max_turns, SeatIndex players, std::uint64_t seed)
    : scenario_(&scenario),
      version_(version),
      max_turns_(max_turns),
      players_(players),
      seed_(seed),
      relationships_(StandingsOf(scenario.characters)),
      factions_(StandingsOf(scenario.factions)),
      world_(scenario.world) {}

SeatIndex Story::player() const {
  const std::size_t told = turns_.empty() ? 0 : turns_.size() - 1;
  return kNarrator + 1 + static_cast<SeatIndex>(told % players_);
}

std::vector<Offer> Story::Offers() const {
  std::vector<Offer> offers;
  if (over() || narrating()) return offers;
  for (const json::Value& choice : turns_.back()->narration.at("choices").as_array()) {
    Offer offer{std::string(json::TextOf(choice, "id")), std::string(json::TextOf(choice, "label")),
                std::string(json::TextOf(choice, "description"))};
    if (std::ranges::find(offers, offer.id, &Offer::id) == offers.end()) offers.push_back(std::move(offer));
  }
  return offers;
}

void Story::Tell(json::Object narration) {
  const std::size_t bytes = json::Write(narration).size();
  Take(std::make_shared<const Turn>(Turn{std::exchange(wish_, std::nullopt), std::move(narration), bytes}));
}

void Story::Take(std::shared_ptr<const Turn> turn) {
  const json::Object& narration = turn->narration;
  Add(narration, "relationshipDeltas", relationships_);
  Add(narration, "factionDeltas", factions_);
  if (const json::Value* changes = json::Find(narration, "worldStateChanges")) {
    for (const auto& change : changes->as_object()) {
      const std::string_view name = json::View(change.key());
      if (name == kEnding && change.value().is_string()) ending_ = json::View(change.value().get_string());
      if (change.value().is_null()) {
        world_.erase(change.key());
      } else {
        world_[change.key()] = change.value();
      }
    }
  }
  bytes_ += turn->bytes;
  turns_.push_back(std::move(turn));
}

std::size_t Story::KeptBytes() const {
  return json::Write(ToJson(relationships_)).size() + json::Write(ToJson(factions_)).size() +
         json::Write(world_).size();
}

void Story::Forget(SeatIndex seat, std::uint64_t seed) {
  seed_ = seed;
  if (seat != kNarrator) unlike_.clear();
  const auto marked = [seat](const std::optional<Wish>& wish) {
    return wish && wish->player != seat && !wish->ref.empty();
  };
  if (marked(wish_)) wish_->ref.clear();
  for (std::shared_ptr<const Turn>& turn : turns_) {
    if (!marked(turn->wish)) continue;
    Turn unmarked = *turn;
    unmarked.wish->ref.clear();
    turn = std::make_shared<const Turn>(std::move(unmarked));
  }
}

Story Story::After(std::size_t count) const {
  Story earlier(*scenario_, version_, max_turns_, players_, seed_);
  earlier.bounded_ = bounded_;
  for (std::size_t i = 0; i < count; ++i) earlier.Take(turns_[i]);
  return earlier;
}

bool Story::operator==(const Story& other) const {
  // Anything derived from the turns need not be compared.
  return scenario_ == other.scenario_ && version_ == other.version_ && max_turns_ == other.max_turns_ &&
         players_ == other.players_ && seed_ == other.seed_ && wish_ == other.wish_ && unlike() == other.unlike() &&
         std::ranges::equal(turns_, other.turns_, [](const auto& a, const auto& b) {
           return a == b || (a->wish == b->wish && json::Equal(a->narration, b->narration));
         });
}

json::Object SavedWish(const Wish& wish, bool with_ref) {
  json::Object saved;
  if (wish.choice_id.empty()) {
    saved["text"] = wish.text;
  } else {
    saved["choiceId"] = wish.choice_id;
  }
  if (with_ref && !wish.ref.empty()) saved["ref"] = wish.ref;
  return saved;
}

json::Object SavedTurn(const Turn& turn, bool with_ref) {
  json::Object saved{{"narration", turn.narration}};
  if (turn.wish) saved["wish"] = SavedWish(*turn.wish, with_ref);
  return saved;
}

json::Object ToJson(const std::map<std::string, double, std::less<>>& standings) {
  json::Object out;
  for (const auto& [id, standing] : standings) {
    if (std::trunc(standing) == standing) {
      out[id] = static_cast<std::int64_t>(standing);
    } else {
      out[id] = standing;
    }
  }
  return out;
}

}  // namespace openseat::games::narrative
