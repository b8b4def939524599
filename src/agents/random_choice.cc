#include "agents/random_choice.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "schema/generate/generate.h"

namespace openseat {
namespace {

// Games' names for giving up. A random player would do it within a few choices.
constexpr std::string_view kGivingUp = "concede";

// Per choice: how many actions are tried if no data can be generated for those before.
constexpr std::size_t kMaxTried = 16;
constexpr std::uint64_t kLeastSteps = 5'000;
// Per choice: how often something is drawn that was refused before. Enough to find the last of 20 values.
constexpr int kMaxDraws = 64;
constexpr std::size_t kMaxRefused = 1'000;

std::size_t HashOf(const Choice& choice) {
  std::string text = choice.action + '\n';
  if (choice.raw) {
    text += *choice.raw;
  } else if (!choice.data.is_null()) {
    json::Write(choice.data, text);
  }
  return std::hash<std::string_view>()(text);
}

}  // namespace

Result<Choice> RandomChoice::Pick(const ActionSet& actions, bool says_examples) {
  std::uint64_t steps = schema::kCallSteps;
  const double examples = says_examples && refused_.empty() ? 1 : schema::GenerateOptions().examples;
  Result<Choice> choice = Draw(actions, examples, steps);
  if (refused_.empty()) return choice;
  for (int i = 1; i < kMaxDraws && choice && refused_.contains(HashOf(*choice)); ++i)
    choice = Draw(actions, examples, steps);
  // If all of it was refused, the game may think otherwise by now.
  if (choice && refused_.contains(HashOf(*choice))) Forget();
  return choice;
}

// One of the actions, starting at a random one, for which data can be generated.
Result<Choice> RandomChoice::Draw(const ActionSet& actions, double examples, std::uint64_t& steps) {
  const std::size_t count = actions.size();
  if (count == 0) return Fail(ErrorCode::kNoSuchAction, "there is no action to choose");
  const std::size_t start = rng_.Below(count);
  Error last{ErrorCode::kSchema, {}, {}};
  for (std::size_t i = 0; i < std::min(count, kMaxTried); ++i) {
    const Action& action = *actions.all()[(start + i) % count];
    if (action.name == kGivingUp && count > 1) continue;
    Choice choice;
    choice.action = action.name;
    if (action.compiled()) {
      // An action that takes too much leaves something for the others.
      schema::Budget budget(std::max(steps / 2, kLeastSteps));
      const std::uint64_t granted = budget.granted();
      Result<json::Value> data = schema::Generate(*action.compiled(), rng_, {.examples = examples, .budget = &budget});
      steps -= std::min(steps, data ? granted - budget.left() : granted);
      if (!data) {
        last = std::move(data).error();
        continue;
      }
      choice.data = std::move(*data);
    }
    return choice;
  }
  return Fail(std::move(last));
}

Choice RandomChoice::Spoil(Choice choice) {
  choice.unchecked = true;
  const std::string good = choice.data.is_null() ? "{}" : json::Write(choice.data);
  switch (rng_.Below(5)) {
    case 0:
      choice.raw = good.substr(0, good.size() / 2);
      break;
    case 1:
      choice.raw = "I would like to " + choice.action;
      break;
    case 2:
      choice.raw = "{}";
      break;
    case 3:
      choice.raw = "[" + good + "]";
      break;
    default:
      choice.action += "_please";
      break;
  }
  return choice;
}

void RandomChoice::Refuse(const Choice& choice) {
  if (refused_.size() < kMaxRefused) refused_.insert(HashOf(choice));
}

}  // namespace openseat
