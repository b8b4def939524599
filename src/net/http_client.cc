#include "net/http_client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/loop_bill.h"
#include "net/io.h"
#include "net/shard_impl.h"
#include "net/url.h"

namespace openseat::net {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64u << 10;  // of the answer, all lines together
constexpr std::size_t kIdleConnections = 32;        // kept open on each shard, at least

std::string Ipv4(const void* bytes) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, bytes, text.data(), text.size());
  return text.data();
}

PeerAddress ToPeer(const sockaddr* address) {
  PeerAddress peer;
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    peer.ip = Ipv4(&v4->sin_addr);
    peer.port = ntohs(v4->sin_port);
  } else if (address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    peer.port = ntohs(v6->sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
      peer.ip = Ipv4(&v6->sin6_addr.s6_addr[12]);
    } else {
      std::array<char, INET6_ADDRSTRLEN> text{};
      inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
      peer.ip = text.data();
    }
  }
  return peer;
}

// "host:port" of a URL, for messages: a path may contain a token.
std::string HostOf(const std::string& url) {
  const Result<Url> parsed = ParseHttpUrl(url);
  return parsed ? parsed->Authority() : "the server";
}

bool IsFieldText(std::string_view text) {
  for (const char c : text) {
    if (c == '\r' || c == '\n' || c == '\0') return false;
  }
  return true;
}

std::string_view Trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// One call: what curl needs while it is in progress.
struct Transfer {
  HttpCall call;
  HttpDone done;
  HttpCallId id;
  std::string host;
  HttpResponse response;
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
  bool too_large = false;
  std::string denied;  // the address that allow_address refused
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::array<char, CURL_ERROR_SIZE> problem{};

  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    if (easy != nullptr) curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
  }

  bool Allows(const PeerAddress& peer) {
    if (!call.allow_address || call.allow_address(peer)) return true;
    denied = peer.ip;
    return false;
  }
};

curl_socket_t OpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address) {
  if (purpose == CURLSOCKTYPE_IPCXN && !static_cast<Transfer*>(self)->Allows(ToPeer(&address->addr))) {
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int BeforeRequest(void* self, char* peer_ip, char* /*local_ip*/, int peer_port, int /*local_port*/) {
  std::string_view ip = peer_ip;
  if (ip.starts_with("::ffff:") && ip.find('.') != std::string_view::npos) ip.remove_prefix(7);
  const PeerAddress peer{std::string(ip), static_cast<std::uint16_t>(peer_port)};
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.Allows(peer)) return CURL_PREREQFUNC_ABORT;
  if (transfer.call.on_sent) transfer.call.on_sent();
  return CURL_PREREQFUNC_OK;
}

std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const std::size_t bytes = size * count;
  transfer.body_bytes += bytes;
  if (transfer.body_bytes > transfer.call.max_body_bytes) {
    transfer.too_large = true;
    return 0;
  }
  long status = 0;
  if (transfer.call.on_body) curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) {
    transfer.call.on_body({data, bytes});
  } else {
    transfer.response.body.append(data, bytes);
  }
  return bytes;
}

std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const std::size_t bytes = size * count;
  transfer.header_bytes += bytes;
  if (transfer.header_bytes > kMaxHeaderBytes) {
    transfer.too_large = true;
    return 0;
  }
  const std::string_view line(data, bytes);
  if (line.starts_with("HTTP/")) {  // another answer begins: after a redirect, or after a proxy's own answer
    transfer.response.headers = {};
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    transfer.response.headers.Add(std::string(line.substr(0, colon)), std::string(Trimmed(line.substr(colon + 1))));
  }
  return bytes;
}

