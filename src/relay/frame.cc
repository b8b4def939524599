#include "relay/frame.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "protocols/neuro/session.h"

namespace openseat::relay {
namespace {

struct StepMaker {
  Step& step;
  void operator()(const neuro::StartupMessage&) const { step.kind = Step::Kind::kStartup; }
  void operator()(const neuro::ContextMessage&) const { step.kind = Step::Kind::kContext; }
  void operator()(const neuro::RegisterMessage& message) const {
    step.kind = Step::Kind::kRegister;
    for (const neuro::ActionDefinition& action : message.actions) step.names.push_back(action.name);
  }
  void operator()(const neuro::UnregisterMessage& message) const {
    step.kind = Step::Kind::kUnregister;
    step.names = message.action_names;
  }
  void operator()(const neuro::ForceMessage& message) const {
    step.kind = Step::Kind::kForce;
    step.names = message.action_names;
  }
  void operator()(const neuro::ResultMessage& message) const {
    step.kind = Step::Kind::kResult;
    step.id = message.id;
    step.success = message.success;
  }
  void operator()(const neuro::ProposalMessage&) const {}
  void operator()(const neuro::UnknownMessage&) const {}
};

}  // namespace

FramePtr MakeFrame(std::string text, bool binary, std::vector<Step> steps) {
  std::size_t bytes = text.size();
  for (const Step& step : steps) {
    bytes += sizeof(Step) + step.game.size() + step.id.size();
    for (const std::string& name : step.names) bytes += sizeof(std::string) + name.size();
  }
  return std::make_shared<const Frame>(
      Frame{.text = std::move(text), .binary = binary, .steps = std::move(steps), .bytes = bytes});
}

std::vector<Step> StepsOf(const std::vector<neuro::Decoded>& documents, std::string_view game) {
  std::vector<Step> steps;
  for (const neuro::Decoded& decoded : documents) {
    if (!decoded.message) continue;
    Step step{.game = neuro::CutName(decoded.message->game.empty() ? game : std::string_view(decoded.message->game))};
    std::visit(StepMaker{step}, decoded.message->body);
    steps.push_back(std::move(step));
  }
  return steps;
}

bool IsOnlyContext(const Frame& frame) {
  return !frame.steps.empty() &&
         std::ranges::all_of(frame.steps, [](const Step& step) { return step.kind == Step::Kind::kContext; });
}

bool BeginsWithStartup(const Frame& frame) {
  return !frame.steps.empty() && frame.steps.front().kind == Step::Kind::kStartup;
}

}  // namespace openseat::relay
