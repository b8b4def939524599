#include "protocols/mcp/call.h"

#include <algorithm>
#include <array>
#include <utility>

namespace openseat::mcp {
namespace {

constexpr std::size_t kMaxQuestions = 64;  // per session, at the same time

bool IsCacheable(std::string_view method) {
  return method == "server/discover" || method == "tools/list" || method == "prompts/list" ||
         method == "resources/list" || method == "resources/templates/list" || method == "resources/read" ||
         method == "skills/list" || method == "skills/get";
}

}  // namespace

std::optional<int> LogLevelRank(std::string_view level) {
  constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                    "error", "critical", "alert",  "emergency"};
  const auto found = std::ranges::find(kLevels, level);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<int>(found - kLevels.begin());
}

Call::Call(Message message, Envelope envelope, std::shared_ptr<Session> session, std::shared_ptr<Exchange> exchange,
           const ServerInfo& info, Caller caller)
    : message_(std::move(message)),
      envelope_(std::move(envelope)),
      session_(std::move(session)),
      exchange_(std::move(exchange)),
      info_(info),
      caller_(std::move(caller)) {
  const json::Object* meta = FindObject(params(), "_meta");
  const json::Value* token = meta == nullptr ? nullptr : json::Find(*meta, "progressToken");
  if (token != nullptr && (IsId(*token) || json::IsInteger(*token))) progress_token_ = *token;
}

Call::~Call() {
  if (open()) Refuse({code::kInternalError, "Internal error: the request was dropped", nullptr, 200});
}

const json::Object& Call::capabilities() const {
  return era() == Era::kLegacy && session_ != nullptr ? session_->capabilities : envelope_.capabilities;
}

bool Call::wants_progress() const {
  return exchange_ != nullptr && !progress_token_.is_null();
}

void Call::Progress(double progress, std::optional<double> total, std::string_view text) {
  if (!wants_progress()) return;
  json::Object params{{"progressToken", progress_token_}, {"progress", progress}};
  if (total) params["total"] = *total;
  if (!text.empty()) params["message"] = text;
  exchange_->Notify(EncodeNotification("notifications/progress", params));
}

void Call::Log(std::string_view level, json::Value data) {
  if (exchange_ == nullptr) return;
  std::string threshold = envelope_.log_level;
  if (era() == Era::kLegacy) threshold = session_ == nullptr ? "" : session_->log_level;
  // A legacy client that has not set a level gets every message.
  if (threshold.empty() && era() == Era::kModern) return;
  if (LogLevelRank(level) < LogLevelRank(threshold)) return;
  exchange_->Notify(
      EncodeNotification("notifications/message", json::Object{{"level", level}, {"data", std::move(data)}}));
}

void Call::Ask(std::string_view method, const json::Object& params, std::function<void(Result<json::Object>)> done) {
  if (!open()) return;
  if (era() != Era::kLegacy || session_ == nullptr || session_->asked.size() >= kMaxQuestions) {
    done(Fail(ErrorCode::kUnsupported, "this client cannot be asked"));
    return;
  }
  const std::string id = "ask-" + std::to_string(++session_->last_question);
  session_->asked[id] = std::move(done);
  OnCancelled([session = std::weak_ptr(session_), id] {
    if (const auto live = session.lock()) live->asked.erase(id);
  });
  exchange_->Notify(EncodeRequest(id, method, params));
}

std::shared_ptr<Exchange> Call::Close() {
  if (session_ != nullptr) session_->running.erase(json::Write(message_.id));
  return std::exchange(exchange_, nullptr);
}

json::Object Call::Completed(json::Object result) const {
  if (era() != Era::kModern) return result;
  if (!result.contains("resultType")) result["resultType"] = "complete";
  json::Value& meta = result["_meta"];
  if (!meta.is_object()) meta = json::Object();
  meta.get_object()[kMetaServerInfo] = json::Object{{"name", info_.name}, {"version", info_.version}};
  return result;
}

void Call::Answer(json::Object result, Cache cache) {
  if (!open()) return;
  if (ended_) return std::exchange(ended_, nullptr)(std::move(result));
  AnswerWritten(Write(std::move(result), cache));
}

std::string Call::Write(json::Object result, Cache cache) const {
  if (era() == Era::kModern && IsCacheable(method())) {
    result["ttlMs"] = cache.ttl_ms;
    result["cacheScope"] = cache.shared ? "public" : "private";
  }
  return EncodeResult(message_.id, Completed(std::move(result)));
}

void Call::AnswerWritten(std::string message) {
  if (exchange_ != nullptr) Close()->Finish(std::move(message), 200);
}

void Call::AnswerWith(json::Object result, std::string_view name, std::string_view text) {
  if (text.empty()) return Answer(std::move(result));
  AnswerWritten(EncodeResult(message_.id, Completed(std::move(result)), name, text));
}

void Call::Refuse(Failure failure) {
  if (!open()) return;
  if (ended_) return std::exchange(ended_, nullptr)(tl::unexpected(std::move(failure)));
  if (era() == Era::kLegacy && failure.code == code::kMethodNotFound) failure.status = 200;
  Close()->Finish(EncodeFailure(message_.id, failure), failure.status);
}

void Call::Cancel() {
  if (exchange_ == nullptr) return;
  Close()->Finish("", 202);
  std::vector<Task> tasks = std::exchange(on_cancelled_, {});
  for (Task& task : tasks) task();
}

void Call::OnlyReads() {
  only_reads_ = true;
  if (hung_up_) Cancel();
}

void Call::HungUp() {
  hung_up_ = true;
  if (only_reads_ || era() == Era::kModern) Cancel();
}

void Call::GoOnAsTask(json::Object created, Ended ended) {
  if (exchange_ == nullptr) return;
  json::Object completed = Completed(std::move(created));
  const std::shared_ptr<Exchange> exchange = Close();
  ended_ = std::move(ended);
  exchange->Finish(EncodeResult(message_.id, std::move(completed)), 200);
  message_.id = nullptr;
  ForgetParams();
  envelope_.capabilities = json::Object();
}

void Call::StopTask() {
  if (!std::exchange(ended_, nullptr)) return;
  std::vector<Task> tasks = std::exchange(on_cancelled_, {});
  for (Task& task : tasks) task();
}

void Call::Need(json::Object requests, std::function<void(const json::Object& responses)> done) {
  needs_ = std::move(requests);
  supplied_ = {};
  when_supplied_ = std::move(done);
}

void Call::Supply(const json::Object& responses) {
  if (needs_.empty()) return;
  for (const auto& each : responses) {
    if (needs_.erase(each.key()) != 0) supplied_[each.key()] = each.value();
  }
  if (needs_.empty()) std::exchange(when_supplied_, nullptr)(std::exchange(supplied_, {}));
}

}  // namespace openseat::mcp
