#include "protocols/neuro/dial_agent.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/json_members.h"
#include "base/log.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "net/url.h"
#include "net/websocket_client.h"
#include "protocols/neuro/codec.h"
#include "schema/measure.h"

namespace openseat::neuro {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(250);
constexpr Duration kLongestPause = std::chrono::seconds(30);
// Contexts kept while there is no connection; the oldest go first.
constexpr WaitingLimits kUnsent{.items = 32, .bytes = 1u << 20};
// What a game says may be long, and six times as long when it is written, while a connection may leave 8 MiB unread: so
// many bytes of one message, and of all actions;
constexpr std::size_t kMostSent = 1u << 20;
constexpr std::size_t kMostRegistered = 2u << 20;
// so many of a text that is cut, before it is written;
constexpr std::size_t kMostText = 128u << 10;
// and contexts are left out while more is unread.
constexpr std::size_t kMostUnsent = 1u << 20;
constexpr Duration kRegisterAgainEvery = std::chrono::seconds(1);
constexpr int kMaxUnreadable = 5;  // per decision, as many as the referee allows of other mistakes

// About how long it is in a message, or how long a part of it is that is too long alone.
std::size_t BytesOf(const ActionDefinition& action) {
  constexpr std::size_t kNames = 40;  // of its members
  std::size_t bytes = kNames + schema::WrittenBytes(action.name) + schema::WrittenBytes(action.description);
  if (action.schema && bytes <= kMostSent) bytes += schema::WrittenBytes(*action.schema, kMostSent);
  return bytes;
}

// "The move is not legal" -> a complete sentence.
std::string Sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  const char last = text.back();
  if (last != '.' && last != '!' && last != '?') text += '.';
  return text;
}

// Without the query, which may contain a key.
std::string_view Public(std::string_view url) {
  return url.substr(0, url.find('?'));
}

}  // namespace

Result<DialAgentOptions> ReadDialAgentOptions(const json::Object& options) {
  DialAgentOptions read{.url = std::string(json::TextOf(options, "url")),
                        .game = std::string(json::TextOf(options, "game"))};
  if (const Result<net::WebSocketUrl> checked = net::ParseWebSocketUrl(read.url); !checked) {
    return Fail(ErrorCode::kInvalid, checked.error().message, "url");
  }
  const auto milliseconds = [&options](std::string_view name, Duration fallback) {
    return Duration(
        static_cast<std::int64_t>(json::NumberOf(options, name, static_cast<double>(fallback.count()) / 1000) * 1000));
  };
  read.patience = milliseconds("patience_ms", read.patience);
  read.force_again = milliseconds("force_again_ms", read.force_again);
  return read;
}

AgentKind DialKind() {
  return {.kind = "neuro",
          .title = "Neuro backend",
          .description = "A backend elsewhere that speaks the Neuro API; the server connects to it as a game would.",
          .plays_from = PlaysFrom::kElsewhere,
          .named_by = Namer::kAdmin,
          .options = R"({
            "type": "object",
            "properties": {
              "url": {"type": "string", "minLength": 1, "description": "Its address, as in ws://127.0.0.1:8000."},
              "game": {"type": "string", "description": "The name of the game that it is told; by default the name of the seat's game."},
              "patience_ms": {"type": "number", "minimum": 0, "maximum": 86400000,
                "description": "How long it may be out of reach while it is asked, in milliseconds; 60000 by default, 0: forever."},
              "force_again_ms": {"type": "number", "minimum": 1, "maximum": 86400000,
                "description": "After this long without a try it is asked again, in milliseconds; 60000 by default."}
            },
            "required": ["url"],
            "additionalProperties": false
          })",
          .bare = "url",
          .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            Result<DialAgentOptions> read = ReadDialAgentOptions(options);
            if (!read) return Fail(read.error());
            return std::make_unique<DialAgent>(std::move(*read), DialOverNetwork());
          }};
}

