// What a remote table notes of a game that is played by a server elsewhere (src/relay).
#include <algorithm>
#include <utility>

#include "protocols/neuro/codec.h"
#include "protocols/neuro/remote_table.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kRememberedRelayed = 64;  // actions whose results are expected
constexpr std::uint64_t kMirrorSteps = 20'000;  // of a check whether an action's data fits

}  // namespace

void RemoteTable::Note(const std::string& text) {
  std::string payload = "{\"text\":";
  json::WriteString(text, payload);
  payload += '}';
  transcript_.Add(EventKind::kNote, std::move(payload));
}

void RemoteTable::Relayed(std::string_view message) {
  if (checking_ || !waiting_.empty()) [[unlikely]]
    return Wait(message, {}, false, true);
  RelayedNow(message);
}

void RemoteTable::RelayedNow(std::string_view message) {
  message_seq_ = transcript_.Add(EventKind::kSent, std::string(message));
  message_ = message;
  const Result<ServerMessage> decoded = DecodeServer(message);
  if (decoded) {
    if (const auto* action = std::get_if<ActionMessage>(&*decoded)) Mirror(*action);
  }
  message_ = {};
  message_seq_ = 0;
}

// The seat shows the action as a choice that awaits its result. While an earlier one does, only its id is remembered.
void RemoteTable::Mirror(const ActionMessage& message) {
  practice_.Sent(message.id, message.name);
  Choice choice{.action = message.name, .unchecked = true, .by = std::string(kRelayName)};
  if (message.data) {
    Result<json::Value> data = json::Parse(*message.data, json::kInnerLimits);
    if (data) {
      choice.data = std::move(*data);
    } else {
      choice.raw = *message.data;
    }
  }
  const ActionPtr action = seat_.actions().Find(message.name);
  schema::Budget budget(kMirrorSteps);
  if (!action) {
    Report(Diagnostic::kAgentInvalid, "the upstream chose " + NameInShort(message.name) + ", which is not registered");
  } else if (choice.raw ||
             (action->compiled() && !action->compiled()->IsValid(choice.data, budget) && !budget.exhausted())) {
    Report(Diagnostic::kAgentInvalid,
           "the upstream's data of " + NameInShort(message.name) + " does not fit the action's schema");
  }
  std::uint64_t number = 0;
  if (seat_.awaiting() == nullptr) {
    const Result<ChoiceId> chosen = seat_.Choose(std::move(choice));
    if (chosen) number = chosen->value();
  }
  relayed_.emplace_back(message.id, number);
  if (relayed_.size() > kRememberedRelayed) relayed_.pop_front();
}

}  // namespace openseat::neuro
