#include "store/nats_link.h"

#include <nats/nats.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "store/nats_format.h"

namespace openseat::store {
namespace {

template <typename T, void (*kDestroy)(T*)>
struct NatsDestroy {
  void operator()(T* object) const { kDestroy(object); }
};
using NatsOptionsPtr = std::unique_ptr<natsOptions, NatsDestroy<natsOptions, natsOptions_Destroy>>;
using NatsConnectionPtr = std::unique_ptr<natsConnection, NatsDestroy<natsConnection, natsConnection_Destroy>>;
using NatsSubscriptionPtr = std::unique_ptr<natsSubscription, NatsDestroy<natsSubscription, natsSubscription_Destroy>>;
using NatsMsgPtr = std::unique_ptr<natsMsg, NatsDestroy<natsMsg, natsMsg_Destroy>>;

// JetStream's own error codes.
constexpr std::int64_t kStreamNotFound = 10059;
constexpr std::int64_t kWrongLastSequence = 10071;
constexpr std::int64_t kReplicasNeedACluster = 10074;
constexpr std::int64_t kNoMessage = 10037;
// Of the account, and of the servers.
constexpr std::array<std::uint64_t, 3> kNoRoom{10002, 10023, 10047};

constexpr int kReplicas = 3;
constexpr std::uint64_t kHeadersAtATime = 500;
constexpr std::uint64_t kBodiesAtATime = 32;  // of at most kNatsPartBytes each
constexpr std::size_t kGetsAtATime = 256;
constexpr std::size_t kRetired = 64;
// A replica that answers may not have the newest messages yet.
constexpr int kGetTries = 5;
constexpr Duration kFirstGetPause = std::chrono::milliseconds(10);  // doubled each time
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kFollowWait = kNanosecondsPerSecond / 4;
// The end of what is followed.
constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();
// A replica that its leader has not heard for longer is not there. They say something every second.
constexpr std::uint64_t kUnheard = 3 * kNanosecondsPerSecond;
// What headers may take of a message's size.
constexpr std::size_t kHeaderRoom = 2048;
// Before 3.8, the library leaves out a signature that begins with a zero byte, one of 256, and the server refuses the
// connection. Each connection has another signature.
constexpr int kSignatures = 3;

Error NatsError(const std::string& what, natsStatus status) {
  return {ErrorCode::kIo, what + ": " + natsStatus_GetText(status), ""};
}

std::string_view BodyOf(natsMsg* message) {
  return {natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))};
}

std::string HeaderOf(natsMsg* message, const char* name) {
  const char* value = nullptr;
  return natsMsgHeader_Get(message, name, &value) == NATS_OK && value != nullptr ? std::string(value) : std::string();
}

std::uint64_t NumberAt(const json::Value& value, std::string_view name) {
  const json::Value* found = json::Find(value, name);
  if (found == nullptr) return 0;
  if (found->is_uint64()) return found->get_uint64();
  return found->is_int64() && found->get_int64() > 0 ? static_cast<std::uint64_t>(found->get_int64()) : 0;
}

// Whether most of a stream's replicas are there, as its leader tells.
bool HasMajority(const json::Value& cluster) {
  const json::Value* replicas = json::Find(cluster, "replicas");
  if (replicas == nullptr || !replicas->is_array()) return true;
  const json::Array& others = replicas->get_array();
  const auto there = std::ranges::count_if(others, [](const json::Value& other) {
    const json::Value* offline = json::Find(other, "offline");
    return NumberAt(other, "active") < kUnheard && (offline == nullptr || *offline == json::Value(false));
  });
  return static_cast<std::size_t>(there) >= (others.size() + 1) / 2;
}

