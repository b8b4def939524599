// Reads bytes as a message of a voice socket, as a frame of audio, and as a WAV file. Whatever can be read is sound:
// ids fit, samples are whole, and a frame that is written again is the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "voice/wav.h"
#include "voice/wire.h"

namespace openseat::voice {
namespace {

void Read(std::string_view bytes) {
  if (const Result<Control> control = DecodeControl(bytes)) {
    if (const auto* speakers = std::get_if<SpeakersMessage>(&control->body)) {
      for (const Speaker& each : speakers->speakers) OPENSEAT_CHECK(each.name.size() <= 160, "names are cut");
    }
  } else {
    OPENSEAT_CHECK(!control.error().message.empty(), "every refusal says why");
  }
  if (const Result<Audio> audio = DecodeAudio(bytes)) {
    OPENSEAT_CHECK(!audio->samples.empty() && audio->samples.size() % kBytesPerSample == 0, "samples are whole");
    const Level level = LevelOf(audio->samples);
    OPENSEAT_CHECK(level.peak >= 0 && level.peak <= 1 && level.rms >= 0 && level.rms <= 1, "levels are from 0 to 1");
    const std::string again = EncodeAudio(audio->speaker, Bytes(Samples(audio->samples)));
    OPENSEAT_CHECK(again.substr(2) == bytes.substr(2), "a frame that is written again is the same, but for its flags");
  }
  static_cast<void>(ParseWav(bytes, "fuzzed"));
}

}  // namespace
}  // namespace openseat::voice

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  openseat::voice::Read(bytes);
  if (size > 1) {
    const std::size_t cut = (data[0] + size * 7) % size;
    openseat::voice::Read(bytes.substr(0, cut));
    openseat::voice::Read(bytes.substr(cut));
  }
  return 0;
}
