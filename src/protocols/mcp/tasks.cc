#include "protocols/mcp/tasks.h"

#include <algorithm>
#include <utility>

#include "base/secure_random.h"
#include "base/text.h"

namespace openseat::mcp {
namespace {

constexpr std::size_t kTaskIdLength = 32;

std::int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

bool TakesTasks(const Call& call) {
  const json::Object* extensions = FindObject(call.capabilities(), "extensions");
  return call.era() == Era::kModern && extensions != nullptr && extensions->contains(kTaskExtension);
}

Failure TasksNeeded() {
  json::Object extensions;
  extensions[kTaskExtension] = json::Object();
  return {code::kMissingCapability, "Missing required client capability: the extension " + std::string(kTaskExtension),
          json::Object{{"requiredCapabilities", json::Object{{"extensions", std::move(extensions)}}}}, 400};
}

void TaskBook::DropOld() {
  const Instant now = scheduler_.clock().Monotonic();
  std::erase_if(entries_, [&](const auto& each) { return each.second->expires <= now; });
}

void TaskBook::DropOldInTime() {
  if (entries_.empty()) return;
  const auto expires = [](const auto& each) { return each.second->expires; };
  const Instant next = expires(*std::ranges::min_element(entries_, {}, expires));
  old_timer_.Set(scheduler_, next - scheduler_.clock().Monotonic(), [this] {
    DropOld();
    DropOldInTime();
  });
}

bool TaskBook::DropOldestOver(const std::string* from) {
  auto oldest = entries_.end();
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    const Entry& entry = *each->second;
    const bool over = entry.call == nullptr || !entry.call->open();
    if (!over || (from != nullptr && entry.from != *from)) continue;
    // First those that no client knows of: they were answered before they became tasks.
    const auto age = [](const Entry& one) { return std::pair(one.begun, one.expires); };
    if (oldest == entries_.end() || age(entry) < age(*oldest->second)) oldest = each;
  }
  if (oldest == entries_.end()) return false;
  entries_.erase(oldest);
  return true;
}

bool TaskBook::MakeRoom(const std::string& from) {
  const auto same = std::ranges::count_if(entries_, [&](const auto& each) { return each.second->from == from; });
  if (static_cast<std::size_t>(same) >= kMaxOfCaller) return DropOldestOver(&from);
  return entries_.size() < kMaxTasks || DropOldestOver(nullptr);
}

bool TaskBook::Run(const CallPtr& call, Duration patience, const std::function<void()>& run) {
  DropOld();
  const std::string& from = call->caller().from;
  if (!MakeRoom(from)) return false;
  const std::string id = prefix_ + SecureToken(kTaskIdLength);
  const auto entry = std::make_shared<Entry>(
      Entry{from, scheduler_.clock().Monotonic() + kKept, scheduler_.clock().Now(), call, {}, false});
  entry->shown = {{"taskId", id},
                  {"status", "working"},
                  {"createdAt", FormatIso8601(entry->updated)},
                  {"lastUpdatedAt", FormatIso8601(entry->updated)},
                  {"ttlMs", Milliseconds(kKept)},
                  {"pollIntervalMs", Milliseconds(kPollEvery)}};
  entries_[id] = entry;
  call->AllowTask();
  run();
  if (patience <= Duration(0) || !call->open()) {
    Begin(id, entry);
  } else {
    scheduler_.After(patience, [this, id, kept = std::weak_ptr(entry)] {
      if (const EntryPtr live = kept.lock()) Begin(id, live);
    });
  }
  return true;
}

void TaskBook::Begin(const std::string& id, const EntryPtr& entry) {
  const CallPtr call = entry->call;
  if (!call->open()) {
    entries_.erase(id);
    entry->call = nullptr;
    return;
  }
  entry->begun = true;
  json::Object created = entry->shown;
  created["resultType"] = "task";
  // Once it is answered, the call has no payer any more.
  const std::shared_ptr<Payer> payer = call->payer();
  call->GoOnAsTask(std::move(created),
                   [this, kept = std::weak_ptr(entry), payer](tl::expected<json::Object, Failure> ended) {
                     const EntryPtr live = kept.lock();
                     if (live == nullptr) return;
                     if (!ended) return Failed(live, std::move(ended.error()));
                     Completed(live, std::move(*ended), payer.get());
                   });
}

void TaskBook::Completed(const EntryPtr& entry, json::Object result, Payer* payer) {
  std::string text = json::Write(std::move(result));
  text.shrink_to_fit();
  if (payer != nullptr) {
    if (const std::optional<Refusal> refused = payer->Adjust(entry->memory, Holding::kTableBytes, text.size())) {
      return Failed(entry, {code::kInternalError,
                            "The result has " + std::to_string(text.size()) + " bytes and is not kept: " +
                                refused->Text() + ". Call get_state, or wait_for_turn again.",
                            nullptr, 200});
    }
  }
  entry->result = std::move(text);
  End(entry, "completed");
  DropOldInTime();
}

void TaskBook::Failed(const EntryPtr& entry, Failure failure) {
  End(entry, "failed");
  json::Object error{{"code", failure.code}, {"message", Ellipsize(failure.message, kMaxErrorBytes)}};
  if (!failure.data.is_null()) error["data"] = std::move(failure.data);
  entry->shown["error"] = std::move(error);
}

void TaskBook::Show(Entry& entry, std::string_view status) {
  if (entry.shown["status"] == json::Value(status)) return;
  entry.shown["status"] = status;
  entry.shown["lastUpdatedAt"] = FormatIso8601(scheduler_.clock().Now());
}

void TaskBook::End(const EntryPtr& entry, std::string_view status) {
  entry->shown.erase("inputRequests");
  Show(*entry, status);
  // The call may be what called this.
  scheduler_.Post([call = std::exchange(entry->call, nullptr)] {});
}

TaskBook::EntryPtr TaskBook::Find(const std::string& id) {
  DropOld();
  const auto found = entries_.find(id);
  return found == entries_.end() || !found->second->begun ? nullptr : found->second;
}

std::optional<TaskBook::State> TaskBook::Get(const std::string& id) {
  const EntryPtr entry = Find(id);
  if (entry == nullptr) return std::nullopt;
  if (entry->call != nullptr) {
    const json::Object& needs = entry->call->needs();
    Show(*entry, needs.empty() ? "working" : "input_required");
    if (needs.empty()) {
      entry->shown.erase("inputRequests");
    } else {
      entry->shown["inputRequests"] = needs;
    }
  }
  return State{entry->shown, entry->result};
}

bool TaskBook::Supply(const std::string& id, const json::Object& responses) {
  const EntryPtr entry = Find(id);
  if (entry == nullptr) return false;
  if (const CallPtr call = entry->call) call->Supply(responses);
  return true;
}

bool TaskBook::Cancel(const std::string& id) {
  const EntryPtr entry = Find(id);
  if (entry == nullptr) return false;
  if (const CallPtr call = entry->call) {
    End(entry, "cancelled");
    call->StopTask();
  }
  return true;
}

}  // namespace openseat::mcp
