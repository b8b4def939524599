#include "core/sight.h"

#include <utility>

#include "base/check.h"

namespace openseat {
namespace {

constexpr std::size_t kSmall = 160;  // bytes of text

}  // namespace

Sight::Sight(const Game& game, std::shared_ptr<const GameState> state, Viewer viewer, std::shared_ptr<const Sight> same)
    : game_(&game), state_(std::move(state)), viewer_(viewer), same_(std::move(same)) {
  OPENSEAT_CHECK(state_ && (!viewer_.seat() || *viewer_.seat() < state_->names().size()), "a sight is of a state");
}

Sight::Sight(std::string text) {
  text_.Get([&text] { return std::move(text); });
}

const std::shared_ptr<const Sight>& Sight::None() {
  static const auto none = std::make_shared<const Sight>(std::string());
  return none;
}

const std::string& Sight::text() const {
  return text_.Get([this] { return state_ && viewer_.seat() ? state_->Describe(*viewer_.seat()) : std::string(); });
}

std::string Sight::TextWithin(std::size_t tokens) const {
  return state_ && viewer_.seat() ? state_->DescribeWithin(*viewer_.seat(), tokens) : std::string();
}

const json::Value& Sight::observation() const {
  if (same_) return same_->observation();
  return observation_.Get([this] { return Observe(); });
}

const std::string& Sight::observation_text() const {
  if (same_) return same_->observation_text();
  return observation_text_.Get([this] {
    if (game_ == nullptr || game_->info().hides) return json::Write(observation());
    json::Value observed = Observe();
    std::string text = json::Write(observed);
    // A small value that nobody may ever read is not kept: freeing it later, out of a cold cache, costs more than to
    // make it again.
    if (text.size() > kSmall) observation_.Get([&observed] { return std::move(observed); });
    return text;
  });
}

json::Value Sight::Observe() const {
  return state_ ? state_->Observe(viewer_) : json::Value(nullptr);
}

std::string Sight::View() const {
  return state_ ? state_->View(viewer_) : std::string();
}

std::vector<std::string> Sight::Log() const {
  return state_ ? state_->Log(viewer_) : std::vector<std::string>();
}

std::vector<std::string> Sight::News(const Sight& before) const {
  if (!state_ || !before.state_) return Log();
  return state_->News(*before.state_, viewer_);
}

const std::vector<LegalChoice>& Sight::choices() const {
  return choices_.Get(
      [this] { return state_ && viewer_.seat() ? OfferedTo(*state_, *viewer_.seat()) : std::vector<LegalChoice>(); });
}

std::vector<Move> Sight::Moves() const {
  if (!state_ || !viewer_.seat()) return {};
  std::vector<Move> moves(state_->Moves(*viewer_.seat(), {}));
  state_->Moves(*viewer_.seat(), moves);
  return moves;
}

PlayedChoice Sight::ChoiceOf(Move move) const {
  return state_->ToChoice(*viewer_.seat(), move);
}

std::unique_ptr<GameState> Sight::Sample(Rng& rng) const {
  return state_ && viewer_.seat() ? state_->Sample(*viewer_.seat(), rng) : nullptr;
}

std::vector<ActionSpec> Sight::Actions() const {
  if (!state_ || !viewer_.seat()) return {};
  std::vector<ActionSpec> actions = state_->Actions(*viewer_.seat());
  std::erase_if(actions, [](const ActionSpec& action) { return action.any_time; });
  return actions;
}

}  // namespace openseat
