// The connection's side of an HttpReply. Internal.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "net/http.h"

namespace openseat::net {

class HttpReply::Sink {
 public:
  virtual ~Sink() = default;
  // Takes the one answer; from any thread, like all except the last function.
  virtual void Deliver(HttpResponse response) = 0;
  // The same for an answer whose rest follows, until `stream` is ended. Writes to a stream other than the one in
  // progress do nothing.
  virtual void BeginStream(HttpResponse head, std::shared_ptr<HttpStream::State> stream) = 0;
  virtual void WriteStream(const std::shared_ptr<HttpStream::State>& stream, std::string bytes) = 0;
  virtual void EndStream(const std::shared_ptr<HttpStream::State>& stream) = 0;
  virtual void WhenGone(Task gone) = 0;
};

// Shared by a stream's two ends.
class HttpStream::State {
 public:
  std::atomic<bool> open = true;
};

}  // namespace openseat::net
