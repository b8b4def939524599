// Which requests an HttpConnection accepts, who answers them, and when it is their turn.
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/loop_bill.h"
#include "base/text.h"
#include "net/client_address.h"
#include "net/http_connection.h"
#include "net/operations.h"
#include "net/origin.h"
#include "net/websocket_connection.h"
#include "net/websocket_handshake.h"

namespace openseat::net {
namespace {

// For how long a browser need not ask again, in seconds.
constexpr const char* kPreflightSeconds = "600";

// What a page that may read answers may ask for here: the methods of the path, and any headers.
void AddPreflight(const HttpRequest& request, HttpResponse& response) {
  response.headers.Add("Access-Control-Allow-Methods", std::string(response.headers.Get("Allow")));
  const std::string_view headers = request.headers.Get("Access-Control-Request-Headers");
  if (!headers.empty()) response.headers.Add("Access-Control-Allow-Headers", std::string(headers));
  response.headers.Add("Access-Control-Max-Age", kPreflightSeconds);
}

// The prefix of the path whose errors have a form of their own, or "". It stands for the path in RouterImpl::Error.
std::string_view FormOf(const RouterImpl& router, std::string_view path) {
  for (const auto& form : router.errors) {
    if (path.starts_with(form.first)) return form.first;
  }
  return {};
}

}  // namespace

// An answer that no handler gives, in the form for the path.
HttpResponse HttpConnection::Failure(std::string_view path, int status, std::string_view message) const {
  return core_->router.impl().Error(path, status, message);
}

HttpResponse HttpConnection::TooMuch(std::string_view path, const Refusal& refusal) const {
  HttpResponse response = Failure(path, refusal.limit == Limit::kMemory ? 503 : 429, refusal.Text());
  response.headers.Set("Retry-After", RetryAfterSeconds(refusal.wait));
  return response;
}

HttpResponse HttpConnection::Unreadable() const {
  if (const auto& beyond = parser_->beyond()) static_cast<void>(payer().Refuse(beyond->limit, beyond->allowed));
  return Failure(parser_->request().path, parser_->error_status(), parser_->error_message());
}

HttpResponse HttpConnection::TooLate() const {
  const Duration timeout = body_begun_ ? core_->limits.body_timeout : core_->limits.header_timeout;
  const auto seconds = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(timeout).count());
  const Refusal refusal = payer().Refuse(body_begun_ ? Limit::kBodyTime : Limit::kHeaderTime, seconds);
  return Failure(parser_ == nullptr ? std::string_view() : parser_->request().path, 408, refusal.Text());
}

Payer& HttpConnection::payer() const {
  if (parser_ != nullptr && parser_->request().payer != nullptr) return *parser_->request().payer;
  return *payer_;
}

std::optional<HttpResponse> HttpConnection::Admit(RequestParser& parser) {
  HttpRequest& request = parser.request();
  request.peer = peer_;
  request.loopback = loopback_;
  request.payer = payer_;
  reads_ = request.method == Method::kGet || request.method == Method::kHead;
  charged_ = false;
  const Trust& trust = core_->router.impl().trust;
  if (auto passed_on = trust.passed_on ? trust.passed_on(request) : std::nullopt) {
    request.peer = std::move(passed_on->peer);
    request.loopback = passed_on->loopback;
    request.headers.Set("Host", "localhost");  // by which name the client came was judged there, too
    // It was counted and charged there.
    uncharged_ = 0;
    PayOurselves();
    request.who = std::move(passed_on->who);
    const Instant now = shard_.clock().Monotonic();
    request.payer = core_->budget().PayerOf(request.peer, now)->WithKey(request.who, now);
    page_.clear();
    unfinished_.Release();
    return Route(parser);
  }
  page_ = AllowedOrigin(request, trust.origins);
  request.forwarded_for = ForwardedFor(request, trust.proxies);
  request.https = request.forwarded_for ? EqualsIgnoringCase(request.headers.Get("X-Forwarded-Proto"), "https")
                                        : transport_.encrypted();
  if (request.forwarded_for) {
    request.payer = core_->budget().PayerOf(ClientAddress(request), shard_.clock().Monotonic());
    unfinished_.Release();
  }
  charged_ = !Pace::Unlimited(*request.payer);
  if (const auto refused = Charge(request, 1)) return TooMuch(request.path, *refused);
  const bool comes_anew = !std::exchange(admitted_, true) || parser.wants_websocket() || body_begun_;
  operation_ = IsOperation(request.path);
  if (comes_anew && !operation_) {
    if (const auto refused = request.payer->RefuseForMemory()) return TooMuch(request.path, *refused);
  }
  // Before it is done: a client repeats what is refused. How large the answer will be is not known yet.
  if (!reads_ && request.method != Method::kOptions) {
    if (const auto refused = request.payer->RefuseForUnread()) return TooMuch(request.path, *refused);
  }
  return Route(parser);
}