Error ToError(const Transfer& transfer, CURLcode code) {
  const std::string detail = transfer.problem[0] != '\0' ? transfer.problem.data() : curl_easy_strerror(code);
  if (!transfer.denied.empty()) {
    return {ErrorCode::kDenied,
            "calls to " + transfer.host + " are not allowed: it has the address " + transfer.denied,
            {}};
  }
  if (transfer.too_large) {
    const bool headers = transfer.header_bytes > kMaxHeaderBytes;
    return {ErrorCode::kTooLarge,
            (headers ? "the headers of " + transfer.host + " are" : "the answer of " + transfer.host + " is") +
                " larger than " + std::to_string(headers ? kMaxHeaderBytes : transfer.call.max_body_bytes) + " bytes",
            {}};
  }
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {ErrorCode::kTimeout, transfer.host + " did not answer in time", {}};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_LOGIN_DENIED:
      return {ErrorCode::kInvalid, "the URL cannot be used: " + detail, "url"};
    case CURLE_TOO_MANY_REDIRECTS:
      return {ErrorCode::kDenied, transfer.host + " redirects too often", {}};
    default:
      return {ErrorCode::kIo, "the call to " + transfer.host + " failed: " + detail, {}};
  }
}

template <typename T>
void Set(CURL* easy, CURLoption option, T value) {
  // Fails only for options that this libcurl does not have; the options used here are older than the required version.
  static_cast<void>(curl_easy_setopt(easy, option, value));
}

void SetAuthorities(CURL* easy) {
  if (const char* file = std::getenv("SSL_CERT_FILE"); file != nullptr && *file != '\0')
    Set(easy, CURLOPT_CAINFO, file);
  if (const char* dir = std::getenv("SSL_CERT_DIR"); dir != nullptr && *dir != '\0') Set(easy, CURLOPT_CAPATH, dir);
}

