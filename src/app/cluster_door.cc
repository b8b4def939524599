#include "app/cluster_door.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "agents/external/seat_token.h"
#include "app/cluster_calls.h"
#include "app/cluster_links.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "base/waiting.h"
#include "match/invite.h"
#include "net/client_address.h"
#include "net/percent.h"
#include "net/url.h"
#include "oauth/sign_in.h"
#include "protocols/chimera/codec.h"
#include "protocols/mcp/era.h"

namespace openseat::app {
namespace {

// "SECRET ADDRESS", where the address is "local" for clients that may do what the operator may.
constexpr const char* kPassedOn = "X-Openseat-Passed-On";
constexpr std::string_view kLocal = "local";
// HttpRequest::who, percent-encoded.
constexpr const char* kKeyOf = "X-Openseat-Key-Of";

// Longer than any request waits for news.
constexpr Duration kAnswerTimeout = std::chrono::minutes(3);
constexpr Duration kConnectTimeout = std::chrono::seconds(3);
// A client that follows events reconnects after this.
constexpr Duration kFollowTimeout = std::chrono::hours(6);
// For requests that go to all nodes while a client waits.
constexpr Duration kAskTimeout = std::chrono::seconds(2);
constexpr std::size_t kMaxAskedBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxAnswerBytes = std::size_t{256} << 20;

// What concerns this connection only, or was judged here.
constexpr std::array<std::string_view, 23> kNotPassedOn{"Host",
                                                        "Connection",
                                                        "Keep-Alive",
                                                        "Proxy-Connection",
                                                        "TE",
                                                        "Trailer",
                                                        "Upgrade",
                                                        "Expect",
                                                        "Content-Length",
                                                        "Transfer-Encoding",
                                                        "Origin",
                                                        "Accept-Encoding",
                                                        "X-Forwarded-For",
                                                        "X-Forwarded-Host",
                                                        "X-Forwarded-Proto",
                                                        "Forwarded",
                                                        "X-Real-IP",
                                                        "Via",
                                                        "Date",
                                                        "Content-Encoding",
                                                        "Server",
                                                        kPassedOn,
                                                        kKeyOf};

bool GoesAlong(std::string_view name) {
  const auto is = [name](std::string_view other) { return EqualsIgnoringCase(name, other); };
  return std::ranges::none_of(kNotPassedOn, is) && !name.starts_with("Sec-") && !name.starts_with("sec-") &&
         !name.starts_with("Access-Control-");
}

net::HttpResponse AsOurs(net::HttpResponse answer) {
  net::HttpResponse response;
  response.status = answer.status;
  response.body = std::move(answer.body);
  for (const auto& [name, value] : answer.headers.all()) {
    if (GoesAlong(name)) response.headers.Add(name, value);
  }
  return response;
}

// Whether the request is one of a client that waits: without it, nobody wants it. One that changes something goes on.
bool EndsWithItsClient(const net::HttpRequest& request) {
  return request.method == net::Method::kGet || request.method == net::Method::kHead || request.path == "/mcp";
}

// Events of another node that a client of ours follows. On the door's scheduler.
struct Following {
  std::optional<net::HttpReply> reply;  // until the first bytes come
  std::optional<net::HttpStream> stream{};

  void OnBody(std::string_view bytes) {
    if (reply) {
      net::HttpResponse head;
      head.headers.Set("Content-Type", "text/event-stream");
      head.headers.Set("Cache-Control", "no-cache");
      head.headers.Set("X-Accel-Buffering", "no");
      stream.emplace(std::move(*reply).Stream(std::move(head)));
      reply.reset();
    }
    if (stream) stream->Write(bytes);
  }
  void End(net::HttpResponse response) {
    if (reply) std::move(*reply).Send(std::move(response));
    reply.reset();
    stream.reset();
  }
};

class ChimeraSwitch;

// The client's socket as the session of this node sees it.
class ChimeraTap final : public net::WebSocketTap {
 public:
  ChimeraTap(std::shared_ptr<ChimeraSwitch*> client, std::shared_ptr<net::WebSocket> socket)
      : WebSocketTap(std::move(socket)), client_(std::move(client)) {}

  net::SendStatus SendText(std::string_view message) override;

