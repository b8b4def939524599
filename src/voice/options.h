// What the server does on the voice side channel: section [voice] of the config file, and --voice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace openseat::voice {

struct VoiceOptions {
  enum class Mode : std::uint8_t {
    kOff,      // voice/unavailable
    kListen,   // hears, and says nothing by itself
    kTone,     // says a tone, again and again
    kFile,     // says a WAV file, again and again
    kLoop,     // says what it hears
    kProgram,  // a program hears and speaks
  };
  Mode mode = Mode::kOff;
  std::string command;      // of kProgram
  double tone_hz = 440;     // of kTone
  std::vector<float> clip;  // of kTone and kFile: a second of the tone, or the file
  std::string record_dir;   // where each speaker's WAV file goes; "": nothing is recorded

  Duration first_after = std::chrono::seconds(1);  // of kTone and kFile: from ready to the first time
  Duration every = std::chrono::seconds(5);        // from one end to the next beginning
  std::size_t max_speakers = 32;
  std::size_t max_programs = 64;  // of kProgram, of all sockets together; strangers leave an eighth; 0: no limit
  std::uint64_t max_socket_bytes = std::uint64_t{512} << 20;  // of one socket's recordings
  std::uint64_t max_recorded_bytes = 0;                       // of all recordings in record_dir; 0: no limit
  std::uint64_t reserve_bytes = 0;                            // of the disk, not for recordings
};

// A tone at a comfortable level.
std::vector<float> ToneOf(double hz, double seconds);

std::string_view ModeName(VoiceOptions::Mode mode);  // "off", "listen" …

// "off", "listen", "tone", "tone:880", "file:PATH", "loop", "program:COMMAND"; reads the file. Errors: kInvalid, and
// those of ReadWav.
Result<VoiceOptions> ParseVoice(std::string_view text);

}  // namespace openseat::voice
