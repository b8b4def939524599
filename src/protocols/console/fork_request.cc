#include "protocols/console/fork_request.h"

#include <utility>
#include <vector>

#include "base/json_members.h"
#include "base/text.h"
#include "match/past.h"
#include "match/replay.h"
#include "protocols/console/intake.h"

namespace openseat::console {
namespace {

constexpr std::size_t kMaxForkedEvents = 200'000;

}  // namespace

Result<ForkQuery> ForkQueryOf(const json::Object& body) {
  for (const char* name : {"game", "options", "seed"}) {
    if (json::Find(body, name) == nullptr) continue;
    return Fail(ErrorCode::kInvalid, "a fork has the " + std::string(name) + " of its match: leave it out", name);
  }
  const Result<void> known = OnlyMembers(body, "a fork", {"event", "decision", "private", "terms", "seats"});
  if (!known) return Fail(known.error());
  const json::Value* event = json::Find(body, "event");
  const json::Value* decision = json::Find(body, "decision");
  if ((event == nullptr) == (decision == nullptr)) {
    return Fail(ErrorCode::kInvalid, "give either \"event\" or \"decision\"", "event");
  }
  const char* name = event != nullptr ? "event" : "decision";
  const std::optional<std::uint64_t> number = json::WholeOf(body, name);
  if (!number) {
    return Fail(ErrorCode::kInvalid,
                std::string(name) + " must be a whole number of at least 0; got " +
                    json::Excerpt(event != nullptr ? *event : *decision),
                name);
  }
  return event != nullptr ? ForkQuery{.event = number} : ForkQuery{.decision = number};
}

Result<MatchSpec> ReadFork(Journal& journal, const FindGame& find_game, const TableId& id, const ForkQuery& query) {
  const Result<TableRecord> record = journal.Find(id);
  if (!record) return Fail(record.error());
  const std::optional<std::string> hosted = HostedGameOf(record->opened_payload);
  const Game* game = hosted ? find_game(*hosted) : nullptr;
  if (game == nullptr) {
    return Fail(ErrorCode::kUnsupported, "only a match whose rules run here can be gone on with", "id");
  }
  const Result<std::vector<StoredEvent>> events = ReadPast(journal, id, kMaxForkedEvents);
  if (!events) return Fail(events.error());
  if (query.event) return ForkAfter(id, *game, *events, *query.event);
  const Result<PastDecision> decision = FindDecision(id, *game, *events, *query.decision);
  if (!decision) return Fail(decision.error());
  return ForkAfter(id, *game, *events, decision->fork_event());
}

}  // namespace openseat::console
