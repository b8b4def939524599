#include "protocols/mcp/choice_memory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "protocols/mcp/message.h"

namespace openseat::mcp {
namespace {

constexpr std::size_t kMaxRememberedName = 200;

// The id of a choice, which models also write as a number.
std::optional<std::string> IdOf(const json::Object& arguments) {
  const json::Value* id = json::Find(arguments, "choice");
  if (id == nullptr) return std::nullopt;
  return id->is_string() ? std::string(json::View(id->get_string())) : json::Write(*id);
}

}  // namespace

Result<ChoiceMemory::Meant> ChoiceMemory::Resolve(const std::string& token, const json::Object& arguments,
                                                  const Presentation& shown, const SeatView& view) {
  const std::string decision = *FindText(arguments, "decision");
  const std::optional<std::string> id = IdOf(arguments);
  const std::optional<std::string> action = FindText(arguments, "action");
  const json::Value* data = json::Find(arguments, "data");
  if (id.has_value() == action.has_value()) {
    return Fail(ErrorCode::kInvalid,
                "Give either choice, the id of a choice, or action, an action's name with its data.");
  }
  const std::string digest = Sha256Hex(id ? "#" + *id : *action + "\n" + (data == nullptr ? "" : json::Write(*data)));
  if (decision != shown.decision()) {
    const Remembered* known = by_token_.Find(token);
    if (known != nullptr && known->decision == decision && known->digest == digest) {
      return Meant{.choice = {.action = known->action}, .repeats = known->id};
    }
    return Fail(ErrorCode::kNotYourTurn,
                "The decision " + Quote(decision) + " is not the one that is open now" +
                    (shown.decision().empty() ? ": none is." : ": that is " + Quote(shown.decision()) + "."));
  }
  Choice choice;
  if (const Decision* asked = AskedOf(view)) choice.decision = asked->id;
  if (id) {
    const auto found = std::ranges::find(shown.options(), *id, &Option::id);
    if (found == shown.options().end()) {
      return Fail(ErrorCode::kNoSuchAction, "The decision has no choice " + Quote(*id) + ".");
    }
    choice.action = found->action;
    choice.data = found->data;
  } else {
    choice.action = *action;
    if (data != nullptr) choice.data = *data;
    // Models write JSON into strings where any JSON is expected.
    if (data != nullptr && data->is_string()) {
      if (Result<json::Value> parsed = json::Parse(json::View(data->get_string()), json::kInnerLimits);
          parsed && parsed->is_object()) {
        choice.data = std::move(*parsed);
      }
    }
  }
  if (choice.decision)
    by_token_.At(token) = {decision, *choice.decision, digest, CleanText(choice.action, kMaxRememberedName)};
  return Meant{std::move(choice), std::nullopt};
}

}  // namespace openseat::mcp
