#include "base/result.h"

#include "base/check.h"

namespace openseat {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kParse:
      return "parse";
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kSchema:
      return "schema";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kUnauthorized:
      return "unauthorized";
    case ErrorCode::kDenied:
      return "denied";
    case ErrorCode::kNotYourTurn:
      return "not-your-turn";
    case ErrorCode::kNoSuchAction:
      return "no-such-action";
    case ErrorCode::kIncorrectData:
      return "incorrect-data";
    case ErrorCode::kIncorrectMove:
      return "incorrect-move";
    case ErrorCode::kTooLarge:
      return "too-large";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kClosed:
      return "closed";
    case ErrorCode::kIo:
      return "io";
  }
  CheckFailed("ErrorCode", __FILE__, __LINE__, "an ErrorCode outside its enum");
}

}  // namespace openseat
