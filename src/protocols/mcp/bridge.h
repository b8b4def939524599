// Bridge: connects a host that speaks MCP over lines to a server that speaks it over HTTP. Each line is one POST;
// answers are written as lines. One thread: its scheduler's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.h"
#include "protocols/mcp/era.h"
#include "protocols/mcp/message.h"

namespace openseat::mcp {

class Bridge {
 public:
  // `url` is the server's /mcp; `token` its bearer token, "" for none. `write` takes one whole line including its
  // newline. `caller` and `scheduler` outlive it.
  Bridge(net::HttpCaller& caller, Scheduler& scheduler, std::string url, std::string token,
         std::function<void(std::string line)> write);
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  // One message from the host, without the newline.
  void Take(std::string_view line);
  // No answer is awaited any more.
  bool idle() const { return running_.empty(); }

 private:
  struct Running {
    net::HttpCallId call;
    bool modern = false;
  };
  net::HttpCall Post(const Message& message, const Envelope& envelope, std::string_view line) const;
  void Send(const Message& message, const Envelope& envelope, std::string line, bool again);
  void Answered(const Message& message, const Envelope& envelope, const std::string& line, bool again,
                const Result<net::HttpResponse>& answer);
  void ShakeHandsAgain(const Message& message, const Envelope& envelope, const std::string& line);
  void Fail(const Message& message, std::string why);
  void Write(std::string text);
  void Ended(std::uint64_t number);

  net::HttpCaller& caller_;
  Scheduler& scheduler_;
  const std::string url_;
  const std::string token_;
  const std::function<void(std::string)> write_;
  std::string session_;  // in the legacy era
  std::string version_;
  std::string handshake_;  // the host's initialize, for a server that has forgotten it
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Running> running_;
  std::map<std::string, std::uint64_t> by_id_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

// A header's value: unchanged, or as "=?base64?…?=" if a header cannot carry it unchanged.
std::string EncodeHeaderValue(std::string_view value);
// The data of each event of a stream, in order.
std::vector<std::string> EventData(std::string_view stream);

}  // namespace openseat::mcp
