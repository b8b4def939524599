#include "net/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <cstring>
#include <future>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/rate_limit.h"
#include "base/stranger.h"
#include "net/handshakes.h"
#include "net/http_codec.h"
#include "net/http_connection.h"
#include "net/server_core.h"

namespace openseat::net {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptsAtOnce = 64;
// How long a listener rests when the process has no descriptor left, or the system no memory.
constexpr Duration kAcceptRest = std::chrono::milliseconds(100);
// A new connection counts as one message of its address; with TLS as so many, because signing the handshake costs a
// millisecond (RSA, 2048 bits), as much as ten requests, even if the client leaves before its end.
constexpr std::uint64_t kMessagesOfTls = 10;

Duration Shortest(const ServerLimits& limits) {
  Duration shortest = std::chrono::seconds(8);
  for (const Duration each : {limits.header_timeout, limits.body_timeout, limits.keep_alive_timeout,
                              limits.close_timeout, limits.ping_interval, limits.pong_timeout}) {
    if (each > Duration(0)) shortest = std::min(shortest, each);
  }
  return shortest;
}

// Strangers' TLS handshakes may hold half as much as max_unfinished_bytes in addition; each shard has its part.
std::size_t MostHandshakes(const Budget& budget, std::size_t shards) {
  constexpr std::uint64_t kAtLeast = 16;
  const std::uint64_t share = budget.limits().max_unfinished_bytes / 2 / TlsStream::kHandshakeBytes / shards;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(share, kAtLeast, Handshakes::kMost));
}

// An IPv4 address that came over an IPv6 socket counts as the IPv4 address.
asio::ip::address Plain(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return address;
}

