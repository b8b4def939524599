// Call: one request that is being served, and Session: a legacy client between its requests. A handler gets a shared
// Call, keeps it while it works, and answers it once; one that is dropped unanswered is answered with an internal
// error. All on the server's scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "base/task.h"
#include "base/time.h"
#include "protocols/mcp/era.h"
#include "protocols/mcp/message.h"

namespace openseat::mcp {

class Call;

// Where the answer to one message goes: an HTTP response, or standard output.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // A message before the answer: a notification, or a question to the client.
  virtual void Notify(std::string message) = 0;
  // The payer for what the call opens; null: not counted.
  virtual std::shared_ptr<Payer> payer() const { return nullptr; }
  // The end, once; `message` is "" if there is nothing to send.
  virtual void Finish(std::string message, int status) = 0;
};

// What is known about a legacy client since its handshake; over stdio, also which modern requests are in progress.
struct Session {
  std::string id;                                      // "" over stdio
  std::string principal;                               // who started it: nobody else may continue it
  std::string version;                                 // negotiated; "" before `initialize` is answered
  json::Object capabilities;                           // UsedCapabilities
  std::string log_level;                               // the level that it asked for; "": the default
  std::map<std::string, std::weak_ptr<Call>> running;  // by the text of the id
  std::map<std::string, std::function<void(Result<json::Object>)>> asked;
  std::uint64_t last_question = 0;
  Instant used;
};

// For how long and by whom an answer may be cached; written into modern answers that can be cached.
struct Cache {
  std::int64_t ttl_ms = 0;
  bool shared = false;  // the same for everyone: it contains nothing private
};

// Who calls, according to the transport.
struct Caller {
  bool local = true;     // on this machine, without a token being required
  bool operates = true;  // likewise, or with the admin token
  std::string from{};    // its address, for limits; "" over stdio
  std::string who{};     // as the audit log names it: "key k-1"; "" if unknown
  // Another server of the cluster has passed on this call, because it is about something that is here.
  bool passed_on = false;
};

struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;  // for the model: how to play
};

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Message message, Envelope envelope, std::shared_ptr<Session> session, std::shared_ptr<Exchange> exchange,
       const ServerInfo& info, Caller caller = {});
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Era era() const { return envelope_.era; }
  const std::string& method() const { return message_.method; }
  const json::Object& params() const { return message_.params; }
  // For a call that may take long, once its arguments are read: they may be large.
  void ForgetParams() { message_.params = json::Object(); }
  // The client's, for this request.
  const json::Object& capabilities() const;
  bool CanDo(std::string_view capability) const { return capabilities().contains(capability); }
  Session* session() const { return session_.get(); }
  const Caller& caller() const { return caller_; }
  std::shared_ptr<Payer> payer() const { return exchange_ == nullptr ? nullptr : exchange_->payer(); }

  // Neither answered nor canceled.
  bool open() const { return exchange_ != nullptr || ended_ != nullptr; }
  // Runs when the client cancels the request; not once it is answered.
  void OnCancelled(Task task) { on_cancelled_.push_back(std::move(task)); }

  // Does nothing unless the client asked for progress. `progress` grows from call to call.
  void Progress(double progress, std::optional<double> total, std::string_view text);
  bool wants_progress() const;  // false for a task, and once it is answered
  // Does nothing if the client wants only more severe messages or, in the modern era, has not asked for any.
  void Log(std::string_view level, json::Value data);
  // Asks the client, legacy only; `done` is destroyed if the answer never comes.
  void Ask(std::string_view method, const json::Object& params, std::function<void(Result<json::Object>)> done);

  void Answer(json::Object result, Cache cache = {});
  // The same in two steps, for an answer that takes long to write: Write may run on any thread. REQUIRE a call that is
  // no task.
  std::string Write(json::Object result, Cache cache = {}) const;
  void AnswerWritten(std::string message);
  // With one more member of the result, whose value is JSON text; "": without it. The same is REQUIRED.
  void AnswerWith(json::Object result, std::string_view name, std::string_view text);
  void Refuse(Failure failure);
  // Called by the transport or for a cancellation: nothing more is sent. Does nothing to a task.
  void Cancel();
  // Nothing comes of this call but its answer: it is canceled once its client hangs up, or at once if it has.
  void OnlyReads();
  // Called by the transport: nobody gets an answer any more. Cancels the call where hanging up means that, in the
  // modern era, and where it only reads. Others go on to their end.
  void HungUp();

  // --- As a task (tasks.h) ---

  // Its client can wait for longer than for an answer, since it may become a task.
  bool may_be_task() const { return may_be_task_; }
  void AllowTask() { may_be_task_ = true; }
  // Answers with `created`, and forgets the params and the client's capabilities; what the handler answers later goes
  // to `ended`, unless it is stopped before.
  using Ended = std::function<void(tl::expected<json::Object, Failure>)>;
  void GoOnAsTask(json::Object created, Ended ended);
  void StopTask();
  // The task needs input of its client: `requests`, each under its name. `done` gets the responses when all are there.
  void Need(json::Object requests, std::function<void(const json::Object& responses)> done);
  const json::Object& needs() const { return needs_; }
  void Supply(const json::Object& responses);

 private:
  std::shared_ptr<Exchange> Close();
  json::Object Completed(json::Object result) const;

  Message message_;  // without what a task does not need, once it is one
  Envelope envelope_;
  const std::shared_ptr<Session> session_;  // may be null
  std::shared_ptr<Exchange> exchange_;      // null once answered or canceled
  Ended ended_;                             // of a task that is not over
  const ServerInfo& info_;
  const Caller caller_;
  std::vector<Task> on_cancelled_;
  json::Value progress_token_;  // null: no progress is wanted
  bool only_reads_ = false;
  bool hung_up_ = false;
  bool may_be_task_ = false;
  json::Object needs_;
  json::Object supplied_;
  std::function<void(const json::Object& responses)> when_supplied_;
};

using CallPtr = std::shared_ptr<Call>;

// "debug" 0 … "emergency" 7; nullopt for any other text.
std::optional<int> LogLevelRank(std::string_view level);

}  // namespace openseat::mcp
