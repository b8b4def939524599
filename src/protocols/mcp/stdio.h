// StdioConnection: MCP over lines, as a host speaks to a program that it has started. Pure apart from its Server: bytes
// in, lines out. On the server's scheduler.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "protocols/mcp/server.h"

namespace openseat::mcp {

// Splits input into lines. Pure.
class LineReader {
 public:
  // Calls `take` for each complete line, without its newline, except empty ones. `too_long` is called once for a line
  // beyond kMaxMessageBytes, the rest of which is skipped.
  void Feed(std::string_view bytes, const std::function<void(std::string_view)>& take,
            const std::function<void()>& too_long);

 private:
  std::string held_;       // an incomplete line
  bool skipping_ = false;  // skipping the rest of a line that was too long
};

// The answer to a line that is too long.
std::string LineTooLong();

class StdioConnection {
 public:
  // `write` takes one whole line including its newline. `server` outlives it.
  StdioConnection(Server& server, std::function<void(std::string line)> write);
  ~StdioConnection();  // cancels what is in progress
  StdioConnection(const StdioConnection&) = delete;
  StdioConnection& operator=(const StdioConnection&) = delete;

  // Any piece of the input.
  void Feed(std::string_view bytes);
  // Every request is answered.
  bool idle() const { return session_->running.empty(); }

 private:
  class Line;
  void Take(std::string_view line);

  Server& server_;
  const std::shared_ptr<const std::function<void(std::string)>> write_;
  const std::shared_ptr<Session> session_ = std::make_shared<Session>();
  LineReader lines_;
};

}  // namespace openseat::mcp
