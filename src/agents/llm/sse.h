// SseReader: server-sent events from the pieces of a stream, as the HTML standard defines them. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace openseat::llm {

class SseReader {
 public:
  // An event's data; its lines are joined by line feeds. Comments and events without data are left out.
  using Event = std::function<void(std::string_view data)>;

  // An event with more than `max_bytes` ends the reading: nothing more is given.
  explicit SseReader(std::size_t max_bytes = 8u << 20) : max_bytes_(max_bytes) {}

  void Feed(std::string_view bytes, const Event& event);
  // At the end of the stream: an event whose blank line is missing.
  void Finish(const Event& event);
  bool overflowed() const { return overflowed_; }

 private:
  void EndLine(const Event& event);

  const std::size_t max_bytes_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;  // a line feed may follow that belongs to the same line's end
  bool overflowed_ = false;
};

}  // namespace openseat::llm
