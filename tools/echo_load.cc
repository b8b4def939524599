// openseat_bench_echo: compares the WebSocket echo of our server with that of a raw epoll server, which is the limit.
// The same process runs the server under test on core 0 and the load on core 1, alternates between the two servers for
// several rounds, and prints the median rate of each and their ratio. With --idle N it opens N connections instead and
// prints the memory that each takes.
//
//   openseat_bench_echo [--connections 64] [--in-flight 16] [--size 200] [--seconds 1] [--rounds 5] [--idle 0]
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "net/raw_echo.h"
#include "net/server.h"

namespace openseat::net {
namespace {

using SteadyTime = std::chrono::steady_clock;

struct Load {
  std::size_t connections = 64;
  std::size_t in_flight = 16;
  std::size_t size = 200;
  double seconds = 1;
};

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

void PinTo(std::size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

class EchoSession final : public WebSocketSession {
 public:
  void OnOpen(std::shared_ptr<WebSocket> socket) override { socket_ = std::move(socket); }
  void OnText(std::string_view message) override { socket_->SendText(message); }
  void OnBinary(std::string_view message) override { socket_->SendBinary(message); }
  void OnClosed(const net::Closing& /*closing*/) override {}

 private:
  std::shared_ptr<WebSocket> socket_;
};

int Connect(std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Die("connect");
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  static constexpr char kRequest[] =
      "GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  if (::send(descriptor, kRequest, sizeof kRequest - 1, 0) < 0) Die("send");
  std::string answer;
  char buffer[4096];
  while (answer.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::recv(descriptor, buffer, sizeof buffer, 0);
    if (n <= 0) Die("handshake");
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  return descriptor;
}

// The number of messages per second that come back.
double Measure(std::uint16_t port, const Load& load) {
  std::string frame = "\x81";
  if (load.size < 126) {
    frame += static_cast<char>(0x80 | load.size);
  } else {
    frame += {'\xfe', static_cast<char>(load.size >> 8), static_cast<char>(load.size)};
  }
  frame += std::string(4, '\0') + std::string(load.size, 'x');
  const std::size_t answer_bytes = frame.size() - 4;
  std::string burst;
  for (std::size_t i = 0; i < load.in_flight; ++i) burst += frame;

  struct Peer {
    int descriptor;
    std::size_t received = 0;  // of an incomplete answer
  };
  std::vector<Peer> peers;
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  for (std::size_t i = 0; i < load.connections; ++i) {
    peers.push_back({Connect(port)});
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = static_cast<std::uint32_t>(i);
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, peers.back().descriptor, &event);
  }
  for (const Peer& peer : peers) ::send(peer.descriptor, burst.data(), burst.size(), MSG_NOSIGNAL);

  std::vector<char> buffer(256u << 10);
  std::vector<epoll_event> events(256);
  std::uint64_t messages = 0;
  const auto begin = SteadyTime::now();
  const auto end = begin + std::chrono::duration<double>(load.seconds);
  while (SteadyTime::now() < end) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1000);
    if (count <= 0) Die("the server went silent");
    for (int i = 0; i < count; ++i) {
      Peer& peer = peers[events[static_cast<std::size_t>(i)].data.u32];
      const ssize_t n = ::recv(peer.descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (n <= 0) Die("recv");
      peer.received += static_cast<std::size_t>(n);
      const std::size_t whole = peer.received / answer_bytes;
      peer.received -= whole * answer_bytes;
      messages += whole;
      if (whole > 0) ::send(peer.descriptor, burst.data(), whole * frame.size(), MSG_NOSIGNAL);
    }
  }
  const double seconds = std::chrono::duration<double>(SteadyTime::now() - begin).count();
  for (const Peer& peer : peers) ::close(peer.descriptor);
  ::close(epoll);
  return static_cast<double>(messages) / seconds;
}

// Our server with one shard, its thread on core 0.
class OurServer {
 public:
  OurServer() : shards_(1) {
    router_.AddWebSocket("/echo", {}, [](const HttpRequest&) -> Result<std::unique_ptr<WebSocketSession>> {
      return std::make_unique<EchoSession>();
    });
    auto made = Server::Listen(shards_, router_, {ListenAddress{}}, ServerLimits{});
    if (!made) Die(made.error().message.c_str());
    server_ = std::move(*made);
    shards_.Start();
    std::promise<void> pinned;
    shards_.at(0).Post([&] {
      PinTo(0);
      pinned.set_value();
    });
    pinned.get_future().wait();
  }
  ~OurServer() {
    shards_.Stop();
    server_.reset();
  }
  std::uint16_t port() const { return server_->port(); }
  std::size_t connections() const { return server_->connections(); }

