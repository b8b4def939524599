#include "core/sight.h"

#include <utility>

#include "base/check.h"

namespace openseat {

Sight::Sight(const Game& game, std::shared_ptr<const GameState> state, SeatIndex seat)
    : game_(&game), state_(std::move(state)), seat_(seat) {
  OPENSEAT_CHECK(state_ && seat_ < state_->names().size(), "a sight is of a seat of a state");
}

Sight::Sight(std::string text) : text_(std::move(text)) {}

const std::shared_ptr<const Sight>& Sight::None() {
  static const auto none = std::make_shared<const Sight>(std::string());
  return none;
}

const std::string& Sight::text() const {
  if (state_) std::call_once(text_made_, [this] { text_ = state_->Describe(seat_); });
  return text_;
}

std::string Sight::TextWithin(std::size_t tokens) const {
  return state_ ? state_->DescribeWithin(seat_, tokens) : std::string();
}

const json::Value& Sight::observation() const {
  if (state_) std::call_once(observation_made_, [this] { observation_ = state_->Observe(Viewer::Seat(seat_)); });
  return observation_;
}

const std::vector<LegalChoice>& Sight::choices() const {
  if (state_) std::call_once(choices_made_, [this] { choices_ = ChoicesOf(*state_, seat_); });
  return choices_;
}

}  // namespace openseat
