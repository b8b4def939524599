#include "agents/llm/sse.h"

#include <algorithm>
#include <utility>

namespace openseat::llm {

void SseReader::Feed(std::string_view bytes, const Event& event) {
  while (!bytes.empty() && !overflowed_) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') bytes.remove_prefix(1);
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    line_ += bytes.substr(0, end);
    if (line_.size() + data_.size() > max_bytes_) {
      overflowed_ = true;
      line_.clear();
      data_.clear();
      return;
    }
    if (end == bytes.size()) return;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    EndLine(event);
  }
}

void SseReader::Finish(const Event& event) {
  if (overflowed_) return;
  if (!line_.empty()) EndLine(event);
  EndLine(event);
}

void SseReader::EndLine(const Event& event) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    const std::string data = std::exchange(data_, {});
    if (std::exchange(has_data_, false)) event(data);
    return;
  }
  constexpr std::string_view kData = "data:";
  if (!line.starts_with(kData)) return;  // a comment, or a member that nobody needs here
  std::string_view value = std::string_view(line).substr(kData.size());
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (has_data_) data_ += '\n';
  has_data_ = true;
  data_ += value;
}

}  // namespace openseat::llm