// Why there is no connection. `status` and the library's last error are those of this thread's last call.
Error ConnectError(const std::string& servers, natsStatus status) {
  if (status == NATS_CONNECTION_AUTH_FAILED) {
    return {ErrorCode::kDenied, "NATS at " + servers + " refuses these credentials, or this user and password", ""};
  }
  // "(file:line): what"
  const char* const last = nats_GetLastError(nullptr);
  std::string_view detail = last == nullptr ? "" : last;
  if (const std::size_t end = detail.find("): "); detail.starts_with('(') && end != std::string_view::npos) {
    detail.remove_prefix(end + 3);
  }
  if (status == NATS_SSL_ERROR) {
    // OpenSSL has no reason where the connection just ends.
    if (detail.find("(null)") != std::string_view::npos) detail = "the server ended the connection";
    const bool refused =
        detail.find("certificate") != std::string_view::npos || detail.find("unknown ca") != std::string_view::npos;
    return {refused ? ErrorCode::kDenied : ErrorCode::kIo,
            "no TLS with NATS at " + servers + ": " + std::string(detail), ""};
  }
  Error error = NatsError("cannot connect to NATS at " + servers, status);
  if (!detail.empty() && detail != natsStatus_GetText(status)) error.message += " (" + std::string(detail) + ")";
  return error;
}

Result<void> Secure(const NatsLinkOptions& options, natsOptions* nats) {
  const auto use = [](const std::string& file, const char* what, auto set) -> Result<void> {
    if (file.empty()) return {};
    // The library opens some files only later.
    const natsStatus status = access(file.c_str(), R_OK) == 0 ? set(file.c_str()) : NATS_NOT_FOUND;
    if (status == NATS_OK) return {};
    return Fail(ErrorCode::kInvalid, "cannot use " + file + " as " + what + " for NATS: " +
                                         (status == NATS_NOT_FOUND ? "it cannot be read" : natsStatus_GetText(status)));
  };
  Result<void> done = use(options.credentials, "the credentials", [&](const char* file) {
    return natsOptions_SetUserCredentialsFromFiles(nats, file, nullptr);
  });
  if (done) {
    done = use(options.ca, "the certificates of authorities",
               [&](const char* file) { return natsOptions_LoadCATrustedCertificates(nats, file); });
  }
  if (done) {
    done = use(options.certificate, "the certificate",
               [&](const char* file) { return natsOptions_LoadCertificatesChain(nats, file, options.key.c_str()); });
  }
  const bool tls = options.servers.find("tls://") != std::string::npos;
  if (done && (tls || !options.ca.empty() || !options.certificate.empty())) natsOptions_SetSecure(nats, true);
  return done;
}

class NatsLinkImpl final : public NatsLink {
 public:
  NatsLinkImpl(const NatsLinkOptions& options, Answered answered)
      : timeout_ms_(std::chrono::duration_cast<std::chrono::milliseconds>(options.call_timeout).count()),
        answered_(std::move(answered)) {}
  ~NatsLinkImpl() override {
    StopListening();
    answers_.Stop();
    // From here on, the library uses no subscription.
    if (connection_) natsConnection_Close(connection_.get());
  }

  Result<void> Open(const NatsLinkOptions& options);
  Result<void> MakeStream(const std::string& stream, const std::string& subjects) override;
  Result<std::uint64_t> LastPosition(const std::string& stream) override;
  Result<void> Read(const Reading& reading, const std::function<bool(NatsMessage)>& got) override;
  Result<void> Follow(const std::string& stream, std::uint64_t from,
                      const std::function<bool(NatsMessage)>& got) override;
  Result<void> MoveLeader(const std::string& stream) override;
  Result<void> Purge(const std::string& stream, std::uint64_t before) override;
  Result<std::vector<NatsMessage>> Get(const std::vector<std::pair<std::string, std::uint64_t>>& places) override;
  Result<void> Publish(const Post& post) override;
  Result<void> AskAboutStream(const std::string& stream, const std::string& token) override {
    return AskLater("STREAM.INFO." + stream, token);
  }
  Result<void> AskForRoom(const std::string& token) override { return AskLater("INFO", token); }
  Result<void> Listen(const std::string& subjects, Heard heard) override;
  void StopListening() override { heard_.Stop(); }
  Result<void> Tell(const std::string& subject, std::string_view body) override;
  std::size_t max_bytes() const override {
    const std::int64_t most = natsConnection_GetMaxPayload(connection_.get());
    return most > static_cast<std::int64_t>(2 * kHeaderRoom) ? static_cast<std::size_t>(most) - kHeaderRoom
                                                             : kHeaderRoom;
  }

