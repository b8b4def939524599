// Result<T>: a value or an Error. Everything that depends on input, a peer, a file or the network returns one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "base/time.h"

namespace openseat {

// The closed list of what can go wrong. Wire protocols map these to their own numbers in protocols/ only.
enum class ErrorCode {
  kParse,          // text with a syntax error (JSON, TOML, a URL …)
  kInvalid,        // well-formed, but not acceptable: an argument, an option, a field
  kSchema,         // JSON that does not fit its schema
  kUnsupported,    // understood, but not offered
  kNotFound,       // no such table, seat, action, file …
  kConflict,       // taken, already exists, or changed meanwhile
  kUnauthorized,   // a token or key is missing or wrong: another one may work
  kDenied,         // not allowed for this caller
  kNotYourTurn,    // the seat owes no choice now
  kNoSuchAction,   // the seat has no action of that name now
  kIncorrectData,  // the action's data has the wrong shape
  kIncorrectMove,  // the data is well-formed, the rules forbid it
  kTooLarge,       // a limit on size, depth or count
  kBusy,           // a queue is full or something is still in progress: try later
  kTimeout,        // a deadline passed
  kClosed,         // the other side is gone, or this object was shut down
  kIo,             // the operating system or the network failed
};

// The name of a code in logs and JSON: "not-found", "incorrect-data" …
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;  // one sentence for a person: what was expected and what came
  std::string path;     // where: a JSON path ("position[0]"), a file, a flag; may be empty
  Duration wait{0};     // of kBusy and kIo: until another try may work; 0: not known

  bool operator==(const Error&) const = default;
};
// What is sent of a message or a path, whatever it quotes. See base/text.h, which quotes less.
inline constexpr std::size_t kMaxErrorBytes = 4u << 10;

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // For results of and_then and the like. NOLINTNEXTLINE(google-explicit-constructor)
  Result(tl::expected<T, Error> other) : tl::expected<T, Error>(std::move(other)) {}
};

// return Fail(ErrorCode::kNotFound, "no table \"x\"");
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string path = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(path)});
}
inline tl::unexpected<Error> Fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace openseat
