// HTTP messages as handlers see them: plain values, no socket. Nothing here names Asio or Beast.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/json.h"
#include "base/result.h"
#include "base/task.h"

namespace openseat::net {

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions };

std::string_view MethodName(Method method);

// Names compare without case. Small: a linear list.
class Headers {
 public:
  // The first value of that name, or "".
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  void Set(std::string name, std::string value);  // replaces all headers of that name
  void Add(std::string name, std::string value);
  void Remove(std::string_view name);  // all of that name
  const std::vector<std::pair<std::string, std::string>>& all() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct HttpRequest {
  Method method = Method::kGet;
  std::string target;                                       // path and query, undecoded; starts with "/", or is "*"
  std::string path;                                         // percent-decoded; likewise
  std::vector<std::pair<std::string, std::string>> query;   // decoded, in order
  std::vector<std::pair<std::string, std::string>> params;  // from the route's pattern: "/tables/:id" gives {"id", …}
  Headers headers;                                          // Host is the target's if the target names one
  std::string body;
  std::string peer;       // the peer's address without port: "127.0.0.1"
  bool loopback = false;  // the peer is on this machine
  bool https = false;     // the client came over TLS, to us or to a trusted proxy that says so
  // For whom a trusted proxy asks (ForwardedFor in net/client_address.h): "" if unknown; nullopt if the request comes
  // from its peer itself.
  std::optional<std::string> forwarded_for{};
  // Whose budget pays for what the request opens: the peer's, or that of the address that a proxy on this machine asks
  // for. The server always sets one; null: no budget.
  std::shared_ptr<Payer> payer{};
  // Whose API key it bears, once that is known (AdmitUpgrade): "key k-1"; else "". `payer` is then theirs, too.
  std::string who{};
  bool page = false;  // of its route: RouteInfo::page

  std::string_view Param(std::string_view name) const;    // "" if absent
  const std::string* Query(std::string_view name) const;  // nullptr if absent
};

struct HttpResponse {
  int status = 200;
  Headers headers;
  std::string body;
  std::shared_ptr<const std::string> shared_body;  // if set, sent instead of `body`, without a copy
  // Whether what the peer leaves unread of shared_body counts, as of `body`: nobody but its readers keeps it.
  bool shared_counts = false;
  // Holds a secret next to what others chose (an invitation next to players' names): never compressed, because the size
  // would tell how much of the secret they guessed (docs/net.md).
  bool secret = false;

  // The body, shared or not.
  std::string_view bytes() const { return shared_body != nullptr ? *shared_body : body; }

  static HttpResponse Json(int status, const json::Value& body);
  static HttpResponse Text(int status, std::string body, std::string content_type = "text/plain; charset=utf-8");
  // {"error": {"code": ErrorCodeName, "message", "path"?}} with the status for the code (404 for not-found …) and the
  // headers that go with it: Retry-After (Error::wait, at least a second), WWW-Authenticate.
  static HttpResponse FromError(const Error& error);
};

// The one way to answer a request. Movable; answering twice is impossible, and dropping it unanswered sends 500. May be
// answered from any thread; does nothing if the peer is gone by then.
class HttpReply {
 public:
  class Sink;  // the connection's side

  explicit HttpReply(std::shared_ptr<Sink> sink);
  HttpReply(HttpReply&&) noexcept;
  HttpReply& operator=(HttpReply&&) noexcept;
  ~HttpReply();

  void Send(HttpResponse response) &&;
  // Answers piece by piece: the status and headers of `head` are sent now (followed by its body, if it has one), the
  // rest as it is written. Not for answers of known size.
  class HttpStream Stream(HttpResponse head) &&;

  // `gone` runs on the connection's shard if the peer ends the connection, or its sending side, before the answer is
  // complete: nobody waits for it any more. Otherwise it is destroyed unused. REQUIRES to be called at most once, on
  // the connection's shard: in the handler.
  void OnGone(Task gone);

 private:
  std::shared_ptr<Sink> sink_;
};

// The rest of an answer that was started with HttpReply::Stream: Server-Sent Events. Any thread, one at a time. Its
// destructor ends the answer.
class HttpStream {
 public:
  class State;  // the connection's side

  HttpStream(std::shared_ptr<HttpReply::Sink> sink, std::shared_ptr<State> state);
  HttpStream(HttpStream&&) noexcept;
  HttpStream& operator=(HttpStream&&) noexcept;
  ~HttpStream();

  // Queues bytes of the body; they are sent with everything else of the loop turn or soon after. False if nothing can
  // be sent any more: the peer is gone, or it read so slowly that it was cut off (ServerLimits::max_outbox_bytes), or
  // the server stops.
  bool Write(std::string_view bytes);

 private:
  void End();
  std::shared_ptr<HttpReply::Sink> sink_;
  std::shared_ptr<State> state_;
};

// One Server-Sent Event: `data` on as many lines as it has; `event` and `id` may be empty and contain no line breaks.
std::string ServerSentEvent(std::string_view event, std::string_view data, std::string_view id = {});

}  // namespace openseat::net
