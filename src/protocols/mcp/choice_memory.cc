#include "protocols/mcp/choice_memory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocols/mcp/message.h"

namespace openseat::mcp {

void ChoiceMemory::Remember(const std::string& token, std::string decision, std::string choice, Choice what) {
  if (const auto found = by_token_.find(token); found != by_token_.end()) {
    ages_.erase(found->second.age);
    by_token_.erase(found);
  }
  if (by_token_.size() >= kMaxRemembered) {
    by_token_.erase(ages_.front());
    ages_.pop_front();
  }
  const auto age = ages_.insert(ages_.end(), token);
  by_token_[token] = {std::move(decision), std::move(choice), std::move(what), age};
}

Result<Choice> ChoiceMemory::Resolve(const std::string& token, const json::Object& arguments, const Presentation& shown,
                                     const SeatView& view) {
  const std::string decision = *FindText(arguments, "decision");
  const std::optional<std::string> id = FindText(arguments, "choice");
  const std::optional<std::string> action = FindText(arguments, "action");
  const json::Value* data = json::Find(arguments, "data");
  if (id.has_value() == action.has_value()) {
    return Fail(ErrorCode::kInvalid,
                "Give either choice, the id of a choice, or action, an action's name with its data.");
  }
  const std::string key = id ? "#" + *id : *action + "\n" + (data == nullptr ? "" : json::Write(*data));
  if (decision != shown.decision()) {
    const auto known = by_token_.find(token);
    if (known != by_token_.end() && known->second.decision == decision && known->second.choice == key) {
      return known->second.what;
    }
    return Fail(ErrorCode::kNotYourTurn,
                "The decision \"" + decision + "\" is not the one that is open now" +
                    (shown.decision().empty() ? ": none is." : ": that is \"" + shown.decision() + "\"."));
  }
  Choice choice;
  if (const Decision* asked = AskedOf(view)) choice.decision = asked->id;
  if (id) {
    const auto found = std::ranges::find(shown.options(), *id, &Option::id);
    if (found == shown.options().end()) {
      return Fail(ErrorCode::kNoSuchAction, "The decision has no choice \"" + *id + "\".");
    }
    choice.action = found->action;
    choice.data = found->data;
  } else {
    choice.action = *action;
    if (data != nullptr) choice.data = *data;
    // Models write JSON into strings where any JSON is expected.
    if (data != nullptr && data->is_string()) {
      if (Result<json::Value> parsed = json::Parse(json::View(data->get_string())); parsed && parsed->is_object()) {
        choice.data = std::move(*parsed);
      }
    }
  }
  Remember(token, decision, key, choice);
  return choice;
}

}  // namespace openseat::mcp