 private:
  Shards shards_;
  Router router_;
  std::unique_ptr<Server> server_;
};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

long ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

int MeasureIdle(std::size_t connections) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const OurServer server;
  std::vector<int> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(Connect(server.port()));  // warms the pools
  const long before = ResidentKib();
  for (std::size_t i = 0; i < connections; ++i) peers.push_back(Connect(server.port()));
  const long after = ResidentKib();
  std::printf("%zu idle connections: %.2f KiB each (resident memory of the process, %ld -> %ld KiB)\n", connections,
              static_cast<double>(after - before) / static_cast<double>(connections), before, after);
  for (const int peer : peers) ::close(peer);
  return 0;
}

int MeasureEcho(const Load& load, std::size_t rounds) {
  auto raw = RawEchoServer::Start({.port = 0, .reply_bytes = 0, .core = 0});
  if (!raw) Die(raw.error().message.c_str());
  const OurServer ours;
  std::vector<double> raw_rates;
  std::vector<double> our_rates;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::fprintf(stderr, "\rround %zu of %zu", i + 1, rounds);
    raw_rates.push_back(Measure((*raw)->port(), load));
    our_rates.push_back(Measure(ours.port(), load));
  }
  std::fprintf(stderr, "\r                    \r");
  const double raw_rate = Median(raw_rates);
  const double our_rate = Median(our_rates);
  std::printf("%zux%zu, %zu bytes: raw epoll %.0f/s, ours %.0f/s, ratio %.2f\n", load.connections, load.in_flight,
              load.size, raw_rate, our_rate, our_rate / raw_rate);
  return 0;
}

int Main(int argc, char** argv) {
  Load load;
  std::size_t rounds = 5;
  std::size_t idle = 0;
  cli::CommandLine line("openseat_bench_echo", "WebSocket echo: our server against the limit", OPENSEAT_VERSION);
  cli::Command program = line.root();
  program.AddOption("--connections", &load.connections, "how many connections", {.range = cli::Range(1, 100'000)});
  program.AddOption("--in-flight", &load.in_flight, "messages in flight on each", {.range = cli::Range(1, 10'000)});
  program.AddOption("--size", &load.size, "bytes of a message", {.range = cli::Range(0, 65'535)});
  program.AddOption("--seconds", &load.seconds, "length of one measurement", {.range = cli::Range(0.01, 3600.0)});
  program.AddOption("--rounds", &rounds, "measurements of each server, alternating", {.range = cli::Range(1, 10'000)});
  program.AddOption("--idle", &idle, "measure the memory of this many idle connections instead",
                    {.range = cli::Range(0, 100'000)});
  program.SetRun([&] {
    PinTo(1);
    return idle > 0 ? MeasureIdle(idle) : MeasureEcho(load, rounds);
  });
  const Result<std::function<int()>> run = line.Parse({argv + 1, argv + argc});
  if (run) return (*run)();
  std::fprintf(stderr, "openseat_bench_echo: %s\n", run.error().message.c_str());
  return 2;
}

}  // namespace
}  // namespace openseat::net

int main(int argc, char** argv) {
  return openseat::net::Main(argc, argv);
}