 private:
  const std::shared_ptr<ChimeraSwitch*> client_;
};

// A client's Chimera connection: its messages go to the node that they are about. A client plays one match at a time in
// the cluster: before it may play another one, the sessions that it has at the other nodes are asked whether it plays
// there, by a request that each of them refuses.
class ChimeraSwitch final : public net::WebSocketSession, NodeLinks::Client {
 public:
  // `forwards`: false if another node passed it on.
  ChimeraSwitch(const ClusterDoor& door, const net::HttpRequest& request, std::unique_ptr<net::WebSocketSession> here,
                bool forwards)
      : door_(door),
        here_(std::move(here)),
        forwards_(forwards),
        links_(door, request, "/chimera", kMaxChimeraMessage, *this),
        payer_(request.payer),
        held_(payer_) {}
  ~ChimeraSwitch() override { *self_ = nullptr; }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = socket;
    here_->OnOpen(forwards_ ? std::make_shared<ChimeraTap>(self_, std::move(socket)) : std::move(socket));
  }
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override {
    *self_ = nullptr;
    links_.Close();
    timer_.Cancel();
    here_->OnClosed(closing);
  }
  std::size_t waiting() const override { return held_.count().bytes() + here_->waiting(); }

  // A message of a session: whether it answers our question, and is not for the client.
  bool Heard(std::string_view message);

 private:
  // A request that wants to play, and waits for the answers of so many sessions.
  struct Wish {
    std::string message;
    json::Value id;
    std::size_t missing = 0;
    std::optional<std::string> refusal{};  // the client plays a match, and this says which
  };
  void OnLinkMessage(const std::string& /*node*/, std::string_view message) override {
    if (!Heard(message)) socket_->SendText(message);
  }
  void OnLinkLost(const std::string& /*node*/, bool was_connected, const net::Closing& closing) override {
    if (!was_connected) return End("the match's server does not answer: " + closing.reason);
    End(closing.reason.empty() ? "the match goes on at another server" : closing.reason);
  }
  void Serve(std::string_view message);
  // To the node that has the match.
  void Forward(const std::optional<TableId>& match, std::string_view message);
  // Asks all sessions but that at `node` ("" is here) whether the client plays there.
  void AskOthers(const std::string& node, const std::vector<store::NodeBeat>& links);
  void Decide();
  // Whether a node vanished.
  void LookAround() {
    timer_.Set(socket_->scheduler(), kLookAround, [this] { LookAround(); });
    if (links_.HasGone()) End("the match's server gives no sign of life; come back");
  }
  // Closes the client's connection; nothing more is done for it.
  void End(const std::string& reason, std::uint16_t code = net::close_code::kGoingAway) {
    if (std::exchange(ended_, true)) return;
    held_.Clear();
    socket_->Close(code, reason);
  }

  static constexpr std::size_t kMaxChimeraMessage = std::size_t{4} << 20;
  static constexpr Duration kLookAround = std::chrono::seconds(1);
  static constexpr std::size_t kQuestionLength = 20;