 private:
  // A call of JetStream. Its answer may be {"error": …}.
  Result<json::Value> Ask(const std::string& api, const json::Value& body);
  Result<json::Value> AskWell(const std::string& api, const json::Value& body);
  // The same; OnAnswer gets the answer.
  Result<void> AskLater(const std::string& api, const std::string& token);
  Answer ReadAnswer(const json::Value& answer);
  void NoteReplicas(const json::Value& stream);
  // Ends an inbox. The library (3.4.1) uses it for a moment longer when messages for it are arriving: so it is
  // freed when many others have ended.
  struct Retire {
    NatsLinkImpl* link;
    void operator()(natsSubscription* inbox) const;
  };
  using InboxPtr = std::unique_ptr<natsSubscription, Retire>;
  Result<InboxPtr> Inbox(std::string& subject);
  Result<NatsMsgPtr> Next(natsSubscription* inbox, const std::string& what);
  // Runs `body` with a consumer of the stream.
  Result<void> Consume(const Reading& reading, const std::function<Result<void>(const std::string& consumer)>& body);
  Result<bool> ReadSome(const Reading& reading, const std::string& consumer, std::uint64_t& at,
                        const std::function<bool(NatsMessage)>& got);
  Result<std::vector<std::size_t>> GetSome(const std::vector<std::pair<std::string, std::uint64_t>>& places,
                                           const std::vector<std::size_t>& wanted, std::vector<NatsMessage>& out);
  // Messages for which a thread of the library calls us, and that no more of them come.
  struct Calls {
    void Stop() {
      if (from && natsSubscription_Unsubscribe(from.get()) == NATS_OK) ended.get_future().wait();
      from.reset();
    }

    NatsSubscriptionPtr from;
    std::promise<void> ended;
  };
  Result<void> Subscribe(const std::string& subjects, natsMsgHandler handler, Calls& calls);
  // As Get. Any replica may answer that, also one that lacks the newest messages.
  Result<NatsMessage> GetFromLeader(const std::string& stream, std::uint64_t position);
  static void OnAnswer(natsConnection*, natsSubscription*, natsMsg* message, void* self);
  static void OnHeard(natsConnection*, natsSubscription*, natsMsg* message, void* self);

  const std::int64_t timeout_ms_;
  const Answered answered_;
  NatsConnectionPtr connection_;
  std::string answer_root_;                  // what the reply subjects of published messages begin with
  std::atomic<std::uint64_t> replicas_ = 0;  // of a stream; 0: not known yet
  Heard on_heard_;
  std::mutex mutex_;
  std::deque<NatsSubscriptionPtr> retired_;
  Calls answers_;
  Calls heard_;
};

Result<void> NatsLinkImpl::Open(const NatsLinkOptions& options) {
  natsOptions* made = nullptr;
  natsStatus status = natsOptions_Create(&made);
  const NatsOptionsPtr nats(made);
  const std::vector<std::string> servers = EachServer(options.servers);
  std::vector<const char*> texts;
  for (const std::string& server : servers) texts.push_back(server.c_str());
  const auto then = [&status](natsStatus next) {
    if (status == NATS_OK) status = next;
  };
  then(natsOptions_SetServers(nats.get(), texts.data(), static_cast<int>(texts.size())));
  then(natsOptions_SetName(nats.get(), options.name.c_str()));
  then(natsOptions_SetMaxReconnect(nats.get(), -1));
  then(natsOptions_SetReconnectWait(nats.get(), 100));
  then(natsOptions_SetReconnectJitter(nats.get(), 50, 50));
  then(natsOptions_SetTimeout(nats.get(), timeout_ms_));
  then(natsOptions_SetPingInterval(nats.get(), timeout_ms_));
  then(natsOptions_SetMaxPingsOut(nats.get(), 2));
  then(natsOptions_SetWriteDeadline(nats.get(), timeout_ms_));
  then(natsOptions_SetFailRequestsOnDisconnect(nats.get(), true));
  then(natsOptions_SetSendAsap(nats.get(), true));
  if (status == NATS_OK) {
    if (Result<void> safe = Secure(options, nats.get()); !safe) return safe;
  }
  natsConnection* connection = nullptr;
  if (status == NATS_OK) {
    int left = options.credentials.empty() ? 1 : kSignatures;
    do {
      status = natsConnection_Connect(&connection, nats.get());
    } while (status == NATS_CONNECTION_AUTH_FAILED && --left > 0);
  }
  if (status != NATS_OK) {
    return Fail(ConnectError(ShownServers(options.servers), status));
  }
  connection_.reset(connection);
  natsInbox* inbox = nullptr;
  status = natsInbox_Create(&inbox);
  if (status != NATS_OK) return Fail(NatsError("cannot make an inbox", status));
  answer_root_ = std::string(inbox) + ".";
  natsInbox_Destroy(inbox);
  return Subscribe(answer_root_ + "*", OnAnswer, answers_);
}