Dial DialOverNetwork(net::WebSocketClientOptions options) {
  return [options = std::move(options)](Scheduler& scheduler, const std::string& url,
                                        std::unique_ptr<net::WebSocketSession> session,
                                        std::function<void(Error)> failed) {
    auto* shard = dynamic_cast<net::Shard*>(&scheduler);
    OPENSEAT_CHECK(shard != nullptr, "an agent or a relay that dials out lives on a shard");
    net::ConnectWebSocket(*shard, url, options, std::move(session), std::move(failed));
  };
}

// The connection's side of it; the agent may be destroyed before the connection is.
class DialAgent::Session final : public net::WebSocketSession {
 public:
  explicit Session(std::shared_ptr<DialAgent*> agent) : agent_(std::move(agent)) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    if (*agent_ == nullptr || (*agent_)->over_) {
      socket->Close(net::close_code::kNormal, "the seat is no longer played from here");
      return;
    }
    id_ = socket->id();
    (*agent_)->OnOpen(std::move(socket));
  }
  void OnText(std::string_view message) override {
    if (Mine()) (*agent_)->OnText(message);
  }
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override {
    if (!Mine()) return;
    (*agent_)->OnLost("the connection was closed (" + std::to_string(closing.code) +
                      (closing.reason.empty() ? "" : ", " + closing.reason) + ")");
  }

 private:
  // Whether this is the agent's current connection.
  bool Mine() const { return *agent_ != nullptr && (*agent_)->socket_ && (*agent_)->socket_->id() == id_; }

  const std::shared_ptr<DialAgent*> agent_;
  std::uint64_t id_ = 0;
};

DialAgent::DialAgent(DialAgentOptions options, Dial dial)
    : options_(std::move(options)), dial_(std::move(dial)), rng_(SecureRandom64()), unsent_(kUnsent) {}

DialAgent::~DialAgent() {
  *self_ = nullptr;
  Leave("somebody else plays this seat");
}

void DialAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  game_ = !options_.game.empty() ? options_.game : seat.briefing().game;
  if (game_.empty()) game_ = "Openseat";
  // Not yet: a table that was over when the server started says so next.
  seat.scheduler().Post([self = self_] {
    if (*self != nullptr && !(*self)->over_) (*self)->Connect();
  });
}

// --- The connection ---

void DialAgent::Connect() {
  dial_(seat_->scheduler(), options_.url, std::make_unique<Session>(self_), [self = self_](const Error& error) {
    if (*self != nullptr) (*self)->OnLost(error.message);
  });
}

void DialAgent::OnOpen(std::shared_ptr<net::WebSocket> socket) {
  socket_ = std::move(socket);
  StopWaiting();
  log::From(seat_->payer_address()).Info("{} of {}: plays from {}", seat_->name(), game_, Public(options_.url));
  EncodeStartup(game_, out_);
  SendOut();
  if (!seat_->briefing().text.empty()) SendContext(seat_->briefing().text, true);
  while (!unsent_.empty()) {
    const Context context = unsent_.Pop();
    SendContext(context.message, context.silent);
  }
  Sync();
  // Forces only the decision that the seat has asked: a question that is still on its way comes after earlier messages.
  const Decision* decision = seat_->decision();
  if (decision != nullptr && asked_ == decision->id && seat_->awaiting() == nullptr) Force(*decision);
}

void DialAgent::OnLost(const std::string& why) {
  socket_.reset();
  registered_.clear();
  registered_bytes_ = 0;
  again_timer_.Cancel();
  fitted_.Clear();
  forced_.reset();
  force_open_ = false;
  owed_.reset();
  force_again_timer_.Cancel();
  if (over_) return;
  const Duration longest = std::min<Duration>(kLongestPause, kFirstPause * (1LL << std::min(failures_, 16)));
  ++failures_;
  // A random pause, so that seats that lost their backend together do not reconnect together.
  const Duration pause(rng_.Between(longest.count() / 2, longest.count()));
  log::From(seat_->payer_address())
      .Warn("{} of {}: {} is out of reach: {}; trying again in {} ms", seat_->name(), game_, Public(options_.url), why,
            pause.count() / 1000);
  connect_timer_.Set(seat_->scheduler(), pause, [this] { Connect(); });
  if (seat_->decision() != nullptr) WaitForBackend();
}

