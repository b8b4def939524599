// Sink: JSON that is written piece by piece, as the payload of an event: no Value is built for it.
//
// What is written gathers on the stack, since a call of std::string for each quote and comma would cost more than the
// rest.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/json.h"

namespace openseat::json {

// Appends to `out`, which is complete once the sink is destroyed.
class Sink {
 public:
  explicit Sink(std::string& out) : out_(out) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { out_.append(buffer_.data(), used_); }

  // As it is.
  void Put(char c) {
    MakeRoom(1);
    buffer_[used_++] = c;
  }
  void Put(std::string_view text) {
    if (text.size() > buffer_.size()) {
      Flush();
      out_ += text;
      return;
    }
    MakeRoom(text.size());
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  // An integer, or a double in a form of std::to_chars.
  template <typename Number, typename... Format>
  void PutNumber(Number number, Format... format) {
    constexpr std::size_t kLongest = 32;
    MakeRoom(kLongest);
    const auto end = std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), number, format...).ptr;
    used_ = static_cast<std::size_t>(end - buffer_.data());
  }
  // With its quotes, escaped. Unless `utf8`, everything beyond ASCII is escaped as well.
  void PutString(std::string_view text, bool utf8 = false);
  // In one line.
  void PutValue(const Value& value);

 private:
  // Puts the bytes at the beginning of `text` that need no escape, or the first of many, and returns how many those
  // are.
  std::size_t PutPlain(std::string_view text);
  void PutEscape(char32_t unit);
  void PutAscii(unsigned char c);
  void PutBeyondAscii(std::string_view character);

  void MakeRoom(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes) Flush();
  }
  // Not inline, so that what calls it may be.
  [[gnu::noinline]] void Flush() {
    out_.append(buffer_.data(), used_);
    used_ = 0;
  }

  std::string& out_;
  std::size_t used_ = 0;
  std::array<char, 512> buffer_;  // not initialized: only what is used is read
};

// What `write`, a function of a Sink&, puts.
template <typename Write>
std::string Compose(const Write& write) {
  std::string out;
  {
    Sink sink(out);
    write(sink);
  }
  return out;
}

}  // namespace openseat::json
