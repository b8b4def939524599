#include "voice/options.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include "voice/wav.h"
#include "voice/wire.h"

namespace openseat::voice {
namespace {

constexpr float kToneLevel = 0.2F;

}  // namespace

std::vector<float> ToneOf(double hz, double seconds) {
  std::vector<float> samples(static_cast<std::size_t>(seconds * kSampleRate));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] =
        kToneLevel * static_cast<float>(std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / kSampleRate));
  }
  return samples;
}

std::string_view ModeName(VoiceOptions::Mode mode) {
  switch (mode) {
    case VoiceOptions::Mode::kOff:
      return "off";
    case VoiceOptions::Mode::kListen:
      return "listen";
    case VoiceOptions::Mode::kTone:
      return "tone";
    case VoiceOptions::Mode::kFile:
      return "file";
    case VoiceOptions::Mode::kLoop:
      return "loop";
    case VoiceOptions::Mode::kProgram:
      return "program";
  }
  return "off";
}

Result<VoiceOptions> ParseVoice(std::string_view text) {
  VoiceOptions options;
  const std::string_view mode = text.substr(0, text.find(':'));
  const std::string argument(mode.size() == text.size() ? std::string_view() : text.substr(mode.size() + 1));
  const auto is = [&](std::string_view name, bool needs) { return mode == name && argument.empty() != needs; };
  if (is("off", false)) return options;
  if (is("listen", false)) {
    options.mode = VoiceOptions::Mode::kListen;
  } else if (is("loop", false)) {
    options.mode = VoiceOptions::Mode::kLoop;
  } else if (mode == "tone") {
    options.mode = VoiceOptions::Mode::kTone;
    if (!argument.empty()) {
      const auto read = std::from_chars(argument.data(), argument.data() + argument.size(), options.tone_hz);
      if (read.ptr != argument.data() + argument.size() || !(options.tone_hz >= 20 && options.tone_hz <= 20'000)) {
        return Fail(ErrorCode::kInvalid, "a tone has 20 to 20000 Hz; got \"" + argument + "\"");
      }
    }
    options.clip = ToneOf(options.tone_hz, 1);
  } else if (is("file", true)) {
    options.mode = VoiceOptions::Mode::kFile;
    Result<std::vector<float>> clip = ReadWav(argument);
    if (!clip) return Fail(std::move(clip).error());
    options.clip = std::move(*clip);
  } else if (is("program", true)) {
    options.mode = VoiceOptions::Mode::kProgram;
    options.command = argument;
  } else {
    return Fail(ErrorCode::kInvalid, "voice is off, listen, tone, tone:HZ, file:PATH, loop or program:COMMAND; got \"" +
                                         std::string(text) + "\"");
  }
  return options;
}

}  // namespace openseat::voice
