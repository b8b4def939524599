// Arena: memory for the values of one text that is read at once, as a message: on the stack for all but large ones,
// and freed in one step.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>

#include "base/json.h"

namespace openseat::json {

// Outlives all values in it, which neither copies nor moves of them leave by themselves: copy what is kept with
// Value(value, Storage()).
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Storage storage() { return &memory_; }

 private:
  std::array<unsigned char, 4096> buffer_;
  boost::json::monotonic_resource memory_{buffer_.data(), buffer_.size()};
};

}  // namespace openseat::json