  const ClusterDoor& door_;
  const std::unique_ptr<net::WebSocketSession> here_;
  const bool forwards_;
  std::shared_ptr<net::WebSocket> socket_;
  ScopedTimer timer_;  // once there is a link
  NodeLinks links_;
  const std::shared_ptr<Payer> payer_;
  const std::string question_ = SecureToken(kQuestionLength);  // the id of our requests
  bool ended_ = false;
  std::optional<Wish> wish_;
  WaitingQueue<std::string> held_;                                                 // what came after it
  std::shared_ptr<ChimeraSwitch*> self_ = std::make_shared<ChimeraSwitch*>(this);  // null inside once this is closed
};

net::SendStatus ChimeraTap::SendText(std::string_view message) {
  if (*client_ != nullptr && (*client_)->Heard(message)) return net::SendStatus::kTaken;
  return WebSocketTap::SendText(message);
}

void ChimeraSwitch::OnText(std::string_view message) {
  if (ended_) return;
  if (!wish_ && held_.empty()) return Serve(message);
  if (held_.Push(std::string(message), message.size())) return;
  const Refusal refusal = held_.count().Refuse(payer_.get());
  End(refusal.Text(), net::CloseCodeFor(refusal.limit));
}

void ChimeraSwitch::Serve(std::string_view message) {
  const MessageSubject subject = SubjectOfMessage(message);
  if (!forwards_ || !subject.wants) return Forward(subject.match, message);
  const std::string node = subject.match ? door_.node().NodeOf(*subject.match).value_or(std::string()) : std::string();
  std::vector<store::NodeBeat> others = links_.Nodes();
  std::erase_if(others, [&node](const store::NodeBeat& each) { return each.node == node; });
  const std::size_t count = others.size() + (node.empty() ? 0 : 1);
  if (count == 0) return Forward(subject.match, message);
  wish_ = Wish{.message = std::string(message), .id = *subject.wants, .missing = count};
  AskOthers(node, others);
}

void ChimeraSwitch::Forward(const std::optional<TableId>& match, std::string_view message) {
  if (!match) return here_->OnText(message);
  const ClusterNode::Place place = door_.node().PlaceOf(*match);
  if (place.here) return here_->OnText(message);
  if (!forwards_ || !place.elsewhere || place.elsewhere->address.empty()) {
    return End("the match moves to another server just now; come back");
  }
  const bool first = links_.empty();
  if (!links_.Send(*socket_, *place.elsewhere, message)) return End("too much waits for another server");
  if (first) LookAround();
}

void ChimeraSwitch::AskOthers(const std::string& node, const std::vector<store::NodeBeat>& links) {
  // A session that plays says so before it says that it expected an object as parameters.
  const std::string question = R"({"type":"request","id":")" + question_ + R"(","operation":"join-match","params":[]})";
  for (const store::NodeBeat& each : links) {
    if (!links_.Send(*socket_, each, question)) return End("too much waits for another server");
  }
  if (!node.empty()) here_->OnText(question);
}

bool ChimeraSwitch::Heard(std::string_view message) {
  constexpr std::string_view kBegin = R"({"type":"response","id":")";
  if (!wish_ || !message.starts_with(kBegin) || !message.substr(kBegin.size()).starts_with(question_)) return false;
  const Result<json::Value> answer = json::Parse(message);
  const json::Value* error = answer ? json::Find(*answer, "error") : nullptr;
  const json::Value* code = error == nullptr ? nullptr : json::Find(*error, "code");
  if (code != nullptr && *code == json::Value(static_cast<int>(chimera::Code::kAlreadyInMatch))) {
    const json::Value* data = json::Find(*error, "data");
    wish_->refusal = data == nullptr ? std::string_view() : json::TextOf(*data, "details");
  }
  if (--wish_->missing > 0) return true;
  // Later: a session is on the stack.
  socket_->scheduler().Post([self = self_] {
    if (*self != nullptr) (*self)->Decide();
  });
  return true;
}

void ChimeraSwitch::Decide() {
  if (ended_) return;
  const Wish wish = *std::exchange(wish_, std::nullopt);
  if (!wish.refusal) {
    Forward(SubjectOfMessage(wish.message).match, wish.message);
  } else {
    std::string text;
    chimera::EncodeError(wish.id, {chimera::Code::kAlreadyInMatch, *wish.refusal}, text);
    socket_->SendText(text);
  }
  while (!wish_ && !held_.empty()) Serve(held_.Pop());
}

}  // namespace

std::optional<TableId> TableOfRequest(const net::HttpRequest& request) {
  const auto below = [&request](std::string_view prefix) { return request.path.starts_with(prefix); };
  std::string_view named;
  if (below("/api/v1/tables/") || below("/api/games/")) {
    named = request.Param("id");
  } else if (below("/game/")) {
    // A key of a seat begins with the name of its table; one of an account names none.
    const Result<SeatToken> token = ParseSeatToken(request.headers.Get("X-JNet-API"));
    if (token) return token->table;
  }
  if (named.empty()) return std::nullopt;
  return ParseMatchName(named).id;
}

MessageSubject SubjectOfMessage(std::string_view message) {
  // Within the limits of a session, which refuses anything else.
  const Result<json::Value> parsed = json::Parse(message, chimera::kMessageLimits);
  if (!parsed || !parsed->is_object()) return {};
  MessageSubject subject;
  const json::Value* id = json::Find(*parsed, "id");
  const std::string_view operation = json::TextOf(*parsed, "operation");
  if (id != nullptr && (id->is_string() || id->is_number()) && json::TextOf(*parsed, "type") == "request" &&
      (operation == "create-match" || operation == "join-match")) {
    subject.wants = *id;
  }
  const json::Value* params = json::Find(*parsed, "params");
  const json::Value* match = params == nullptr ? nullptr : json::Find(*params, "match-id");
  // The code of a seat begins with the name of its match.
  if (params != nullptr && match == nullptr && json::TextOf(*params, "code").find('.') != std::string_view::npos) {
    match = json::Find(*params, "code");
  }
  if (match == nullptr || !match->is_string()) return subject;
  TableId named = ParseMatchName(json::View(match->get_string())).id;
  if (!named.empty()) subject.match = std::move(named);
  return subject;
}

