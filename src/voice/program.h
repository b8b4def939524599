// VoiceProgram: a program that hears the speakers and speaks for the character, over its standard input and output.
//
// Input: each frame of audio as the game sent it (voice/wire.h), with its size before it, four bytes, little-endian.
// Output: samples, as wire.h has them, without any frame; they are played at their own pace. Its standard error is
// ours.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/scheduler.h"

namespace openseat::voice {

class VoiceProgram {
 public:
  // Runs `command` in a shell, with OPENSEAT_GAME set. `said` gets whole samples, `ended` the end of the output; both
  // on `scheduler`, never after the destructor. Errors: kIo.
  static Result<std::unique_ptr<VoiceProgram>> Start(const std::string& command, const std::string& game,
                                                     Scheduler& scheduler, std::function<void(std::string_view)> said,
                                                     std::function<void()> ended);
  virtual ~VoiceProgram() = default;  // ends the program

  // False if the program does not read: the frame is dropped.
  virtual bool Hear(std::string_view frame) = 0;
};

}  // namespace openseat::voice