Result<void> NatsLinkImpl::Subscribe(const std::string& subjects, natsMsgHandler handler, Calls& calls) {
  natsSubscription* made = nullptr;
  natsStatus status = natsConnection_Subscribe(&made, connection_.get(), subjects.c_str(), handler, this);
  if (status == NATS_OK) status = natsSubscription_SetPendingLimits(made, -1, -1);
  const auto ended = [](void* closure) { static_cast<std::promise<void>*>(closure)->set_value(); };
  if (status == NATS_OK) status = natsSubscription_SetOnCompleteCB(made, ended, &calls.ended);
  if (status != NATS_OK) return Fail(NatsError("cannot subscribe to " + subjects + " at NATS", status));
  calls.from.reset(made);
  return {};
}

Result<void> NatsLinkImpl::Listen(const std::string& subjects, Heard heard) {
  on_heard_ = std::move(heard);
  return Subscribe(subjects, OnHeard, heard_);
}

void NatsLinkImpl::OnHeard(natsConnection*, natsSubscription*, natsMsg* message, void* self) {
  const NatsMsgPtr owned(message);
  static_cast<NatsLinkImpl*>(self)->on_heard_(natsMsg_GetSubject(message), BodyOf(message));
}

Result<void> NatsLinkImpl::Tell(const std::string& subject, std::string_view body) {
  const natsStatus status =
      natsConnection_Publish(connection_.get(), subject.c_str(), body.data(), static_cast<int>(body.size()));
  if (status != NATS_OK) return Fail(NatsError("cannot publish to NATS", status));
  return {};
}

void NatsLinkImpl::OnAnswer(natsConnection*, natsSubscription*, natsMsg* message, void* self) {
  const NatsMsgPtr owned(message);
  auto& link = *static_cast<NatsLinkImpl*>(self);
  std::string_view token = natsMsg_GetSubject(message);
  token.remove_prefix(link.answer_root_.size());
  const Result<json::Value> answer = json::Parse(BodyOf(message));
  link.answered_(token, answer ? link.ReadAnswer(*answer) : Answer());
}

NatsLink::Answer NatsLinkImpl::ReadAnswer(const json::Value& answer) {
  Answer out;
  if (const json::Value* error = json::Find(answer, "error")) {
    const std::uint64_t code = NumberAt(*error, "err_code");
    if (code == kWrongLastSequence) out.position = 0;
    out.full = std::ranges::find(kNoRoom, code) != kNoRoom.end();
  } else if (NumberAt(answer, "seq") != 0) {
    out.position = NumberAt(answer, "seq");
  } else if (const json::Value* state = json::Find(answer, "state")) {
    const json::Value* cluster = json::Find(answer, "cluster");
    if (cluster == nullptr || HasMajority(*cluster)) out.position = 1;
    out.stored = NumberAt(*state, "bytes");
    NoteReplicas(answer);
  } else if (const json::Value* limits = json::Find(answer, "limits")) {
    // Every replica counts. -1 is no limit; with tiers, it is 0.
    const std::uint64_t most = NumberAt(*limits, "max_storage");
    const std::uint64_t replicas = replicas_;
    if (most == 0) {
      out.left = kNoLimit;
    } else if (replicas > 0) {
      out.left = (most - std::min(most, NumberAt(answer, "storage"))) / replicas;
    }
  }
  return out;
}