std::optional<Refusal> HttpConnection::Charge(const HttpRequest& request, std::uint64_t messages) {
  const std::size_t bytes = std::exchange(uncharged_, 0);
  if (!charged_) return std::nullopt;
  Pace of_proxied;  // a proxy's connections carry the requests of many clients, who are limited only by address
  Pace& pace = request.payer == payer_ ? pace_ : of_proxied;
  return pace.Take(*request.payer, messages, bytes, shard_.clock().Monotonic());
}

bool HttpConnection::Affords(std::size_t bytes) {
  const TlsOverhead tls = transport_.TakeOverhead();
  bytes += tls.bytes;
  return bytes == 0 || Pace::Unlimited(*payer_) || !pace_.Take(*payer_, tls.records, bytes, shard_.clock().Monotonic());
}

void HttpConnection::ChargeUnused() {
  static_cast<void>(Affords(std::exchange(uncharged_, 0) + in_.size()));
  Empty(in_);
}

void HttpConnection::PayOurselves() {
  std::shared_ptr<Payer> ours = core_->budget().OwnPayer();
  if (payer_ == ours) return;
  auto place = ours->Hold(Holding::kConnections);
  if (!place) return;  // until the next request
  payer_ = std::move(ours);
  admission_.payer = payer_;
  admission_.place = std::move(*place);
}

