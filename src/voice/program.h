// A program that hears the speakers and speaks for the character, over its standard input and output.
//
// Input: each frame of audio as the game sent it (voice/wire.h), with its size before it, four bytes, little-endian.
// Output: samples, as wire.h has them, without any frame; they are played at their own pace. Its standard error is
// ours.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/child_program.h"
#include "base/result.h"
#include "base/scheduler.h"

namespace openseat::voice {

// Runs `command` in a shell, with OPENSEAT_GAME set; it ends with the result. `said` gets whole samples. `most`:
// ChildProgram::Options::most. Errors: kIo; kBusy if there are so many.
Result<std::unique_ptr<ChildProgram>> StartVoiceProgram(const std::string& command, const std::string& game,
                                                        Scheduler& scheduler,
                                                        std::function<void(std::string_view)> said,
                                                        ChildProgram::Ended ended, std::size_t most);
// False if the program does not read: the frame is dropped.
bool LetHear(ChildProgram& program, std::string_view frame);

}  // namespace openseat::voice
