// Retries: which requests have acted at a seat, so that a client that got no answer may send one again. A request is
// known by a tag, which is journaled with what it did (Choice::retry). Plain values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace openseat {

// "KEY:DIGEST": hashes of what the client calls the request, and of all that it says. A few dozen characters.
std::string RequestTag(std::string_view key, std::string_view request);

class Retries {
 public:
  static constexpr std::size_t kMost = 32;

  enum class Known : std::uint8_t {
    kNew,
    kSame,
    kOther,  // the key was used for another request
  };
  Known Find(std::string_view tag) const;
  // What Find would say of `tag` if `known` were the only one.
  static Known Compare(std::string_view known, std::string_view tag);
  // Forgets the oldest if there are more than kMost.
  void Add(std::string tag);

 private:
  std::vector<std::string> tags_;  // oldest first
};

}  // namespace openseat
