#include "voice/program.h"

#include <utility>

#include "voice/wire.h"

namespace openseat::voice {
namespace {

constexpr std::size_t kMostUnread = 64u << 10;

}  // namespace

Result<std::unique_ptr<ChildProgram>> StartVoiceProgram(const std::string& command, const std::string& game,
                                                        Scheduler& scheduler,
                                                        std::function<void(std::string_view)> said,
                                                        ChildProgram::Ended ended, std::size_t most) {
  auto hear = [said = std::move(said), rest = std::string()](std::string_view bytes) mutable {
    rest += bytes;
    const std::string whole = rest.substr(0, rest.size() / kBytesPerSample * kBytesPerSample);
    rest.erase(0, whole.size());
    said(whole);
  };
  auto started = ChildProgram::Start({.line = {"/bin/sh", "-c", command},
                                      .environment = {"OPENSEAT_GAME=" + game.substr(0, game.find('\0'))},
                                      .errors = std::nullopt,
                                      .asked_first = true,
                                      .most = most},
                                     scheduler, std::move(hear), std::move(ended));
  if (!started) return Fail(started.error().code, "the voice program cannot be started: " + started.error().message);
  return std::move(*started);
}

bool LetHear(ChildProgram& program, std::string_view frame) {
  if (program.unread() > kMostUnread) return false;
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>(frame.size() >> (8 * i) & 0xFF);
  program.Write(text.append(frame));
  return true;
}

}  // namespace openseat::voice