void DialAgent::WaitForBackend() {
  if (options_.patience == Duration(0) || std::exchange(waiting_, true)) return;
  patience_timer_.Set(seat_->scheduler(), options_.patience, [this] {
    waiting_ = false;
    const Decision* decision = seat_->decision();
    // It cannot be given up while a choice awaits its verdict; a refusal asks again.
    if (decision != nullptr)
      static_cast<void>(
          seat_->GiveUp(decision->id, "its backend was out of reach for too long", {{"code", "unreachable"}}));
  });
}

void DialAgent::StopWaiting() {
  patience_timer_.Cancel();
  waiting_ = false;
}

void DialAgent::Leave(std::string_view reason) {
  over_ = true;
  connect_timer_.Cancel();
  StopWaiting();
  force_again_timer_.Cancel();
  again_timer_.Cancel();
  if (!socket_) return;
  UnregisterAll();
  const std::shared_ptr<net::WebSocket> socket = std::exchange(socket_, nullptr);
  socket->Close(net::close_code::kNormal, reason);
}

// --- What the seat says ---

void DialAgent::OnDecision(const Decision& decision) {
  if (over_) {
    static_cast<void>(seat_->GiveUp(decision.id, "its backend has ended the game", {{"code", "unreachable"}}));
    return;
  }
  asked_ = decision.id;
  if (!socket_) {
    WaitForBackend();
    return;
  }
  Sync();
  // Already forced, it was told why its choice was refused, and tries again by itself.
  if (forced_ != decision.id) Force(decision);
}

void DialAgent::OnDecisionEnded(DecisionId decision, DecisionEnd) {
  StopWaiting();
  force_again_timer_.Cancel();
  unreadable_ = 0;
  if (asked_ == decision) asked_.reset();
  if (forced_ == decision) {
    forced_.reset();
    // A force ends when none of its actions is left.
    if (std::exchange(force_open_, false)) UnregisterAll();
  }
  Sync();
}

void DialAgent::OnContext(const Context& context) {
  if (over_) return;
  if (socket_) {
    SendContext(context.message, context.silent);
    return;
  }
  unsent_.PushOverOldest(context, context.message.size());
}

void DialAgent::OnVerdict(const Choice& choice, const Verdict& verdict) {
  // The backend does not know choices from elsewhere, or from an earlier connection.
  if (!choice.by.empty() || !owed_) return;
  const std::string id = std::move(*std::exchange(owed_, std::nullopt));
  switch (verdict.kind) {
    case Verdict::Kind::kAccepted:
      force_open_ = false;
      return SendResult(id, true, verdict.message);
    case Verdict::Kind::kRefused:
      return Refuse(id, verdict.message);
    case Verdict::Kind::kTimedOut:
    case Verdict::Kind::kLost:
      // According to the API: "success" for what failed and must not be tried again.
      force_open_ = false;
      return SendResult(id, true, "The game did not say what became of it, so it probably did not happen.");
  }
}

void DialAgent::OnEnd() {
  if (over_) return;
  if (socket_ && wants_shutdown_) {
    EncodeClient({game_, ProposalMessage{"shutdown/ready"}}, out_);
    SendOut();
  }
  Leave("the game is over");
}

// --- What the backend says ---

void DialAgent::OnText(std::string_view text) {
  const Result<ServerMessage> message = DecodeServer(text);
  if (!message) {
    log::Debug("{} of {}: a message from its backend is ignored: {}", seat_->name(), game_, message.error().message);
    return;
  }
  failures_ = 0;
  if (const auto* action = std::get_if<ActionMessage>(&*message)) {
    OnAction(*action);
  } else if (std::holds_alternative<ReregisterAllMessage>(*message)) {
    RegisterAgain();
  } else if (const auto* graceful = std::get_if<ShutdownGracefulMessage>(&*message)) {
    wants_shutdown_ = graceful->wants_shutdown;  // the end of the game is the next good moment
  } else if (std::holds_alternative<ShutdownImmediateMessage>(*message)) {
    OnShutdown();
  }
}