void NatsLinkImpl::NoteReplicas(const json::Value& stream) {
  const json::Value* config = json::Find(stream, "config");
  if (config != nullptr) replicas_ = std::max<std::uint64_t>(NumberAt(*config, "num_replicas"), 1);
}

Result<json::Value> NatsLinkImpl::Ask(const std::string& api, const json::Value& body) {
  natsMsg* reply = nullptr;
  const std::string text = json::Write(body);
  const natsStatus status =
      natsConnection_RequestString(&reply, connection_.get(), ("$JS.API." + api).c_str(), text.c_str(), timeout_ms_);
  if (status != NATS_OK) return Fail(NatsError("NATS JetStream does not answer " + api, status));
  const NatsMsgPtr owned(reply);
  return json::Parse(BodyOf(reply));
}

Result<json::Value> NatsLinkImpl::AskWell(const std::string& api, const json::Value& body) {
  Result<json::Value> answer = Ask(api, body);
  if (!answer) return answer;
  if (const json::Value* error = json::Find(*answer, "error")) {
    return Fail(ErrorCode::kIo,
                "NATS JetStream refused " + api + ": " + std::string(json::TextOf(*error, "description")));
  }
  return answer;
}

Result<void> NatsLinkImpl::MakeStream(const std::string& stream, const std::string& subjects) {
  const Result<json::Value> info = Ask("STREAM.INFO." + stream, json::Object());
  if (!info) return Fail(info.error());
  const json::Value* error = json::Find(*info, "error");
  if (error == nullptr) {
    NoteReplicas(*info);
    return {};
  }
  if (NumberAt(*error, "err_code") != kStreamNotFound) {
    return Fail(ErrorCode::kIo, "NATS cannot say whether it has the stream " + stream + ": " +
                                    std::string(json::TextOf(*error, "description")));
  }
  json::Object config{{"name", stream},        {"subjects", json::Array{json::Value(subjects)}},
                      {"retention", "limits"}, {"discard", "new"},
                      {"storage", "file"},     {"num_replicas", kReplicas},
                      {"allow_direct", true},  {"deny_delete", true},
                      {"max_consumers", -1},   {"max_msgs", -1},
                      {"max_bytes", -1},       {"max_age", 0}};
  Result<json::Value> made = Ask("STREAM.CREATE." + stream, config);
  if (!made) return Fail(made.error());
  error = json::Find(*made, "error");
  if (error != nullptr && NumberAt(*error, "err_code") == kReplicasNeedACluster) {
    config["num_replicas"] = 1;
    made = Ask("STREAM.CREATE." + stream, config);
    if (!made) return Fail(made.error());
    error = json::Find(*made, "error");
  }
  if (error == nullptr) {
    NoteReplicas(*made);
    return {};
  }
  return Fail(ErrorCode::kIo,
              "NATS refuses to make the stream " + stream + ": " + std::string(json::TextOf(*error, "description")));
}

Result<std::uint64_t> NatsLinkImpl::LastPosition(const std::string& stream) {
  const Result<json::Value> info = AskWell("STREAM.INFO." + stream, json::Object());
  if (!info) return Fail(info.error());
  const json::Value* state = json::Find(*info, "state");
  if (state == nullptr) return Fail(ErrorCode::kIo, "NATS does not say the state of the stream " + stream);
  return NumberAt(*state, "last_seq");
}

Result<void> NatsLinkImpl::MoveLeader(const std::string& stream) {
  const Result<json::Value> done = AskWell("STREAM.LEADER.STEPDOWN." + stream, json::Object());
  if (!done) return Fail(done.error());
  return {};
}

