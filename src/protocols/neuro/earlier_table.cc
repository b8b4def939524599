#include "protocols/neuro/earlier_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_members.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kPage = 500;

bool PassesLater(const Error& error) {
  return error.code == ErrorCode::kIo || error.code == ErrorCode::kTimeout;
}

// What this event says; one that no table wrote says nothing.
void Add(const StoredEvent& stored, EarlierTable& table) {
  const EventKind kind = stored.event.kind;
  table.last_seq = stored.seq;
  if (kind != EventKind::kDecision && kind != EventKind::kChoice && kind != EventKind::kNote &&
      kind != EventKind::kHandedOver) {
    return;
  }
  const Result<json::Value> payload = json::Parse(stored.event.payload);
  if (!payload || !payload->is_object()) return;
  const json::Object& event = payload->get_object();
  const auto number = [&event](std::string_view name) { return json::WholeOf(event, name).value_or(0); };
  if (kind == EventKind::kDecision) {
    table.decision = DecisionId(std::max(table.decision.value(), number("decision")));
  } else if (kind == EventKind::kChoice) {
    table.choice = ChoiceId(std::max(table.choice.value(), number("choice")));
  } else if (kind == EventKind::kHandedOver) {
    table.agent.reset();
    const json::Object* agent = json::FindObject(event, "agent");
    if (agent != nullptr && !event.contains("default")) {
      table.agent = {std::string(json::TextOf(*agent, "kind")), *agent};
      table.agent->options.erase("kind");
    }
  } else if (const std::uint64_t run = number("run"); run > 0) {
    table.run = static_cast<int>(run);
    table.run_began = stored.event.time;
    table.run_since = stored.seq;
  }
}

}  // namespace

Result<std::optional<EarlierTable>> ReadEarlier(Journal& journal, const TableRecord& record) {
  EarlierTable table;
  table.id = record.id;
  table.opened = table.run_began = record.opened;
  bool over = false;
  for (bool more = true; more;) {
    const Result<std::vector<StoredEvent>> page = journal.Read(record.id, table.last_seq, kPage);
    if (!page && PassesLater(page.error())) return Fail(page.error());
    if (!page) return std::nullopt;  // it is damaged
    for (const StoredEvent& stored : *page) {
      if (stored.seq == 1) {
        const Result<json::Value> opened = json::Parse(stored.event.payload);
        if (!opened || json::TextOf(*opened, "protocol") != "neuro") return std::nullopt;
        table.game = json::TextOf(*opened, "game");
        table.owner = json::TextOf(*opened, "owner");
        if (table.owner.empty()) return std::nullopt;
      }
      over = over || stored.event.kind == EventKind::kClosed;
      Add(stored, table);
    }
    more = !page->empty();
  }
  if (over || table.last_seq == 0) return std::nullopt;
  return table;
}

}  // namespace openseat::neuro
