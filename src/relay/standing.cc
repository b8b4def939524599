#include "relay/standing.h"

#include <algorithm>
#include <iterator>

#include "protocols/neuro/codec.h"

namespace openseat::relay {

void Standing::Apply(const FramePtr& frame) {
  for (const Step& step : frame->steps) Apply(step, frame);
}

void Standing::Apply(const Step& step, const FramePtr& frame) {
  if (!games_.contains(step.game) && games_.size() >= kMaxGames) return;
  Game& game = games_[step.game];
  switch (step.kind) {
    case Step::Kind::kStartup:
      Begin(game, frame);
      break;
    case Step::Kind::kRegister:
      Register(game, step, frame);
      break;
    case Step::Kind::kUnregister:
      for (const std::string& name : step.names) {
        Forget(game, name);
        game.forced.erase(name);
      }
      if (game.forced.empty()) Keep(game.force, nullptr);
      break;
    case Step::Kind::kForce:
      Keep(game.force, frame);
      game.forced = {step.names.begin(), step.names.end()};
      break;
    case Step::Kind::kResult:
      Settle(game, step);
      break;
    case Step::Kind::kContext:
    case Step::Kind::kOther:
      break;
  }
}

void Standing::Begin(Game& game, const FramePtr& startup) {
  while (!game.registered.empty()) DropOldest(game);
  Keep(game.force, nullptr);
  game.forced.clear();
  Keep(game.startup, startup);
}

void Standing::Keep(FramePtr& place, const FramePtr& frame) {
  if (place) bytes_ -= place->text.size();
  place = frame && bytes_ + frame->text.size() <= kMaxBytes ? frame : nullptr;
  if (place) bytes_ += place->text.size();
}

void Standing::Register(Game& game, const Step& step, const FramePtr& frame) {
  for (const std::string& name : step.names) Forget(game, name);
  if (step.names.empty()) return;
  game.registered.push_back({frame, {step.names.begin(), step.names.end()}});
  for (const std::string& name : step.names) game.where[name] = std::prev(game.registered.end());
  bytes_ += frame->text.size();
  while (game.registered.size() > kMaxRegistered || (bytes_ > kMaxBytes && !game.registered.empty())) DropOldest(game);
}

void Standing::DropOldest(Game& game) {
  for (const std::string& name : game.registered.front().names) game.where.erase(name);
  bytes_ -= game.registered.front().frame->text.size();
  game.registered.pop_front();
}

void Standing::Forget(Game& game, const std::string& name) {
  const auto found = game.where.find(name);
  if (found == game.where.end()) return;
  const auto registered = found->second;
  game.where.erase(found);
  registered->names.erase(name);
  if (!registered->names.empty()) return;
  bytes_ -= registered->frame->text.size();
  game.registered.erase(registered);
}

void Standing::OnAction(std::string id, std::string name) {
  actions_.emplace_back(std::move(id), std::move(name));
  if (actions_.size() > kRememberedActions) actions_.pop_front();
}

void Standing::Settle(Game& game, const Step& result) {
  const auto action = std::ranges::find(actions_, result.id, &std::pair<std::string, std::string>::first);
  if (action == actions_.end()) return;
  if (result.success && game.forced.contains(action->second)) {
    Keep(game.force, nullptr);
    game.forced.clear();
  }
  actions_.erase(action);
}

std::vector<FramePtr> Standing::Registration(std::optional<std::string_view> except) const {
  std::vector<FramePtr> frames;
  for (const auto& [name, game] : games_) {
    if (except && name == *except) continue;
    if (game.startup) frames.push_back(game.startup);
    std::set<std::string> said;
    std::set<std::string> standing;
    for (const Registered& each : game.registered) {
      frames.push_back(each.frame);
      standing.insert(each.names.begin(), each.names.end());
      for (const Step& step : each.frame->steps) {
        if (step.kind == Step::Kind::kRegister && step.game == name) said.insert(step.names.begin(), step.names.end());
      }
    }
    Step stale{.kind = Step::Kind::kUnregister, .game = name};
    std::ranges::set_difference(said, standing, std::back_inserter(stale.names));
    if (stale.names.empty()) continue;
    std::string text;
    neuro::EncodeUnregister(name, stale.names, text);
    frames.push_back(std::make_shared<const Frame>(Frame{.text = std::move(text), .steps = {std::move(stale)}}));
  }
  return frames;
}

std::vector<FramePtr> Standing::Forces() const {
  std::vector<FramePtr> frames;
  for (const auto& [name, game] : games_) {
    if (game.force) frames.push_back(game.force);
  }
  return frames;
}

}  // namespace openseat::relay