Result<void> NatsLinkImpl::Purge(const std::string& stream, std::uint64_t before) {
  const Result<json::Value> done = AskWell("STREAM.PURGE." + stream, json::Object{{"seq", before}});
  if (!done) return Fail(done.error());
  return {};
}

Result<NatsLinkImpl::InboxPtr> NatsLinkImpl::Inbox(std::string& subject) {
  natsInbox* inbox = nullptr;
  natsStatus status = natsInbox_Create(&inbox);
  if (status != NATS_OK) return Fail(NatsError("cannot make an inbox", status));
  subject = inbox;
  natsInbox_Destroy(inbox);
  natsSubscription* subscription = nullptr;
  status = natsConnection_SubscribeSync(&subscription, connection_.get(), (subject + ".*").c_str());
  if (status != NATS_OK) return Fail(NatsError("cannot subscribe to answers of NATS", status));
  natsSubscription_SetPendingLimits(subscription, -1, -1);
  return InboxPtr(subscription, Retire{this});
}

void NatsLinkImpl::Retire::operator()(natsSubscription* inbox) const {
  natsSubscription_Unsubscribe(inbox);
  const std::lock_guard lock(link->mutex_);
  link->retired_.emplace_back(inbox);
  if (link->retired_.size() > kRetired) link->retired_.pop_front();
}

Result<NatsMsgPtr> NatsLinkImpl::Next(natsSubscription* inbox, const std::string& what) {
  natsMsg* message = nullptr;
  const natsStatus status = natsSubscription_NextMsg(&message, inbox, timeout_ms_);
  if (status != NATS_OK) return Fail(NatsError("NATS JetStream does not deliver " + what, status));
  return NatsMsgPtr(message);
}

Result<void> NatsLinkImpl::Read(const Reading& reading, const std::function<bool(NatsMessage)>& got) {
  if (reading.from > reading.to) return {};
  return Consume(reading, [&](const std::string& consumer) -> Result<void> {
    std::uint64_t at = reading.from - 1;
    Result<bool> more = true;
    while (more && *more) more = ReadSome(reading, consumer, at, got);
    if (!more) return Fail(more.error());
    return {};
  });
}

Result<void> NatsLinkImpl::Follow(const std::string& stream, std::uint64_t from,
                                  const std::function<bool(NatsMessage)>& got) {
  const Reading reading{.stream = stream, .subject = "", .from = from, .to = kEndless, .headers_only = false};
  return Consume(reading, [&](const std::string& consumer) -> Result<void> {
    std::uint64_t at = from - 1;
    bool on = true;
    while (on) {
      const Result<bool> more =
          ReadSome(reading, consumer, at, [&](NatsMessage message) { return on = got(std::move(message)); });
      if (!more) return Fail(more.error());
      NatsMessage none;
      none.more = *more;
      on = on && got(std::move(none));
    }
    return {};
  });
}

Result<void> NatsLinkImpl::Consume(const Reading& reading,
                                   const std::function<Result<void>(const std::string& consumer)>& body) {
  const json::Object config{{"deliver_policy", "by_start_sequence"},
                            {"opt_start_seq", reading.from},
                            {"ack_policy", "none"},
                            {"filter_subject", reading.subject},
                            {"headers_only", reading.headers_only},
                            {"inactive_threshold", 10 * kNanosecondsPerSecond},
                            {"mem_storage", true},
                            {"num_replicas", 1}};
  const Result<json::Value> made =
      AskWell("CONSUMER.CREATE." + reading.stream, json::Object{{"stream_name", reading.stream}, {"config", config}});
  if (!made) return Fail(made.error());
  const std::string consumer(json::TextOf(*made, "name"));
  Result<void> done = body(consumer);
  // If this fails, the server forgets it by itself.
  static_cast<void>(Ask("CONSUMER.DELETE." + reading.stream + "." + consumer, json::Object()).has_value());
  return done;
}