// Fills in transfer.easy. Errors: what is wrong with the call.
Result<void> Prepare(Transfer& transfer) {
  const HttpCall& call = transfer.call;
  if (!call.url.starts_with("http://") && !call.url.starts_with("https://")) {
    return Fail(ErrorCode::kInvalid, "a URL begins with http:// or https://", "url");
  }
  transfer.easy = curl_easy_init();
  if (transfer.easy == nullptr) return Fail(ErrorCode::kIo, "libcurl has no memory left");
  for (const auto& [name, value] : call.headers.all()) {
    if (name.empty() || !IsFieldText(name) || !IsFieldText(value)) {
      return Fail(ErrorCode::kInvalid, "a header may not contain line breaks", "headers");
    }
    // An empty value is written with a semicolon; a colon alone would remove the header.
    const std::string line = value.empty() ? name + ";" : name + ": " + value;
    transfer.headers = curl_slist_append(transfer.headers, line.c_str());
  }
  // curl would label any body a form.
  if (!call.headers.Has("Content-Type")) transfer.headers = curl_slist_append(transfer.headers, "Content-Type:");
  // No "Expect: 100-continue": with servers that do not know it, it costs a second of waiting.
  transfer.headers = curl_slist_append(transfer.headers, "Expect:");

  CURL* easy = transfer.easy;
  const auto milliseconds = [](Duration time) {
    return static_cast<long>(std::max<std::int64_t>(1, time / std::chrono::milliseconds(1)));
  };
  Set(easy, CURLOPT_PRIVATE, &transfer);
  Set(easy, CURLOPT_ERRORBUFFER, transfer.problem.data());
  Set(easy, CURLOPT_URL, call.url.c_str());
  // What was admitted by its path is asked for under that path.
  Set(easy, CURLOPT_PATH_AS_IS, 1L);
  Set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  Set(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  Set(easy, CURLOPT_NOSIGNAL, 1L);
  Set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  Set(easy, CURLOPT_ACCEPT_ENCODING, "");
  Set(easy, CURLOPT_USERAGENT, "openseat/" OPENSEAT_VERSION);
  Set(easy, CURLOPT_HTTPHEADER, transfer.headers);
  Set(easy, CURLOPT_TIMEOUT_MS, milliseconds(call.timeout));
  Set(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(call.connect_timeout));
  Set(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  Set(easy, CURLOPT_WRITEDATA, &transfer);
  Set(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  Set(easy, CURLOPT_HEADERDATA, &transfer);
  Set(easy, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  Set(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  SetAuthorities(easy);
  if (call.max_redirects > 0) {
    Set(easy, CURLOPT_FOLLOWLOCATION, 1L);
    Set(easy, CURLOPT_MAXREDIRS, static_cast<long>(call.max_redirects));
  }
  if (call.allow_address || call.on_sent) {
    Set(easy, CURLOPT_PREREQFUNCTION, &BeforeRequest);
    Set(easy, CURLOPT_PREREQDATA, &transfer);
  }
  if (call.proxy || call.allow_address) Set(easy, CURLOPT_PROXY, call.proxy ? call.proxy->c_str() : "");

  if (call.method == Method::kHead) {
    Set(easy, CURLOPT_NOBODY, 1L);
  } else if (call.method != Method::kGet || !call.body.empty()) {
    Set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    Set(easy, CURLOPT_POSTFIELDS, call.body.data());
    // With POST, a 301 or 302 may turn it into a GET, as everywhere; with its own name, it keeps its method.
    if (call.method != Method::kPost) Set(easy, CURLOPT_CUSTOMREQUEST, std::string(MethodName(call.method)).c_str());
  }
  return {};
}

}  // namespace

// --- One shard's client ---

// curl names the sockets that it waits for; they are collected in an epoll set of their own, and the shard's loop waits
// only for that set. So a socket may come and go within a callback without the loop knowing.
class HttpClients::Client {
 public:
  explicit Client(ShardImpl& shard)
      : shard_(shard), multi_(curl_multi_init()), set_(::epoll_create1(EPOLL_CLOEXEC)), watch_(shard.io(), set_) {
    OPENSEAT_CHECK(multi_ != nullptr && set_ >= 0, "the system has room for one more client");
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Client::OnSocket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Client::OnTimer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  }
  ~Client() {
    *alive_ = false;
    for (auto& [id, transfer] : transfers_) {
      if (transfer->easy != nullptr) curl_multi_remove_handle(multi_, transfer->easy);
    }
    transfers_.clear();
    curl_multi_cleanup(multi_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const ShardImpl& shard() const { return shard_; }

  HttpCallId Call(HttpCall call, HttpDone done) {
    shard_.CheckThread();
    auto owned = std::make_unique<Transfer>();
    Transfer& transfer = *owned;
    last_id_ = last_id_.Next();
    transfer.id = last_id_;
    transfer.call = std::move(call);
    transfer.done = std::move(done);
    transfer.host = HostOf(transfer.call.url);
    transfers_.emplace(transfer.id.value(), std::move(owned));
    if (Result<void> prepared = net::Prepare(transfer); !prepared) {
      shard_.Post([this, alive = alive_, id = transfer.id, error = prepared.error()]() mutable {
        if (*alive) Finish(id, Fail(std::move(error)));
      });
      return transfer.id;
    }
    // Those in use count, too: if the limit were below the number of calls, each call would end with its connection.
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS,
                      static_cast<long>(std::max(kIdleConnections, 2 * transfers_.size())));
    curl_multi_add_handle(multi_, transfer.easy);
    return transfer.id;
  }

  void Cancel(HttpCallId id) {
    shard_.CheckThread();
    const auto found = transfers_.find(id.value());
    if (found == transfers_.end()) return;
    const std::unique_ptr<Transfer> transfer = std::move(found->second);
    transfers_.erase(found);
    if (transfer->easy != nullptr) curl_multi_remove_handle(multi_, transfer->easy);
  }

 private:
  static int OnSocket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*socket_data*/) {
    static_cast<Client*>(self)->Watch(socket, what);
    return 0;
  }
  static int OnTimer(CURLM* /*multi*/, long milliseconds, void* self) {
    static_cast<Client*>(self)->SetTimer(milliseconds);
    return 0;
  }

  void Watch(curl_socket_t socket, int what) {
    if (what == CURL_POLL_REMOVE) {
      ::epoll_ctl(set_, EPOLL_CTL_DEL, socket, nullptr);
      return;
    }
    epoll_event event{};
    event.data.fd = socket;
    if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
    if (::epoll_ctl(set_, EPOLL_CTL_MOD, socket, &event) != 0) ::epoll_ctl(set_, EPOLL_CTL_ADD, socket, &event);
    Wait();
  }

  void Wait() {
    if (std::exchange(waiting_, true)) return;
    watch_.async_wait(Descriptor::wait_read, [this, alive = alive_](IoError error) {
      if (error || !*alive) return;
      const ShardImpl::Turn turn(shard_);
      waiting_ = false;
      Act([this] { OnReady(); });
      if (!transfers_.empty()) Wait();
    });
  }

  void OnReady() {
    std::array<epoll_event, 64> events{};
    const int count = ::epoll_wait(set_, events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      int what = 0;
      if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
      if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
      if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_IN | CURL_CSELECT_ERR;
      int running = 0;
      curl_multi_socket_action(multi_, event.data.fd, what, &running);
    }
  }

  void OnTime() {
    int running = 0;
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }

  // curl may not be called from within a callback: what it wants to do at once, it does when we are done, in the same
  // turn if the callback came from here, and otherwise as soon as what was posted has its turn.
  void SetTimer(long milliseconds) {
    timer_.Cancel();
    due_ = milliseconds == 0;
    if (due_ && !acting_) ActSoon();
    if (milliseconds > 0) {
      timer_.Set(shard_, std::chrono::milliseconds(milliseconds), [this] { Act([this] { OnTime(); }); });
    }
  }

  void ActSoon() {
    const LoopBill bill(kNobody);  // it goes on with calls of many
    shard_.Post([this, alive = alive_] {
      if (*alive && due_) Act([] {});
    });
  }

  template <typename Begin>
  void Act(Begin begin) {
    acting_ = true;
    begin();
    CollectDone();
    // The next calls of those who were answered.
    if (std::exchange(due_, false)) {
      OnTime();
      CollectDone();
    }
    acting_ = false;
    if (due_) ActSoon();
  }

  void CollectDone() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      char* data = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &data);
      auto& transfer = *reinterpret_cast<Transfer*>(data);
      long status = 0;
      curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
      transfer.response.status = static_cast<int>(status);
      Finish(transfer.id,
             code == CURLE_OK ? Result<HttpResponse>(std::move(transfer.response)) : Fail(ToError(transfer, code)));
    }
  }

  void Finish(HttpCallId id, Result<HttpResponse> result) {
    const auto found = transfers_.find(id.value());
    if (found == transfers_.end()) return;  // canceled
    const std::unique_ptr<Transfer> transfer = std::move(found->second);
    transfers_.erase(found);
    if (transfer->easy != nullptr) curl_multi_remove_handle(multi_, transfer->easy);
    transfer->done(std::move(result));
  }

  using Descriptor = asio::posix::basic_stream_descriptor<IoExecutor>;

  ShardImpl& shard_;
  CURLM* const multi_;
  const int set_;  // watch_'s own
  Descriptor watch_;
  bool waiting_ = false;
  ScopedTimer timer_;
  bool due_ = false;     // curl wants to do something now
  bool acting_ = false;  // we are in Act
  HttpCallId last_id_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Transfer>> transfers_;
  // Returns false once this is destroyed, for callbacks that the loop still holds.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

HttpClients::HttpClients(Shards& shards) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  OPENSEAT_CHECK(kReady == CURLE_OK, "libcurl can be used");
  for (std::size_t i = 0; i < shards.size(); ++i) {
    clients_.push_back(std::make_unique<Client>(static_cast<ShardImpl&>(shards.at(i))));
  }
}

HttpClients::~HttpClients() = default;

HttpClients::Client& HttpClients::On(const Scheduler& scheduler) {
  for (const auto& client : clients_) {
    if (static_cast<const Scheduler*>(&client->shard()) == &scheduler) return *client;
  }
  OPENSEAT_CHECK(false, "calls are made on a shard of this program");
  __builtin_unreachable();
}

HttpCallId HttpClients::Call(Scheduler& scheduler, HttpCall call, HttpDone done) {
  return On(scheduler).Call(std::move(call), std::move(done));
}

void HttpClients::Cancel(Scheduler& scheduler, HttpCallId call) {
  On(scheduler).Cancel(call);
}

// --- ScopedHttpCall ---

void ScopedHttpCall::Start(HttpCaller& caller, Scheduler& scheduler, HttpCall call, HttpDone done) {
  Cancel();
  caller_ = &caller;
  scheduler_ = &scheduler;
  id_ = caller.Call(scheduler, std::move(call), [this, done = std::move(done)](Result<HttpResponse> response) {
    caller_ = nullptr;  // the callback may start the next call, or destroy the owner
    done(std::move(response));
  });
}

void ScopedHttpCall::Cancel() {
  if (caller_ != nullptr) std::exchange(caller_, nullptr)->Cancel(*scheduler_, id_);
}

}  // namespace openseat::net