void DialAgent::OnAction(const ActionMessage& action) {
  force_again_timer_.Cancel();
  Choice choice;
  choice.action = fitted_.ActionName(action.name);
  if (const Decision* decision = seat_->decision()) choice.decision = decision->id;
  Result<json::Value> data = fitted_.Data(action.name, action.data);
  if (!data) {
    Refuse(action.id, "the data must be JSON, and is not: " + data.error().message);
    if (choice.decision && ++unreadable_ >= kMaxUnreadable) {
      static_cast<void>(
          seat_->GiveUp(*choice.decision, "its backend sends data that is not JSON", {{"code", "parse"}}));
    }
    return;
  }
  choice.data = std::move(*data);
  const Result<ChoiceId> chosen = seat_->Choose(std::move(choice));
  if (chosen) {
    owed_ = action.id;
  } else {
    Refuse(action.id, chosen.error().message);
  }
}

void DialAgent::Refuse(const std::string& id, const std::string& why) {
  SendResult(id, false, Sentence(why));
  if (!force_open_) return;
  force_again_timer_.Set(seat_->scheduler(), options_.force_again, [this] {
    if (const Decision* open = seat_->decision(); open != nullptr && seat_->awaiting() == nullptr) Force(*open);
  });
}

// There is nothing to save: the journal keeps the table. A player that left does not play any more.
void DialAgent::OnShutdown() {
  log::From(seat_->payer_address()).Warn("{} of {}: its backend ends the game", seat_->name(), game_);
  EncodeClient({game_, ProposalMessage{"shutdown/ready"}}, out_);
  SendOut();
  Leave("as asked");
  if (const Decision* decision = seat_->decision()) {
    static_cast<void>(seat_->GiveUp(decision->id, "its backend has ended the game", {{"code", "unreachable"}}));
  }
}

// --- What goes out ---

void DialAgent::Sync() {
  if (!socket_) return;
  ActionSet wanted = seat_->actions();
  if (const Decision* decision = seat_->decision()) {
    for (const ActionPtr& action : decision->actions.all()) wanted.Put(action);
  }
  Unregister([&wanted](const Registered& each) { return wanted.Find(each.action->name) != each.action; });
  const std::size_t before = registered_.size();
  std::unordered_set<const Action*> known;
  for (const Registered& each : registered_) known.insert(each.action.get());
  schema::Budget budget(kFitSteps);
  for (const ActionPtr& action : wanted.all()) {
    if (!known.contains(action.get())) Register(action, budget);
  }
  SendRegistered(before);
}

void DialAgent::Register(ActionPtr action, schema::Budget& budget) {
  Registered added{std::move(action), {}, 0};
  added.definition = fitted_.Put(*added.action, budget);
  const std::size_t bytes = BytesOf(added.definition);
  if (bytes > kMostSent || registered_bytes_ + bytes > kMostRegistered) {
    NoteLength("the action " + Ellipsize(added.action->name, 100) + " is not registered with", bytes);
    added.definition.description.clear();
    added.definition.schema.reset();
  } else {
    added.bytes = bytes;
    registered_bytes_ += bytes;
  }
  registered_.push_back(std::move(added));
}

void DialAgent::NoteLength(std::string_view what, std::size_t bytes) {
  log::From(seat_->payer_address())
      .Warn("{} of {}: {} {}: it is too long ({} bytes)", seat_->name(), game_, what, Public(options_.url), bytes);
}