void SetPassedOn(net::Headers& headers, const store::NodeBeat& to, bool operates, const std::string& from,
                 const std::string& who) {
  headers.Set(kPassedOn, to.secret + " " + (operates ? std::string(kLocal) : from));
  if (!who.empty()) headers.Set(kKeyOf, net::PercentEncode(who));
}

ClusterDoor::ClusterDoor(const ClusterNode& node, net::HttpCaller& caller, net::Shard& home,
                         std::function<bool(const net::HttpRequest&)> operates)
    : node_(node),
      home_(home),
      calls_([&node](const store::NodeBeat& to) { return node.Lives(to); }, caller, home),
      operates_(std::move(operates)) {}

net::Headers ClusterDoor::HeadersFor(const store::NodeBeat& to, const net::HttpRequest& request) const {
  net::Headers headers;
  for (const auto& [name, value] : request.headers.all()) {
    if (GoesAlong(name)) headers.Add(name, value);
  }
  SetPassedOn(headers, to, operates_(request), net::ClientAddress(request), request.who);
  return headers;
}

std::optional<net::Trust::PassedOn> ClusterDoor::PassedOn(const net::HttpRequest& request) const {
  const std::string_view header = request.headers.Get(kPassedOn);
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || !EqualSecrets(header.substr(0, space), node_.secret())) return std::nullopt;
  const std::string_view from = header.substr(space + 1);
  if (from == kLocal) return net::Trust::PassedOn{"127.0.0.1", true};
  return net::Trust::PassedOn{std::string(from), false,
                              net::PercentDecode(request.headers.Get(kKeyOf)).value_or(std::string())};
}

bool ClusterDoor::AskElsewhere(const net::HttpRequest& request, const std::string& token,
                               const std::function<void(Result<bool>)>& done) const {
  const TableId match = ParseMatchName(token).id;
  if (match.empty()) return false;
  const ClusterNode::Place place = node_.PlaceOf(match);
  if (place.here || !place.elsewhere || place.elsewhere->address.empty()) return false;
  net::HttpRequest asked = request;
  asked.method = net::Method::kGet;
  asked.path = asked.target = std::string(kAdmitsPath) + "?token=" + net::PercentEncode(token);
  calls_.Make()->Start(
      *place.elsewhere, CallTo(*place.elsewhere, asked), [done](const Result<net::HttpResponse>& answer) {
        const bool told = answer && (answer->status == 200 || answer->status == 403);
        done(told ? Result<bool>(answer->status == 200)
                  : Fail(ErrorCode::kClosed, "the match's server did not say whether the token opens it"));
      });
  return true;
}

bool ClusterDoor::Detour(const net::HttpRequest& request, net::HttpReply& reply) const {
  if (request.path == "/mcp") {
    // A session is at the node that made it. Where that one is gone, the client is told that its session is.
    const auto other = node_.Other(NodeOfId(mcp::TrimHeader(request.headers.Get(mcp::kSessionHeader))));
    if (!other || PassedOn(request)) return false;
    PassOnTo(*other, request, std::move(reply));
    return true;
  }
  if (request.path == oauth::kCallbackPath) {
    // An attempt to sign in ends where it began.
    const std::string* state = request.Query("state");
    const auto other = node_.Other(NodeOfId(state == nullptr ? std::string_view() : *state));
    if (!other || PassedOn(request)) return false;
    PassOnTo(*other, request, std::move(reply));
    return true;
  }
  const std::optional<TableId> table = TableOfRequest(request);
  if (!table) return false;
  const ClusterNode::Place place = node_.PlaceOf(*table);
  if (place.here) return false;
  // Two nodes that do not agree about who has it must not send a request to and fro.
  if (!place.elsewhere || place.elsewhere->address.empty() || PassedOn(request)) {
    std::move(reply).Send(Moving(request.path));
    return true;
  }
  if (request.path.starts_with("/api/games/") && request.path.ends_with("/events")) {
    FollowAt(*place.elsewhere, request, std::move(reply));
  } else {
    PassOnTo(*place.elsewhere, request, std::move(reply));
  }
  return true;
}