// Returns whether there is more to read.
Result<bool> NatsLinkImpl::ReadSome(const Reading& reading, const std::string& consumer, std::uint64_t& at,
                                    const std::function<bool(NatsMessage)>& got) {
  std::string inbox;
  const Result<InboxPtr> subscription = Inbox(inbox);
  if (!subscription) return Fail(subscription.error());
  const std::uint64_t batch = reading.headers_only ? kHeadersAtATime : kBodiesAtATime;
  const std::string request =
      json::Write(reading.to == kEndless ? json::Object{{"batch", batch}, {"expires", kFollowWait}}
                                         : json::Object{{"batch", batch}, {"no_wait", true}});
  const natsStatus asked = natsConnection_PublishRequestString(
      connection_.get(), ("$JS.API.CONSUMER.MSG.NEXT." + reading.stream + "." + consumer).c_str(),
      (inbox + ".m").c_str(), request.c_str());
  if (asked != NATS_OK) return Fail(NatsError("cannot ask NATS for messages", asked));
  for (std::uint64_t i = 0; i < batch; ++i) {
    const Result<NatsMsgPtr> message = Next(subscription->get(), "messages of the stream " + reading.stream);
    if (!message) return Fail(message.error());
    natsMsg* const raw = message->get();
    const char* reply = natsMsg_GetReply(raw);
    if (reply == nullptr || *reply == '\0') {
      // No more messages, in the view of this consumer. Or an error.
      const std::string code = HeaderOf(raw, "Status");
      if (code == "404" || code == "408") return false;
      return Fail(ErrorCode::kIo, "NATS JetStream stops reading the stream " + reading.stream + " with status " + code);
    }
    const std::optional<NatsDelivered> delivered = ReadNatsDelivered(reply);
    if (!delivered || delivered->position <= at) {
      return Fail(ErrorCode::kIo, "NATS JetStream delivers messages of the stream " + reading.stream + " out of order");
    }
    at = delivered->position;
    if (at > reading.to) return false;
    NatsMessage out{at, natsMsg_GetSubject(raw), HeaderOf(raw, kNatsHeader), {}, delivered->time, delivered->more};
    if (!reading.headers_only) out.body = std::string(BodyOf(raw));
    if (!got(std::move(out)) || at == reading.to) return false;
  }
  return true;
}

Result<std::vector<NatsMessage>> NatsLinkImpl::Get(const std::vector<std::pair<std::string, std::uint64_t>>& places) {
  std::vector<NatsMessage> out(places.size());
  for (std::size_t begin = 0; begin < places.size(); begin += kGetsAtATime) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = begin; i < places.size() && i < begin + kGetsAtATime; ++i) wanted.push_back(i);
    for (int tries = 0; !wanted.empty() && tries < kGetTries; ++tries) {
      if (tries > 0) std::this_thread::sleep_for(kFirstGetPause * (1 << (tries - 1)));
      Result<std::vector<std::size_t>> missing = GetSome(places, wanted, out);
      if (!missing) return Fail(missing.error());
      wanted = std::move(*missing);
    }
    for (const std::size_t i : wanted) {
      Result<NatsMessage> message = GetFromLeader(places[i].first, places[i].second);
      if (message) out[i] = std::move(*message);
      if (!message && message.error().code != ErrorCode::kNotFound) return Fail(message.error());
    }
  }
  return out;
}

Result<NatsMessage> NatsLinkImpl::GetFromLeader(const std::string& stream, std::uint64_t position) {
  const std::string what = "message " + std::to_string(position) + " of the stream " + stream;
  const Result<json::Value> answer = Ask("STREAM.MSG.GET." + stream, json::Object{{"seq", position}});
  if (!answer) return Fail(answer.error());
  if (const json::Value* error = json::Find(*answer, "error")) {
    if (NumberAt(*error, "err_code") == kNoMessage) return Fail(ErrorCode::kNotFound, "NATS does not find " + what);
    return Fail(ErrorCode::kIo, "NATS does not read " + what + ": " + std::string(json::TextOf(*error, "description")));
  }
  const json::Value* message = json::Find(*answer, "message");
  const json::Value nothing;
  const json::Value& found = message == nullptr ? nothing : *message;
  const std::optional<std::string> headers = ReadNatsBase64(json::TextOf(found, "hdrs"));
  std::optional<std::string> body = ReadNatsBase64(json::TextOf(found, "data"));
  if (!headers || !body || NumberAt(found, "seq") != position) {
    return Fail(ErrorCode::kIo, "NATS does not answer what was asked about " + what);
  }
  return NatsMessage{position,
                     std::string(json::TextOf(found, "subject")),
                     std::string(ReadNatsHeader(*headers, kNatsHeader)),
                     std::move(*body),
                     {},
                     false};
}

