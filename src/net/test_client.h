// A blocking client for tests: raw bytes over a loopback socket, and the means to read HTTP answers and WebSocket
// frames. Written apart from the code it tests. Every read fails after a minute.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace openseat::net {

class TestClient {
 public:
  explicit TestClient(std::uint16_t port);
  struct Adopt {
    int descriptor;
  };
  // Takes over a connected socket.
  explicit TestClient(Adopt socket);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // For as long as this exists, requests of this thread's clients say that a proxy passes them on for this address,
  // unless they say so themselves.
  class Elsewhere {
   public:
    explicit Elsewhere(const std::string& address);
    ~Elsewhere();
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
  };

  // For as long as this exists, each answer and each frame that this thread's clients read adds to `count`.
  class Counted {
   public:
    explicit Counted(std::atomic<std::size_t>& count);
    ~Counted();
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
  };

  void Send(std::string_view bytes);
  void EndSending();
  // Reads until this many bytes are there, or the peer ends; returns and consumes them.
  std::string Read(std::size_t size);
  // Everything up to and including `mark`; what is there if the peer ends first.
  std::string ReadUntil(std::string_view mark);
  // True when the peer has ended the connection and nothing is left to read.
  bool AtEnd();

  struct Answer {
    int status = 0;                              // 0: none came
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
    std::string head;
  };
  Answer ReadAnswer(bool head = false);
  Answer Request(std::string_view bytes, bool head = false);

  // Sends a handshake for `path` and returns the answer.
  Answer Upgrade(std::string_view path, std::string_view more_headers = "");

  struct Frame {
    bool fin = false;
    int opcode = -1;  // -1: the connection ended
    bool masked = false;
    std::string payload;
    int code() const;  // of a close frame; 1005 if it has none
  };
  Frame ReadFrame();

  int descriptor() const { return descriptor_; }

  // Waits for a client's handshake and accepts it, with `behind` in the same write; returns the request. The
  // counterpart of Upgrade.
  std::string AnswerUpgrade(std::string_view behind = "");

 private:
  bool Fill();
  void SendAll(std::string_view bytes);

  int descriptor_;
  std::string in_;
};

// Takes the server's place, for tests of clients: every connection is handed to the test.
class TestListener {
 public:
  TestListener();
  ~TestListener();
  TestListener(const TestListener&) = delete;
  TestListener& operator=(const TestListener&) = delete;

  std::uint16_t port() const { return port_; }
  std::unique_ptr<TestClient> Accept();

 private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

// One frame as a client sends it. `first` is the whole first byte: 0x81 is an unfragmented text.
std::string ClientFrame(int first, std::string_view payload, bool masked = true);
std::string ClientClose(int code, std::string_view reason = "");

}  // namespace openseat::net