void DialAgent::Force(const Decision& decision) {
  ForceMessage force;
  force.query = decision.query;
  if (!decision.refusal.empty()) force.query += " Your last choice was refused: " + Sentence(decision.refusal);
  if (const std::string& state = decision.sight->text(); !state.empty()) force.state = state;
  force.ephemeral_context = decision.ephemeral;
  force.priority = decision.priority;
  for (const Registered& each : registered_) {
    if (each.bytes != 0 && decision.actions.Find(each.action->name) != nullptr) {
      force.action_names.push_back(each.definition.name);
    }
  }
  const std::size_t text = force.query.size() + (force.state ? force.state->size() : 0);
  if (text <= kMostSent) EncodeForce(game_, force, out_);
  if (text > kMostSent || out_.size() > kMostSent) {
    NoteLength("the question is cut for", std::max(text, out_.size()));
    out_.clear();
    force.query = Ellipsize(force.query, kMostText / 2);
    if (force.state) force.state = Ellipsize(*force.state, kMostText / 2);
    EncodeForce(game_, force, out_);
  }
  if (force.action_names.empty() || out_.size() > kMostSent) {
    out_.clear();
    static_cast<void>(seat_->GiveUp(decision.id, "what it may do is too long for its backend", {{"code", "too-long"}}));
    return;
  }
  SendOut();
  forced_ = decision.id;
  force_open_ = true;
}

void DialAgent::Unregister(const std::function<bool(const Registered&)>& gone) {
  if (!socket_) return;
  std::vector<std::string> names;
  std::erase_if(registered_, [&](const Registered& each) {
    if (!gone(each)) return false;
    if (each.bytes != 0) names.push_back(each.definition.name);
    registered_bytes_ -= each.bytes;
    fitted_.Remove(each.definition.name);
    return true;
  });
  if (names.empty()) return;
  EncodeUnregister(game_, names, out_);
  SendOut();
}

void DialAgent::UnregisterAll() {
  Unregister([](const Registered&) { return true; });
}

void DialAgent::SendRegistered(std::size_t from) {
  std::vector<ActionDefinition> definitions;
  std::size_t bytes = 0;
  const auto send = [&] {
    if (definitions.empty()) return;
    EncodeRegister(game_, definitions, out_);
    SendOut();
    definitions.clear();
    bytes = 0;
  };
  for (std::size_t i = from; i < registered_.size(); ++i) {
    if (registered_[i].bytes == 0) continue;
    if (bytes + registered_[i].bytes > kMostSent) send();
    bytes += registered_[i].bytes;
    definitions.push_back(registered_[i].definition);
  }
  send();
}

void DialAgent::RegisterAgain() {
  const Instant now = seat_->scheduler().clock().Monotonic();
  if (registered_again_ != Instant() && now - registered_again_ < kRegisterAgainEvery) {
    again_timer_.Set(seat_->scheduler(), kRegisterAgainEvery - (now - registered_again_), [this] { RegisterAgain(); });
    return;
  }
  registered_again_ = now;
  if (socket_) SendRegistered(0);
}

void DialAgent::SendContext(const std::string& message, bool silent) {
  if (!socket_) return;
  if (socket_->unsent() > kMostUnsent) {
    return NoteLength("a context is left out, with what is unread by", message.size() + socket_->unsent());
  }
  if (message.size() <= kMostSent) EncodeContext(game_, {message, silent}, out_);
  if (message.size() > kMostSent || out_.size() > kMostSent) {
    NoteLength("a context is cut for", std::max(message.size(), out_.size()));
    out_.clear();
    EncodeContext(game_, {Ellipsize(message, kMostText), silent}, out_);
  }
  SendOut();
}

void DialAgent::SendResult(const std::string& id, bool success, std::string message) {
  if (message.size() > kMostText) {
    NoteLength("a result is cut for", message.size());
    message = Ellipsize(message, kMostText);
  }
  EncodeResult(game_, {id, success, std::move(message)}, out_);
  SendOut();
}

void DialAgent::SendOut() {
  if (socket_) socket_->SendText(out_);
  out_.clear();
}

}  // namespace openseat::neuro
