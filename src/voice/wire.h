// The voice side channel of the Neuro API on the wire (docs/protocols/neuro.md, "Voice"): control messages as JSON
// text, audio as binary frames. Pure: no socket, no state, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace openseat::voice {

inline constexpr std::uint32_t kSampleRate = 48'000;  // mono, 32-bit floats, little-endian
inline constexpr std::size_t kBytesPerSample = 4;
inline constexpr std::size_t kAudioHeader = 4;  // version, flags, the speaker's id in two bytes
inline constexpr std::uint8_t kAudioVersion = 1;
inline constexpr std::size_t kMaxControl = 64u << 10;

// Game to server.
struct StartMessage {};
struct StopMessage {};
struct Speaker {
  std::uint16_t id = 0;
  std::string name;
  bool operator==(const Speaker&) const = default;
};
struct SpeakersMessage {
  std::vector<Speaker> speakers;
};
struct ForgetSpeakersMessage {
  std::vector<std::uint16_t> ids;
};
struct Control {
  std::string game;  // "" where it did not say
  std::variant<StartMessage, StopMessage, SpeakersMessage, ForgetSpeakersMessage> body;
  std::vector<std::string> oddities{};  // entries that were left out, in sentences
};
// Lenient: `Ids` and null for a list are read. Errors: kParse, kInvalid, kUnsupported for a command of another socket.
Result<Control> DecodeControl(std::string_view text);

// A frame of audio.
struct Audio {
  std::uint16_t speaker = 0;
  std::string_view samples;  // whole samples, at least one; part of the message
};
// Errors: kInvalid, with what is wrong.
Result<Audio> DecodeAudio(std::string_view message);
std::string EncodeAudio(std::uint16_t speaker, std::string_view samples);

// Server to game; each appends one message. No other may be sent: one SDK ends its game on it.
void EncodeReady(std::string& out);
void EncodeUnavailable(std::string_view reason, std::string& out);
void EncodeSpeaking(bool speaking, std::string& out);
void EncodeCancelled(std::string& out);

// Samples as numbers; REQUIRES whole samples.
std::vector<float> Samples(std::string_view bytes);
std::string Bytes(std::span<const float> samples);

// How loud, from 0 to 1.
struct Level {
  float peak = 0;
  float rms = 0;
  bool broken = false;  // NaN, infinite, or far beyond 1
};
Level LevelOf(std::string_view samples);

}  // namespace openseat::voice