std::optional<HttpResponse> HttpConnection::Route(RequestParser& parser) {
  HttpRequest& request = parser.request();
  const RouterImpl& router = core_->router.impl();
  const bool upgrade = parser.wants_websocket();
  match_ = router.Find(request.method, upgrade, parser.segments());
  request.params = std::move(match_.params);
  request.page = match_.page;

  if (upgrade && match_.websocket == nullptr && match_.handler == nullptr) {
    return router.Error(request.path, router.NoWebSocket(request));
  }
  if (match_.allow.empty() && request.target != "*") {
    return Failure(request.path, 404, "nothing is at " + request.path);
  }
  const bool misses_upgrade =
      !upgrade && match_.handler == nullptr && match_.websocket != nullptr && request.method == Method::kGet;
  if (match_.handler == nullptr && !misses_upgrade && !(upgrade && match_.websocket != nullptr)) {
    if (request.method == Method::kOptions) {
      HttpResponse response;
      response.status = 204;
      response.headers.Add("Allow",
                           match_.allow.empty() ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" : match_.allow);
      if (!page_.empty()) AddPreflight(request, response);
      return response;
    }
    HttpResponse response = Failure(
        request.path, 405, std::string(MethodName(request.method)) + " is not offered here; " + match_.allow + " are");
    response.headers.Add("Allow", match_.allow);
    return response;
  }
  if (!upgrade && !misses_upgrade) match_.websocket = nullptr;
  if (const auto& guard = router.guard) {
    if (auto allowed = guard(request); !allowed) return router.Error(request.path, allowed.error());
  }
  return std::nullopt;
}

void HttpConnection::Handle() {
  state_ = State::kHandling;
  deadline_ = Instant();  // the handler has its own
  // The handler may use the request even after it has answered.
  std::unique_ptr<RequestParser> parser = std::move(parser_);
  HttpRequest& request = parser->request();
  last_ = last_ || !parser->keep_alive();
  answer_ = {.head = request.method == Method::kHead,
             .keep_alive = true,
             .http_1_0 = parser->http_1_0(),
             .tls = transport_.encrypted(),
             .by_origin = by_origin()};
  const std::optional<HttpResponse> refusal = body_begun_ ? std::nullopt : Admit(*parser);
  answer_.readable_by = page_;
  asker_ = request.payer != nullptr ? request.payer : payer_;
  if (refusal) return Answer(*refusal);
  coding_ = reads_ ? BestCoding(request.headers.Get("Accept-Encoding")) : Coding::kIdentity;
  form_ = reads_ ? FormOf(core_->router.impl(), request.path) : std::string_view();
  if (match_.websocket != nullptr) return AskWhether(request, *match_.websocket, parser->wants_websocket());
  LoopSharePtr share = ShareOf(asker_, share_);
  if (!ShardImpl::MustWait(*share)) {
    const auto self = shared_from_this();  // the connection may end meanwhile
    const ShardImpl::Charge charge(shard_, std::move(share));
    return Call(request);
  }
  waiting_ = std::move(parser);
  shard_.Defer(std::move(share), [self = shared_from_this()] {
    const std::unique_ptr<RequestParser> turn = std::move(self->waiting_);
    if (self->state_ != State::kHandling || turn == nullptr) return;
    self->CountUnfinished();
    self->Call(turn->request());
  });
}

void HttpConnection::Call(HttpRequest& request) {
  HttpReply reply(shared_from_this());
  if (const auto& detour = core_->router.impl().detour; detour && detour(request, reply)) return;
  (*match_.handler)(request, std::move(reply));
}

// A browser is not told why its WebSocket was refused; the same address without an upgrade tells it.
void HttpConnection::AskWhether(const HttpRequest& request, const WebSocketRoute& route, bool upgrade) {
  const LoopSharePtr share = ShareOf(asker_, share_);
  const LoopBill bill(share);
  if (!route.options.admit) return Admitted(request, route, upgrade);
  const auto asked = std::make_shared<HttpRequest>(request);
  route.options.admit(*asked, [self = shared_from_this(), asked, &route, upgrade](Result<std::string> admitted) {
    // Always later: nothing of ours is on the stack then.
    self->shard_.Post([self, asked, &route, upgrade, admitted = std::move(admitted)] {
      if (self->state_ != State::kHandling) return;
      if (!admitted) return self->Answer(self->core_->router.impl().Error(asked->path, admitted.error()));
      // A client that sends an upgrade after other requests must read their answers.
      if (self->sending()) return self->Finish();
      if (!admitted->empty()) {
        asked->who = *admitted;
        asked->payer = asked->payer->WithKey(asked->who, self->shard_.clock().Monotonic());
      }
      self->Admitted(*asked, route, upgrade);
    });
  });
}

void HttpConnection::Admitted(const HttpRequest& request, const WebSocketRoute& route, bool upgrade) {
  if (!upgrade) {
    HttpResponse response = Failure(request.path, 426, "this address is for WebSocket connections");
    response.headers.Add("Upgrade", "websocket");
    return Answer(response);
  }
  const HttpResponse answer = AnswerUpgrade(request, route.options);
  if (answer.status != 101) return Answer(answer);
  if (core_->shutting_down) return Answer(ErrorResponse(503, "the server is shutting down"));
  if (request.payer->address() != payer_->address()) {  // a proxy's client has connections of its own
    auto place = request.payer->Hold(Holding::kConnections);
    if (!place) return Answer(TooMuch(request.path, place.error()));
    admission_.place = std::move(*place);
  }
  admission_.payer = request.payer;
  auto session = route.factory(request);
  if (!session) return Answer(HttpResponse::FromError(session.error()));

  std::string greeting = out_.substr(sent_);
  AppendSwitchingProtocols(greeting, answer, transport_.encrypted());
  Count(answer.status);
  WebSocketConnection::Setup setup;
  setup.raw_text = route.options.raw_text;
  setup.max_message_bytes =
      route.options.max_message_bytes != 0 ? route.options.max_message_bytes : core_->limits.max_message_bytes;
  setup.fixed_message_bytes = route.options.max_message_bytes != 0;
  setup.max_outbox_bytes = core_->limits.max_outbox_bytes;
  setup.peer = peer_;
  setup.admission = std::move(admission_);
  auto socket = std::make_shared<WebSocketConnection>(registry(), std::move(transport_), std::move(setup));
  std::string early = std::exchange(in_, std::string());
  Finish();
  socket->Start(std::move(*session), std::move(greeting), std::move(early));
}

}  // namespace openseat::net
