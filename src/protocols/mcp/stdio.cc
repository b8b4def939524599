#include "protocols/mcp/stdio.h"

#include <utility>
#include <vector>

namespace openseat::mcp {

// Where the answer to one line goes. Outlives the connection if a call does.
class StdioConnection::Line final : public Exchange {
 public:
  explicit Line(std::weak_ptr<const std::function<void(std::string)>> write) : write_(std::move(write)) {}

  void Notify(std::string message) override { Write(std::move(message)); }
  void Finish(std::string message, int) override {
    if (!message.empty()) Write(std::move(message));
  }

 private:
  void Write(std::string message) {
    const auto write = write_.lock();
    if (write == nullptr) return;
    message += '\n';
    (*write)(std::move(message));
  }

  const std::weak_ptr<const std::function<void(std::string)>> write_;
};

StdioConnection::StdioConnection(Server& server, std::function<void(std::string)> write)
    : server_(server), write_(std::make_shared<const std::function<void(std::string)>>(std::move(write))) {}

StdioConnection::~StdioConnection() {
  const auto running = std::exchange(session_->running, {});
  for (const auto& [id, call] : running) {
    if (const CallPtr live = call.lock()) live->Cancel();
  }
  const auto asked = std::exchange(session_->asked, {});
}

void LineReader::Feed(std::string_view bytes, const std::function<void(std::string_view)>& take,
                      const std::function<void()>& too_long) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (!skipping_) held_ += piece;
    if (held_.size() > kMaxMessageBytes) {
      too_long();
      held_.clear();
      skipping_ = true;
    }
    if (end == std::string_view::npos) return;
    const std::string line = std::exchange(held_, {});
    if (std::exchange(skipping_, false)) continue;
    std::string_view text = line;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!text.empty()) take(text);
  }
}

std::string LineTooLong() {
  return EncodeFailure(
      nullptr, {code::kInvalidRequest,
                "Invalid request: a message may have " + std::to_string(kMaxMessageBytes) + " bytes", nullptr, 400});
}

void StdioConnection::Feed(std::string_view bytes) {
  lines_.Feed(
      bytes, [this](std::string_view line) { Take(line); }, [this] { Line(write_).Finish(LineTooLong(), 400); });
}

void StdioConnection::Take(std::string_view line) {
  auto exchange = std::make_shared<Line>(write_);
  tl::expected<Message, Unreadable> message = DecodeMessage(line);
  if (!message) {
    return exchange->Finish(EncodeFailure(message.error().id, message.error().failure), 400);
  }
  tl::expected<Envelope, Failure> envelope = ReadEnvelope(*message, nullptr);
  if (!envelope) return exchange->Finish(EncodeFailure(message->id, envelope.error()), 400);
  server_.Handle({std::move(*message), std::move(*envelope), session_, std::nullopt}, std::move(exchange));
}

}  // namespace openseat::mcp
