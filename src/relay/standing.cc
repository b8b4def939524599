#include "relay/standing.h"

#include <algorithm>

#include "protocols/neuro/codec.h"

namespace openseat::relay {

bool KeptBytes::Set(std::size_t bytes) {
  if (payer_ == nullptr || bytes == lease_.amount()) return true;
  const std::optional<Refusal> refused = payer_->Adjust(lease_, Holding::kTableBytes, bytes);
  if (refused) refusal_ = refused;
  return !refused;
}

void Standing::Apply(const FramePtr& frame) {
  for (const Step& step : frame->steps) Apply(step, frame);
  kept_.Set(bytes());  // it may be less
}

void Standing::Apply(const Step& step, const FramePtr& frame) {
  if (!games_.contains(step.game) && games_.size() >= kMaxGames) return;
  Game& game = games_[step.game];
  switch (step.kind) {
    case Step::Kind::kStartup:
      return Begin(game, frame);
    case Step::Kind::kRegister:
      return Register(game, step, frame);
    case Step::Kind::kUnregister:
      for (const std::string& name : step.names) Forget(game, name);
      return;
    case Step::Kind::kContext:
    case Step::Kind::kForce:
    case Step::Kind::kResult:
    case Step::Kind::kOther:
      return;
  }
}

void Standing::Begin(Game& game, const FramePtr& startup) {
  while (!game.registered.empty()) DropOldest(game);
  if (game.startup) frame_bytes_ -= game.startup->bytes;
  const std::size_t needed = bytes() + startup->bytes;
  const bool fits = needed <= kMaxStandingBytes && kept_.Set(needed);
  game.startup = fits ? startup : nullptr;
  if (fits) frame_bytes_ += startup->bytes;
  complete_ = complete_ && fits;
}

void Standing::Register(Game& game, const Step& step, const FramePtr& frame) {
  for (const std::string& name : step.names) Forget(game, name);
  if (step.names.empty()) return;
  const auto registered = game.registered.insert(game.registered.end(), {.frame = frame, .step = &step});
  for (const std::string& name : step.names) {
    if (game.where.emplace(name, registered).second) ++registered->names;
  }
  names_ += registered->names;
  frame_bytes_ += frame->bytes;
  while (!game.registered.empty() && (game.registered.size() > kMaxRegistered || names_ > max_names_ ||
                                      bytes() > kMaxStandingBytes || !kept_.Set(bytes()))) {
    DropOldest(game);
    complete_ = false;
  }
}

void Standing::DropOldest(Game& game) {
  const auto oldest = game.registered.begin();
  for (const std::string& name : oldest->step->names) {
    const auto found = game.where.find(name);
    if (found != game.where.end() && found->second == oldest) game.where.erase(found);
  }
  names_ -= oldest->names;
  frame_bytes_ -= oldest->frame->bytes;
  game.registered.erase(oldest);
}

void Standing::Forget(Game& game, std::string_view name) {
  const auto found = game.where.find(name);
  if (found == game.where.end()) return;
  const auto registered = found->second;
  game.where.erase(found);
  --names_;
  if (--registered->names > 0) return;
  frame_bytes_ -= registered->frame->bytes;
  game.registered.erase(registered);
}

std::vector<FramePtr> Standing::Registration(std::optional<std::string_view> except) const {
  std::vector<FramePtr> frames;
  for (const auto& [name, game] : games_) {
    if (except && name == *except) continue;
    if (game.startup) frames.push_back(game.startup);
    std::set<std::string_view> stale_names;
    for (const Registered& each : game.registered) {
      frames.push_back(each.frame);
      for (const Step& step : each.frame->steps) {
        if (step.kind != Step::Kind::kRegister || step.game != name) continue;
        for (const std::string& said : step.names) {
          if (!game.where.contains(said)) stale_names.insert(said);
        }
      }
    }
    Step stale{.kind = Step::Kind::kUnregister, .game = name, .names = {stale_names.begin(), stale_names.end()}};
    if (stale.names.empty()) continue;
    std::string text;
    neuro::EncodeUnregister(name, stale.names, text);
    frames.push_back(MakeFrame(std::move(text), false, {std::move(stale)}));
  }
  return frames;
}

void OpenForces::Apply(const FramePtr& frame) {
  for (const Step& step : frame->steps) Apply(step, frame);
}

void OpenForces::Apply(const Step& step, const FramePtr& frame) {
  if (step.kind == Step::Kind::kForce) return Open(step, frame);
  if (step.kind == Step::Kind::kResult) return Settle(step);
  const auto force = forced_.find(step.game);
  if (force == forced_.end()) return;
  if (step.kind == Step::Kind::kUnregister) {
    for (const std::string& name : step.names) force->second.names.erase(name);
    if (force->second.names.empty()) Close(force);
  } else if (step.kind == Step::Kind::kStartup) {
    Close(force);
  }
}

void OpenForces::Open(const Step& step, const FramePtr& frame) {
  if (const auto former = forced_.find(step.game); former != forced_.end()) Close(former);
  Force force{.frame = frame, .names = {step.names.begin(), step.names.end()}, .bytes = frame->bytes};
  force.bytes += force.names.size() * kNameBytes;
  const std::size_t needed = bytes_ + force.bytes;
  if (forced_.size() >= kMaxGames || needed > kMaxForceBytes || !kept_.Set(needed)) {
    complete_ = false;
    return;
  }
  bytes_ = needed;
  forced_.emplace(step.game, std::move(force));
}

void OpenForces::Close(Forced::iterator force) {
  bytes_ -= force->second.bytes;
  kept_.Set(bytes_);  // less
  forced_.erase(force);
}

void OpenForces::OnAction(std::string id, std::string name) {
  if (id.size() + name.size() > kMaxActionBytes) return;
  actions_.emplace_back(std::move(id), std::move(name));
  if (actions_.size() > kRememberedActions) actions_.pop_front();
}

void OpenForces::Settle(const Step& result) {
  const auto action = std::ranges::find(actions_, result.id, &std::pair<std::string, std::string>::first);
  if (action == actions_.end()) return;
  const auto force = forced_.find(result.game);
  if (result.success && force != forced_.end() && force->second.names.contains(action->second)) Close(force);
  actions_.erase(action);
}

std::vector<FramePtr> OpenForces::Forces() const {
  std::vector<FramePtr> frames;
  for (const auto& [name, force] : forced_) frames.push_back(force.frame);
  return frames;
}

}  // namespace openseat::relay
