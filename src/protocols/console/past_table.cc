#include "protocols/console/past_table.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json_members.h"
#include "base/text.h"
#include "base/time.h"

namespace openseat::console {
namespace {

constexpr std::size_t kPage = 5'000;
constexpr std::size_t kMaxFindings = 500;  // as at a live table
constexpr std::size_t kMaxExcerptBytes = 400;

struct Finding {
  std::string key;
  std::string severity;
  std::string message;
  Seq seq = 0;  // of the offending message
  std::uint64_t count = 0;
  Time first;
  Time last;
};

bool BeginsRun(const Event& event) {
  if (event.kind != EventKind::kNote || event.payload.find("\"run\":") == std::string::npos) return false;
  const Result<json::Value> payload = json::Parse(event.payload);
  return payload && payload->is_object() && json::Find(payload->get_object(), "run") != nullptr;
}

void Add(const Event& event, std::vector<Finding>& findings) {
  const Result<json::Value> payload = json::Parse(event.payload);
  if (!payload || !payload->is_object()) return;
  const json::Object& object = payload->get_object();
  Finding finding{.key = std::string(json::TextOf(object, "key")),
                  .severity = std::string(json::TextOf(object, "severity")),
                  .message = std::string(json::TextOf(object, "message")),
                  .seq = json::WholeOf(object, "seq").value_or(0),
                  .count = 1,
                  .first = event.time,
                  .last = event.time};
  const auto same = std::ranges::find_if(
      findings, [&](const Finding& other) { return other.key == finding.key && other.message == finding.message; });
  if (same != findings.end()) {
    ++same->count;
    same->last = event.time;
  } else if (findings.size() < kMaxFindings) {
    findings.push_back(std::move(finding));
  }
}

Result<json::Object> ToJson(Journal& journal, const AdviceOf& advice, const TableId& table, const Finding& finding) {
  json::Object object{{"key", finding.key},
                      {"severity", finding.severity},
                      {"message", finding.message},
                      {"advice", advice ? advice(finding.key) : std::string_view()},
                      {"count", finding.count},
                      {"first", FormatIso8601(finding.first)},
                      {"last", FormatIso8601(finding.last)}};
  if (finding.seq == 0) return object;
  object["seq"] = finding.seq;
  const Result<std::vector<StoredEvent>> message = journal.Read(table, finding.seq - 1, 1);
  if (!message) return Fail(message.error());
  if (!message->empty()) {
    object["excerpt"] = SanitizeUtf8(Ellipsize(message->front().event.payload, kMaxExcerptBytes));
  }
  return object;
}

}  // namespace

json::Object RecordedTable(const TableRecord& record) {
  json::Object object{{"id", record.id.str()},
                      {"status", "recorded"},
                      {"opened", FormatIso8601(record.opened)},
                      {"events", record.last_seq}};
  if (Result<json::Value> opened = json::Parse(record.opened_payload); opened && opened->is_object()) {
    for (const char* name : {"game", "kind", "protocol"}) {
      if (const json::Value* value = json::Find(*opened, name)) object[name] = *value;
    }
  }
  return object;
}

Result<json::Object> RecordedDiagnostics(Journal& journal, const AdviceOf& advice, const TableRecord& table,
                                         std::optional<Seq> since) {
  std::vector<Finding> findings;
  Seq last = since.value_or(table.last_seq > kMaxScannedEvents ? table.last_seq - kMaxScannedEvents : 0);
  bool more = true;
  for (std::size_t scanned = 0; more && scanned < kMaxScannedEvents;) {
    const Result<std::vector<StoredEvent>> events = journal.Read(table.id, last, kPage);
    if (!events) return Fail(events.error());
    for (const StoredEvent& stored : *events) {
      last = stored.seq;
      if (!since && BeginsRun(stored.event)) findings.clear();
      if (stored.event.kind == EventKind::kDiagnostic) Add(stored.event, findings);
    }
    scanned += events->size();
    more = !events->empty();
  }
  json::Array list;
  for (const Finding& finding : findings) {
    Result<json::Object> object = ToJson(journal, advice, table.id, finding);
    if (!object) return object;
    list.push_back(std::move(*object));
  }
  json::Object answer{{"diagnostics", std::move(list)}};
  if (more && last < table.last_seq) answer["next"] = last;
  return answer;
}

}  // namespace openseat::console