net::HttpResponse ClusterDoor::Refusal(const std::string& path, const Error& error) const {
  net::HttpResponse response = error_form_(path, 503, error);
  response.headers.Set("Retry-After", "1");
  return response;
}

net::HttpResponse ClusterDoor::Moving(const std::string& path) const {
  return Refusal(path, {ErrorCode::kBusy, "what this is about moves to another server just now; ask again", {}});
}

net::HttpResponse ClusterDoor::AnswerOf(const std::string& node, const std::string& path,
                                        Result<net::HttpResponse> answer) const {
  if (answer) return AsOurs(std::move(*answer));
  return Refusal(
      path, {ErrorCode::kIo,
             "the server \"" + node + "\" gave no answer; what was asked may have happened: " + answer.error().message,
             {}});
}

net::HttpCall ClusterDoor::CallTo(const store::NodeBeat& to, const net::HttpRequest& request) const {
  net::HttpCall call;
  call.method = request.method;
  call.url = UrlAt(to, request.target);
  call.headers = HeadersFor(to, request);
  call.body = request.body;
  call.timeout = kAnswerTimeout;
  call.connect_timeout = kConnectTimeout;
  call.max_body_bytes = kMaxAnswerBytes;
  call.proxy = "";
  return call;
}

void ClusterDoor::PassOnTo(const store::NodeBeat& to, const net::HttpRequest& request, net::HttpReply reply) const {
  const auto call = calls_.Make();
  if (EndsWithItsClient(request)) reply.OnGone(call->Canceler());
  const auto waiting = std::make_shared<net::HttpReply>(std::move(reply));
  call->Start(to, CallTo(to, request),
              [this, waiting, node = to.node, path = request.path](Result<net::HttpResponse> answer) {
                std::move(*waiting).Send(AnswerOf(node, path, std::move(answer)));
              });
}

std::function<void()> ClusterDoor::PassOn(const std::string& node, const net::HttpRequest& request,
                                          std::function<void(net::HttpResponse)> done) const {
  const std::optional<store::NodeBeat> to = node_.Other(node);
  if (!to) {
    done(Moving(request.path));
    return [] {};
  }
  const auto call = calls_.Make();
  call->Start(*to, CallTo(*to, request),
              [this, done = std::move(done), node, path = request.path](Result<net::HttpResponse> answer) {
                done(AnswerOf(node, path, std::move(answer)));
              });
  if (!EndsWithItsClient(request)) return [] {};
  return call->Canceler();
}

void ClusterDoor::FollowAt(const store::NodeBeat& to, const net::HttpRequest& request, net::HttpReply reply) const {
  const auto call = calls_.Make();
  const auto following = std::make_shared<Following>();
  reply.OnGone([this, following, cancel = call->Canceler()] {
    cancel();
    home_.Post([following] { following->stream.reset(); });
  });
  following->reply = std::move(reply);
  net::HttpCall followed = CallTo(to, request);
  followed.timeout = kFollowTimeout;
  followed.on_body = [following](std::string_view bytes) { following->OnBody(bytes); };
  call->Start(to, std::move(followed),
              [this, following, node = to.node, path = request.path](Result<net::HttpResponse> answer) {
                following->End(AnswerOf(node, path, std::move(answer)));
              });
}

void ClusterDoor::AskAll(const net::HttpRequest& request, std::string target,
                         std::function<void(std::vector<Answer>)> done) const {
  std::vector<NodeCalls::To> calls;
  for (const store::NodeBeat& to : node_.Others()) {
    net::HttpCall call;
    call.url = UrlAt(to, target);
    for (const char* name : {"Authorization", "Cookie", "X-JNet-API"}) {
      if (request.headers.Has(name)) call.headers.Set(name, std::string(request.headers.Get(name)));
    }
    SetPassedOn(call.headers, to, operates_(request), net::ClientAddress(request));
    call.timeout = kAskTimeout;
    call.connect_timeout = kAskTimeout;
    call.max_body_bytes = kMaxAskedBytes;
    call.proxy = "";
    calls.emplace_back(to, std::move(call));
  }
  calls_.CallAll(std::move(calls), std::move(done));
}

std::unique_ptr<net::WebSocketSession> ClusterDoor::Chimera(const net::HttpRequest& request,
                                                            std::unique_ptr<net::WebSocketSession> here) const {
  return std::make_unique<ChimeraSwitch>(*this, request, std::move(here), !PassedOn(request));
}

}  // namespace openseat::app