// Returns which of those wanted were not found.
Result<std::vector<std::size_t>> NatsLinkImpl::GetSome(const std::vector<std::pair<std::string, std::uint64_t>>& places,
                                                       const std::vector<std::size_t>& wanted,
                                                       std::vector<NatsMessage>& out) {
  std::string inbox;
  const Result<InboxPtr> subscription = Inbox(inbox);
  if (!subscription) return Fail(subscription.error());
  for (const std::size_t i : wanted) {
    const std::string request = json::Write(json::Object{{"seq", places[i].second}});
    const natsStatus asked =
        natsConnection_PublishRequestString(connection_.get(), ("$JS.API.DIRECT.GET." + places[i].first).c_str(),
                                            (inbox + "." + std::to_string(i)).c_str(), request.c_str());
    if (asked != NATS_OK) return Fail(NatsError("cannot ask NATS for a message", asked));
  }
  std::vector<std::size_t> missing;
  for (std::size_t answers = 0; answers < wanted.size(); ++answers) {
    const Result<NatsMsgPtr> message = Next(subscription->get(), "a message");
    if (!message) return Fail(message.error());
    natsMsg* const raw = message->get();
    const std::optional<std::uint64_t> which =
        ReadNatsNumber(std::string_view(natsMsg_GetSubject(raw)).substr(inbox.size() + 1));
    if (!which || *which >= out.size()) return Fail(ErrorCode::kIo, "NATS answers a question that was not asked");
    if (HeaderOf(raw, "Nats-Sequence").empty()) {
      missing.push_back(*which);
    } else {
      out[*which] = {places[*which].second,
                     HeaderOf(raw, "Nats-Subject"),
                     HeaderOf(raw, kNatsHeader),
                     std::string(BodyOf(raw)),
                     {},
                     false};
    }
  }
  return missing;
}

Result<void> NatsLinkImpl::Publish(const Post& post) {
  natsMsg* message = nullptr;
  natsStatus status = natsMsg_Create(&message, post.subject.c_str(), (answer_root_ + post.token).c_str(),
                                     post.body.data(), static_cast<int>(post.body.size()));
  const NatsMsgPtr owned(message);
  if (status == NATS_OK) status = natsMsgHeader_Set(message, kNatsHeader, post.header.c_str());
  if (status == NATS_OK && post.expected > 0) {
    status = natsMsgHeader_Set(message, "Nats-Expected-Last-Sequence", std::to_string(post.expected).c_str());
  }
  if (status == NATS_OK) status = natsConnection_PublishMsg(connection_.get(), message);
  if (status != NATS_OK) return Fail(NatsError("cannot publish to NATS", status));
  return {};
}

Result<void> NatsLinkImpl::AskLater(const std::string& api, const std::string& token) {
  const natsStatus status = natsConnection_PublishRequestString(connection_.get(), ("$JS.API." + api).c_str(),
                                                                (answer_root_ + token).c_str(), "{}");
  if (status != NATS_OK) return Fail(NatsError("cannot ask NATS for " + api, status));
  return {};
}

}  // namespace

std::string WhyUnconfirmed(bool full) {
  return full ? std::string("; it ") + kHasNoRoom : "; is a majority of its servers running?";
}

Result<std::unique_ptr<NatsLink>> NatsLink::Connect(const NatsLinkOptions& options, Answered answered) {
  auto link = std::make_unique<NatsLinkImpl>(options, std::move(answered));
  if (Result<void> opened = link->Open(options); !opened) return Fail(opened.error());
  return std::unique_ptr<NatsLink>(std::move(link));
}

}  // namespace openseat::store
