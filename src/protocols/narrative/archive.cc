#include "protocols/narrative/archive.h"

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "games/narrative/story.h"
#include "match/replay.h"

namespace openseat::narrative {
namespace {

using games::narrative::kNarrator;

constexpr std::size_t kPage = 1000;

Error NotFound(const TableId& id) {
  return {ErrorCode::kNotFound, "there is no story " + Quote(id.str()), "id"};
}

// The journal's record of how a turn came about, from the narrator's question on. Secrets were removed before anything
// was journaled.
class Making {
 public:
  void Add(const StoredEvent& event) {
    const EventKind kind = event.event.kind;
    // In older journals a choice has an event of its own, before the one that says that it counts.
    const bool chosen = kind == EventKind::kChoice || kind == EventKind::kPlayed;
    if (kind != EventKind::kDecision && kind != EventKind::kModel && !chosen) return;
    const Result<json::Value> payload = json::Parse(event.event.payload);
    const json::Value* seat = payload ? json::Find(*payload, "seat") : nullptr;
    if (seat == nullptr || *seat != json::Value(std::int64_t{kNarrator})) return;
    if (kind == EventKind::kDecision) {
      const json::Value* attempt = json::Find(*payload, "attempt");
      if (attempt == nullptr || *attempt != json::Value(std::int64_t{1})) return;
      *this = {};
      asked_ = event.event.time;
    } else if (chosen) {
      if (kind == EventKind::kPlayed && chosen_) return;
      chosen_ = event.event.time;
      const json::Value* data = json::Find(*payload, "data");
      if (!model_) raw_ = data == nullptr ? std::string() : json::Write(*data);
    } else if (const json::Value* text = json::Find(*payload, "text"); text != nullptr && text->is_string()) {
      model_ = true;
      raw_ = json::View(text->get_string());
      for (const char* tokens : {"tokens_in", "tokens_out"}) {
        const json::Value* count = json::Find(*payload, tokens);
        if (count != nullptr && count->is_int64()) tokens_ += count->get_int64();
      }
    }
  }

  // For the turn that is told next. `before` is the state in which it was requested.
  json::Object Debug(const GameState& before) const {
    json::Object debug{{"promptState", before.Observe(Viewer::Seat(kNarrator))},
                       {"promptText", before.Describe(kNarrator)}};
    if (!raw_.empty()) debug["aiResponseRaw"] = raw_;
    if (asked_ && chosen_) debug["processingTime"] = static_cast<double>((*chosen_ - *asked_).count()) / 1000;
    if (model_) debug["tokenCount"] = tokens_;
    return debug;
  }

 private:
  std::optional<Time> asked_;
  std::optional<Time> chosen_;
  std::string raw_;
  std::int64_t tokens_ = 0;
  bool model_ = false;
};

bool IsNarration(const StoredEvent& event) {
  if (event.event.kind != EventKind::kPlayed) return false;
  const Result<json::Value> payload = json::Parse(event.event.payload);
  const json::Value* seat = payload ? json::Find(*payload, "seat") : nullptr;
  return seat != nullptr && *seat == json::Value(std::int64_t{kNarrator});
}

}  // namespace

void Archive::Read(TableId id, bool with_debug, std::function<void(Result<Record>)> done) {
  worker_.Post([this, id = std::move(id), with_debug, done = std::move(done)] { done(ReadNow(id, with_debug)); });
}

Result<Record> Archive::ReadNow(const TableId& id, bool with_debug) {
  std::optional<Record> record;
  Making making;
  for (Seq after = 0;;) {
    const Result<std::vector<StoredEvent>> page = journal_.Read(id, after, kPage);
    if (!page) return Fail(page.error());
    if (page->empty()) break;
    for (const StoredEvent& event : *page) {
      after = event.seq;
      if (!record) {
        if (HostedGameOf(event.event.payload) != game_.info().id) return Fail(NotFound(id));
        Result<MatchFold> fold = MatchFold::Begin(id, game_, event);
        if (!fold) return Fail(std::move(fold).error());
        record.emplace(Record{std::move(*fold), {}});
        continue;
      }
      if (with_debug) {
        making.Add(event);
        if (IsNarration(event) && record->fold.state() != nullptr) {
          record->debug.push_back(making.Debug(*record->fold.state()));
        }
      }
      if (Result<MatchFold::Step> step = record->fold.Apply(event); !step) return Fail(std::move(step).error());
    }
  }
  if (!record || record->fold.state() == nullptr) return Fail(NotFound(id));
  return std::move(*record);
}

}  // namespace openseat::narrative
