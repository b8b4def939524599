#include "net/raw_echo.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "net/websocket_handshake.h"

namespace openseat::net {
namespace {

constexpr std::size_t kBufferBytes = 64u << 10;

class RawEchoServerImpl final : public RawEchoServer {
 public:
  explicit RawEchoServerImpl(std::size_t reply_bytes) : reply_(reply_bytes, 'x') {}

  ~RawEchoServerImpl() override {
    if (thread_.joinable()) {
      eventfd_write(wake_, 1);
      thread_.join();
    }
    for (const auto& [descriptor, peer] : peers_) ::close(descriptor);
    for (const int descriptor : {listener_, epoll_, wake_}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }

  Result<void> Listen(std::uint16_t port) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    wake_ = ::eventfd(0, EFD_CLOEXEC);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 4096) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      return Fail(errno == EADDRINUSE ? ErrorCode::kConflict : ErrorCode::kIo,
                  "cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + std::strerror(errno));
    }
    port_ = ntohs(address.sin_port);
    Watch(listener_);
    Watch(wake_);
    return {};
  }

  void Run(int core) {
    thread_ = std::thread([this, core] {
      if (core >= 0) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(static_cast<std::size_t>(core), &cores);
        ::pthread_setaffinity_np(::pthread_self(), sizeof cores, &cores);
      }
      Loop();
    });
  }

  std::uint16_t port() const override { return port_; }

 private:
  struct Peer {
    bool open = false;  // the handshake is done
    std::string rest;   // of an incomplete frame or request
  };

  void Watch(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  void Loop() {
    std::array<epoll_event, 256> events{};
    for (;;) {
      const int count = ::epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
        if (descriptor == wake_) return;
        if (descriptor == listener_) {
          Accept();
        } else {
          Serve(descriptor);
        }
      }
    }
  }

  void Accept() {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    peers_.try_emplace(descriptor);
    Watch(descriptor);
  }

  void Serve(int descriptor) {
    Peer& peer = peers_[descriptor];
    std::size_t have = peer.rest.size();
    std::memcpy(buffer_.data(), peer.rest.data(), have);
    const ssize_t n = ::recv(descriptor, buffer_.data() + have, buffer_.size() - have, 0);
    if (n <= 0) {
      if (n == 0 || errno != EAGAIN) Drop(descriptor);
      return;
    }
    have += static_cast<std::size_t>(n);
    std::size_t used = 0;
    out_.clear();
    if (!peer.open) {
      used = Handshake({buffer_.data(), have});
      peer.open = used > 0;
    }
    if (peer.open) used += Frames(buffer_.data() + used, have - used);
    peer.rest.assign(buffer_.data() + used, have - used);
    if (!out_.empty() &&
        ::send(descriptor, out_.data(), out_.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out_.size())) {
      Drop(descriptor);  // a reader that is so slow does not count as a measurement
    }
  }

  void Drop(int descriptor) {
    ::close(descriptor);
    peers_.erase(descriptor);
  }

  std::size_t Handshake(std::string_view text) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return 0;
    static constexpr std::string_view kName = "Sec-WebSocket-Key: ";
    const std::size_t at = text.find(kName);
    const std::string_view key = at < end ? text.substr(at + kName.size(), 24) : std::string_view();
    out_ = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           AcceptKey(key) + "\r\n\r\n";
    return end + 4;
  }

  std::size_t Frames(char* data, std::size_t size) {
    std::size_t at = 0;
    for (;;) {
      const auto* head = reinterpret_cast<const unsigned char*>(data + at);
      const std::size_t left = size - at;
      if (left < 6) return at;
      std::size_t payload = head[1] & 0x7fu;
      std::size_t header = 2;
      if (payload == 126) {
        payload = static_cast<std::size_t>(head[2] << 8 | head[3]);
        header = 4;
      }
      if (left < header + 4 + payload) return at;
      char* body = data + at + header + 4;
      std::uint32_t key = 0;
      std::memcpy(&key, data + at + header, 4);
      const std::uint64_t wide = (std::uint64_t{key} << 32) | key;
      for (std::size_t i = 0; i < payload; i += 8) {
        std::uint64_t word = 0;
        const std::size_t n = std::min<std::size_t>(8, payload - i);
        std::memcpy(&word, body + i, n);
        word ^= wide;
        std::memcpy(body + i, &word, n);
      }
      const std::string_view answer = reply_.empty() ? std::string_view(body, payload) : std::string_view(reply_);
      out_.push_back('\x81');
      if (answer.size() < 126) {
        out_.push_back(static_cast<char>(answer.size()));
      } else {
        out_.push_back('\x7e');
        out_.push_back(static_cast<char>(answer.size() >> 8));
        out_.push_back(static_cast<char>(answer.size()));
      }
      out_.append(answer);
      at += header + 4 + payload;
    }
  }

  const std::string reply_;
  int listener_ = -1;
  int epoll_ = -1;
  int wake_ = -1;
  std::uint16_t port_ = 0;
  std::unordered_map<int, Peer> peers_;
  std::vector<char> buffer_ = std::vector<char>(2 * kBufferBytes);
  std::string out_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<RawEchoServer>> RawEchoServer::Start(const RawEchoOptions& options) {
  if (options.reply_bytes >= kBufferBytes) return Fail(ErrorCode::kInvalid, "an answer must be below 64 KiB");
  auto server = std::make_unique<RawEchoServerImpl>(options.reply_bytes);
  if (auto listening = server->Listen(options.port); !listening) return Fail(std::move(listening.error()));
  server->Run(options.core);
  return server;
}

}  // namespace openseat::net
