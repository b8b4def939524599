// StdioConnection: MCP over lines, as a host speaks to a program that it has started. Pure apart from its Server: bytes
// in, lines out. On the server's scheduler.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "protocols/mcp/server.h"

namespace openseat::mcp {

// Takes lines out of pieces. Pure.
class LineReader {
 public:
  // Calls `take` for each line that has ended, without its end; empty ones are left out. `too_long` is called once for
  // a line beyond kMaxMessageBytes, the rest of which is skipped.
  void Feed(std::string_view bytes, const std::function<void(std::string_view)>& take,
            const std::function<void()>& too_long);

 private:
  std::string held_;       // a line that has not ended
  bool skipping_ = false;  // the rest of one that was too long
};

// What a line that is too long is answered with.
std::string LineTooLong();

class StdioConnection {
 public:
  // `write` takes one whole line with its end. `server` outlives it.
  StdioConnection(Server& server, std::function<void(std::string line)> write);
  ~StdioConnection();  // what is under way is cancelled
  StdioConnection(const StdioConnection&) = delete;
  StdioConnection& operator=(const StdioConnection&) = delete;

  // Any piece of what came.
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
