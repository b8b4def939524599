// Which addresses are strangers'. Pure functions; any thread.
#pragma once

#include <string_view>

namespace openseat {

// The payer of this machine's own programs (AddressKey).
inline constexpr std::string_view kLoopback = "loopback";

// Whether a payer's address (AddressOf, AddressKey) is another machine's: not this one's, and not "", without a payer.
inline bool IsStrangers(std::string_view address) {
  return !address.empty() && address != kLoopback;
}

}  // namespace openseat