// One listening socket, on shard 0. It deals out the accepted sockets to the shards in turn, so that even a few
// connections are spread evenly (SO_REUSEPORT's hashing does not guarantee that).
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  // Takes an accepted socket (a descriptor) and its origin, on behalf of any shard.
  using Take = std::function<void(int descriptor, const asio::ip::address& peer, bool v6, const Listener& from)>;

  Listener(ShardImpl& shard, std::shared_ptr<TlsContext> tls, Take take)
      : shard_(shard), acceptor_(shard.io()), tls_(std::move(tls)), take_(std::move(take)) {}

  Result<void> Bind(const ListenAddress& where) {
    const std::string name = (where.host.find(':') == std::string::npos ? where.host : "[" + where.host + "]") + ":" +
                             std::to_string(where.port);
    IoError error;
    asio::ip::address address;
    if (where.host == "localhost") {
      address = asio::ip::address_v4::loopback();
    } else {
      address = asio::ip::make_address(where.host, error);
      if (error) {
        return Fail(ErrorCode::kInvalid, "cannot listen on " + name + ": the host must be an IP address or localhost",
                    where.host);
      }
    }
    const Tcp::endpoint endpoint(address, where.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(TcpAcceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (!error) acceptor_.native_non_blocking(true, error);
    if (error) {
      ErrorCode code = ErrorCode::kIo;
      std::string why = error.message();
      if (error == asio::error::address_in_use) {
        code = ErrorCode::kConflict;
        why = "another program uses this port";
      } else if (error == asio::error::access_denied) {
        code = ErrorCode::kDenied;
        why = "this user may not use this port";
      } else if (error.value() == EADDRNOTAVAIL) {
        code = ErrorCode::kInvalid;
        why = "this machine does not have that address";
      }
      return Fail(code, "cannot listen on " + name + ": " + why, name);
    }
    v6_ = address.is_v6();
    port_ = acceptor_.local_endpoint(error).port();
    return {};
  }

  void Wait() {
    acceptor_.async_wait(TcpAcceptor::wait_read, [self = shared_from_this()](IoError error) {
      const ShardImpl::Turn turn(self->shard_);
      if (!error && self->acceptor_.is_open()) self->AcceptAll();
    });
  }

  void Close() {
    IoError ignored;
    acceptor_.close(ignored);
    rest_.Cancel();
  }

  std::uint16_t port() const { return port_; }
  const std::shared_ptr<TlsContext>& tls() const { return tls_; }
  void SetTls(std::shared_ptr<TlsContext> tls) { tls_ = std::move(tls); }

 private:
  void AcceptAll() {
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      Tcp::endpoint peer;
      auto size = static_cast<socklen_t>(peer.capacity());
      const int descriptor = ::accept4(acceptor_.native_handle(), peer.data(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor >= 0) {
        peer.resize(size);
        warned_ = false;
        take_(descriptor, Plain(peer.address()), v6_, *this);
        continue;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // The connection stays in the queue and would wake us immediately.
        if (!std::exchange(warned_, true)) log::Warn("no new connection can be accepted now: {}", std::strerror(errno));
        rest_.Set(shard_, kAcceptRest, [this] { Wait(); });
        return;
      }
      // Any other error concerns only that one connection.
    }
    Wait();
  }

  ShardImpl& shard_;
  TcpAcceptor acceptor_;
  std::shared_ptr<TlsContext> tls_;
  Take take_;
  ScopedTimer rest_;
  bool warned_ = false;  // since the last connection that was accepted
  bool v6_ = false;
  std::uint16_t port_ = 0;
};

class ServerImpl final : public Server {
 public:
  ServerImpl(Shards& shards, const Router& router, const ServerLimits& limits, Metrics* metrics, Budget* budget)
      : shards_(shards), core_(std::make_shared<ServerCore>(router, limits, metrics, budget)) {
    const WebSocketTimes times{limits.close_timeout, limits.ping_interval, limits.pong_timeout};
    for (std::size_t i = 0; i < shards.size(); ++i) {
      registries_.push_back(std::make_unique<ConnectionRegistry>(shard(i), times, &core_->metrics(), Shortest(limits)));
      handshakes_.push_back(std::make_unique<Handshakes>(shard(i), MostHandshakes(core_->budget(), shards.size())));
    }
  }

  // While the shards are at rest, everything is cut here; while they run, each cuts its own.
  ~ServerImpl() override {
    OnShard(0, [this] {
      for (const auto& listener : listeners_) listener->Close();
    });
    for (std::size_t i = 0; i < registries_.size(); ++i) {
      OnShard(i, [this, i] {
        registries_[i]->CutAll("the server was stopped");
        registries_[i].reset();
        handshakes_[i].reset();
      });
    }
  }

  Result<void> Bind(const std::vector<ListenAddress>& addresses) {
    for (const ListenAddress& address : addresses) {
      Result<std::shared_ptr<TlsContext>> tls = TlsOf(address);
      if (!tls) return Fail(std::move(tls.error()));
      auto listener =
          std::make_shared<Listener>(shard(0), std::move(*tls),
                                     [this](int descriptor, const asio::ip::address& peer, bool v6,
                                            const Listener& from) { Take(descriptor, peer, v6, from.tls()); });
      if (auto bound = listener->Bind(address); !bound) return bound;
      listeners_.push_back(std::move(listener));
    }
    for (const auto& listener : listeners_) shards_.at(0).Post([listener] { listener->Wait(); });
    return {};
  }

  Result<void> UseCertificates(const std::vector<ListenAddress>& addresses) override {
    if (addresses.size() != listeners_.size()) {
      return Fail(ErrorCode::kInvalid, "changing the addresses to listen on requires a restart");
    }
    std::vector<std::shared_ptr<TlsContext>> fresh;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      Result<std::shared_ptr<TlsContext>> tls = TlsOf(addresses[i]);
      if (!tls) return Fail(std::move(tls.error()));
      if ((*tls == nullptr) != (listeners_[i]->tls() == nullptr)) {
        return Fail(ErrorCode::kInvalid, "switching TLS on or off requires a restart");
      }
      fresh.push_back(std::move(*tls));
    }
    for (std::size_t i = 0; i < fresh.size(); ++i) listeners_[i]->SetTls(std::move(fresh[i]));
    return {};
  }

  std::uint16_t port(std::size_t address) const override { return listeners_.at(address)->port(); }
  std::size_t connections() const override { return core_->open(); }

  void Shutdown(Duration grace, Task done) override {
    shards_.at(0).Post([this, grace, after = std::move(done)]() mutable {
      OPENSEAT_CHECK(!core_->shutting_down, "a server is shut down once");
      core_->shutting_down = true;
      done_ = std::move(after);
      left_ = registries_.size();
      for (const auto& listener : listeners_) listener->Close();
      for (std::size_t i = 0; i < registries_.size(); ++i) {
        shards_.at(i).Post([this, i, grace] { ShutdownShard(i, grace); });
      }
    });
  }

  void AddHeld(std::size_t index, std::vector<HeldMemory>& out) const override { registries_[index]->AddHeld(out); }
  std::size_t CutHolders(std::size_t index, const MemoryCuts& cuts, std::size_t most,
                         const std::string& reason) override {
    return registries_[index]->CutHolders(cuts, most, reason);
  }

 private:
  // Null for plain HTTP.
  static Result<std::shared_ptr<TlsContext>> TlsOf(const ListenAddress& address) {
    if (address.certificate_file.empty() != address.key_file.empty()) {
      return Fail(ErrorCode::kInvalid, "TLS needs both a certificate file and a key file");
    }
    if (address.certificate_file.empty()) return std::shared_ptr<TlsContext>();
    return TlsContext::ForServer(address.certificate_file, address.key_file);
  }

  ShardImpl& shard(std::size_t index) { return static_cast<ShardImpl&>(shards_.at(index)); }

  void ShutdownShard(std::size_t index, Duration grace) {
    ConnectionRegistry& registry = *registries_[index];
    registry.BeginShutdown();
    registry.CutAfter(grace);
    registry.WhenEmpty([this] {
      shards_.at(0).Post([this] {
        if (--left_ == 0 && done_) std::exchange(done_, Task())();
      });
    });
  }

  // Tells a client of plain HTTP why it is not admitted, as far as that is possible without waiting for it.
  void TellRefused(int descriptor, const Refusal& refusal) {
    const bool for_all = refusal.limit == Limit::kConnections;
    HttpResponse response = ErrorResponse(for_all ? 503 : 429, refusal.Text());
    response.headers.Set("Retry-After", RetryAfterSeconds(refusal.wait));
    core_->metrics().responses[for_all ? 4 : 3]->Add();
    std::string answer;
    AppendResponse(answer, response, {.keep_alive = false});
    if (::send(descriptor, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
    ::shutdown(descriptor, SHUT_WR);
    // Closing with unread input would make the kernel discard the answer.
    std::array<char, 4096> request{};
    static_cast<void>(::recv(descriptor, request.data(), request.size(), MSG_DONTWAIT));
  }

  // On shard 0.
  void Take(int descriptor, const asio::ip::address& peer, bool v6, const std::shared_ptr<TlsContext>& tls) {
    std::string name = peer.to_string();
    const bool loopback = peer.is_loopback();
    auto admission = core_->Admit(name, shard(0).clock().Monotonic(), tls != nullptr);
    if (!admission) {
      if (tls == nullptr) TellRefused(descriptor, admission.error());
      ::close(descriptor);
      return;
    }
    const std::size_t to = next_shard_++ % registries_.size();
    auto open = [this, to, descriptor, v6, loopback, tls, peer_name = std::move(name),
                 admitted = std::move(*admission)]() mutable {
      TcpSocket socket(shard(to).io());
      IoError error;
      socket.assign(v6 ? Tcp::v6() : Tcp::v4(), descriptor, error);
      if (error) {
        ::close(descriptor);
        return;
      }
      Transport::Prepare(socket);
      Transport transport(std::move(socket), tls != nullptr ? tls->Accept(descriptor) : nullptr);
      std::make_shared<HttpConnection>(*registries_[to], core_, std::move(transport), std::move(peer_name), loopback,
                                       std::move(admitted))
          ->Start(*handshakes_[to]);
    };
    if (to == 0) {
      open();
    } else {
      shards_.at(to).Post(std::move(open));
    }
  }

  // Runs `work` on a shard and waits for it; or runs it here if no shard's thread is running.
  void OnShard(std::size_t index, std::function<void()> work) {
    if (!shards_.running() || shard(index).IsCurrent()) return work();
    std::promise<void> finished;
    shards_.at(index).Post([&] {
      work();
      finished.set_value();
    });
    finished.get_future().wait();
  }

  Shards& shards_;
  const std::shared_ptr<ServerCore> core_;
  std::vector<std::unique_ptr<ConnectionRegistry>> registries_;  // one per shard, used only there
  std::vector<std::unique_ptr<Handshakes>> handshakes_;          // the same
  std::vector<std::shared_ptr<Listener>> listeners_;             // on shard 0
  std::size_t next_shard_ = 0;                                   // on shard 0
  std::size_t left_ = 0;                                         // on shard 0: shards with connections left
  Task done_;                                                    // on shard 0
};

}  // namespace

ServerCore::ServerCore(const Router& routes, const ServerLimits& server_limits, Metrics* registry,
                       Budget* shared_budget)
    : router(routes),
      limits(server_limits),
      http_limits{.max_header_bytes = server_limits.max_header_bytes, .max_body_bytes = server_limits.max_body_bytes},
      metrics_(std::make_unique<NetMetrics>(registry != nullptr ? *registry : unread_)),
      own_budget_(shared_budget != nullptr ? nullptr : std::make_unique<Budget>(BudgetLimits(), registry)),
      budget_(shared_budget != nullptr ? shared_budget : own_budget_.get()) {}

LoopSharePtr ShareOf(const std::shared_ptr<Payer>& payer, const LoopSharePtr& own) {
  return IsStrangers(AddressOf(payer.get())) ? LoopSharePtr(payer, &payer->loop_share()) : own;
}

void Admission::Uncount::operator()(ServerCore* server) const {
  --server->open_;
  server->metrics().open.Add(-1);
}

tl::expected<Admission, Refusal> ServerCore::Admit(const std::string& peer, Instant now, bool tls) {
  // A proxy's connections carry many clients, wherever the proxy is.
  std::shared_ptr<Payer> payer =
      router.impl().trust.proxies.Contains(peer) ? budget_->OwnPayer() : budget_->PayerOf(peer, now);
  auto place = payer->Hold(Holding::kConnections);
  Pace of_address;  // the connection has had no messages of its own yet
  std::optional<Refusal> refused = place ? std::nullopt : std::optional(place.error());
  if (!refused) refused = of_address.Take(*payer, tls ? kMessagesOfTls : 1, 0, now);
  if (refused) {
    metrics_->refused.Add();
    return tl::unexpected(*refused);
  }
  metrics_->accepted.Add();
  metrics_->open.Add(1);
  ++open_;
  return Admission{shared_from_this(), std::move(payer), std::move(*place),
                   std::unique_ptr<ServerCore, Admission::Uncount>(this)};
}

Result<std::unique_ptr<Server>> Server::Listen(Shards& shards, const Router& router,
                                               const std::vector<ListenAddress>& addresses, const ServerLimits& limits,
                                               Metrics* metrics, Budget* budget) {
  auto server = std::make_unique<ServerImpl>(shards, router, limits, metrics, budget);
  if (auto bound = server->Bind(addresses); !bound) return Fail(std::move(bound.error()));
  return server;
}

}  // namespace openseat::net
