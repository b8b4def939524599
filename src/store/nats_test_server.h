// A NATS server with JetStream for tests, on this machine, on a free port.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "store/journal_test_support.h"
#include "store/nats_journal.h"

namespace openseat::store {

class NatsTestServer {
 public:
  // For a test that cannot run without it.
  static constexpr const char* kMissing = "nats-server is not installed: apt-get install nats-server";
  static bool installed() {
    std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    for (std::string folder; std::getline(path, folder, ':');) {
      if (access((folder + "/nats-server").c_str(), X_OK) == 0) return true;
    }
    return false;
  }
  // One for all tests of the process that do not stop it.
  static NatsTestServer& Shared() {
    static NatsTestServer server;
    return server;
  }

  // `settings`: what else its file of settings says; `streams`: about JetStream.
  explicit NatsTestServer(std::string settings = {}, std::string streams = {})
      : settings_(std::move(settings)), streams_(std::move(streams)) {
    Start();
  }
  ~NatsTestServer() { Kill(); }
  NatsTestServer(const NatsTestServer&) = delete;
  NatsTestServer& operator=(const NatsTestServer&) = delete;

  const std::string& url() const { return url_; }
  // A name that no other test has.
  static std::string NewCluster() {
    static std::atomic<int> count = 0;
    return "test" + std::to_string(++count);
  }

  void Kill() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }
  // After Kill: the same port, and what the operating system has of its files.
  void Restart() { Start(); }
  // After Kill: keeps a copy of its files, or takes it back.
  void Keep(const char* name) const { Copy("streams", name); }
  void TakeBack(const char* name) const { Copy(name, "streams"); }
  // Returns when it has stopped.
  void Freeze() const {
    kill(pid_, SIGSTOP);
    waitpid(pid_, nullptr, WUNTRACED);
  }
  void Thaw() const { kill(pid_, SIGCONT); }

 private:
  void Copy(const char* from, const char* to) const {
    std::filesystem::remove_all(directory_.File(to));
    std::filesystem::copy(directory_.File(from), directory_.File(to), std::filesystem::copy_options::recursive);
  }
  void Start() {
    const std::string config = directory_.File("nats.conf");
    std::ofstream(config) << "listen: \"127.0.0.1:" << (port_.empty() ? "-1" : port_)
                          << "\"\njetstream {\n  store_dir: \"" << directory_.File("streams") << "\"\n"
                          << streams_ << "\n}\n"
                          << settings_;
    const std::string ports = directory_.path().string();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves no server behind
      const int log = open(directory_.File("log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      execlp("nats-server", "nats-server", "-c", config.c_str(), "--ports_file_dir", ports.c_str(), nullptr);
      _exit(127);
    }
    // {"nats":["nats://127.0.0.1:35855"]}, once it listens; or "tls://".
    const std::string file = ports + "/nats-server_" + std::to_string(pid_) + ".ports";
    for (const Patience patience;;) {
      std::ifstream in(file);
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      const std::size_t host = text.find("://127.0.0.1:");
      const std::size_t at = text.rfind('"', host) + 1;
      const std::size_t end = text.find('"', at);
      if (host != std::string::npos && end != std::string::npos && text.find('}') != std::string::npos) {
        url_ = text.substr(at, end - at);
        port_ = url_.substr(url_.rfind(':') + 1);
        return;
      }
      if (patience.over() || waitpid(pid_, nullptr, WNOHANG) == pid_) {
        ADD_FAILURE() << "nats-server did not start";
        std::abort();
      }
      std::this_thread::yield();
    }
  }

  const TemporaryDirectory directory_;
  const std::string settings_;
  const std::string streams_;
  std::string port_;
  std::string url_;
  pid_t pid_ = -1;
};

// A journal that owns all shards: few, since each is a stream.
inline std::unique_ptr<NatsJournal> MustOpenNats(const NatsTestServer& server, const std::string& cluster,
                                                 std::size_t shards = 4) {
  NatsJournalOptions options;
  options.link.servers = server.url();
  options.cluster = cluster;
  options.shards = shards;
  // A slow machine is not a reason to fail.
  options.settle_timeout = std::chrono::minutes(2);
  auto journal = NatsJournal::Open(options);
  Result<void> claimed;
  if (journal) claimed = (*journal)->ClaimAll();
  if (!journal || !claimed) {
    ADD_FAILURE() << (journal ? claimed.error().message : journal.error().message);
    std::abort();
  }
  return std::move(*journal);
}

}  // namespace openseat::store
