#include "core/journal.h"

namespace openseat {

std::optional<std::string_view> EventKindName(EventKind kind) {
  switch (kind) {
    case EventKind::kOpened:
      return "opened";
    case EventKind::kReceived:
      return "received";
    case EventKind::kSent:
      return "sent";
    case EventKind::kDecision:
      return "decision";
    case EventKind::kChoice:
      return "choice";
    case EventKind::kVerdict:
      return "verdict";
    case EventKind::kRefusal:
      return "refusal";
    case EventKind::kDecisionEnd:
      return "decision-end";
    case EventKind::kDiagnostic:
      return "diagnostic";
    case EventKind::kLink:
      return "link";
    case EventKind::kAgent:
      return "agent";
    case EventKind::kNote:
      return "note";
    case EventKind::kModel:
      return "model";
    case EventKind::kWebhook:
      return "webhook";
    case EventKind::kJoined:
      return "joined";
    case EventKind::kHandedOver:
      return "handed-over";
    case EventKind::kPlayed:
      return "played";
    case EventKind::kEnded:
      return "ended";
    case EventKind::kGap:
      return "gap";
    case EventKind::kOffer:
      return "offer";
    case EventKind::kTakenBack:
      return "taken-back";
    case EventKind::kChat:
      return "chat";
    case EventKind::kForked:
      return "forked";
    case EventKind::kSeen:
      return "seen";
    case EventKind::kClosed:
      return "closed";
  }
  return std::nullopt;
}

}  // namespace openseat
