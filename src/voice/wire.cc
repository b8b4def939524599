#include "voice/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/json.h"
#include "base/text.h"
#include "protocols/neuro/codec.h"

namespace openseat::voice {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are little-endian, as in memory");

constexpr std::size_t kMaxListed = 256;       // speakers of one message that are read
constexpr std::size_t kMaxSpeakerName = 128;  // bytes
constexpr std::size_t kMaxOddities = 4;
constexpr float kLoudest = 1.5F;  // of a sample that is meant

std::optional<std::uint16_t> IdOf(const json::Value& value) {
  if (!json::IsInteger(value)) return std::nullopt;
  const double number = value.is_double() ? value.get_double() : value.to_number<double>();
  if (number < 0 || number > UINT16_MAX) return std::nullopt;
  return static_cast<std::uint16_t>(number);
}

// The list under one of these names; null if it is missing, null, or something else.
const json::Array* ListOf(const json::Value& data, std::string_view name, std::string_view other) {
  const json::Value* found = json::Find(data, name);
  if (found == nullptr) found = json::Find(data, other);
  return found == nullptr ? nullptr : found->if_array();
}

void Odd(std::vector<std::string>& oddities, std::string text) {
  if (oddities.size() < kMaxOddities) oddities.push_back(std::move(text));
}

SpeakersMessage ReadSpeakers(const json::Value& data, std::vector<std::string>& oddities) {
  SpeakersMessage message;
  const json::Array* list = ListOf(data, "speakers", "Speakers");
  if (list == nullptr) {
    Odd(oddities, "voice/speakers/register has no list `speakers`");
    return message;
  }
  for (std::size_t i = 0; i < std::min(list->size(), kMaxListed); ++i) {
    const json::Value& entry = (*list)[i];
    const json::Value* number = json::Find(entry, "id");
    const std::optional<std::uint16_t> id = number == nullptr ? std::nullopt : IdOf(*number);
    if (!id) {
      Odd(oddities, "a speaker's `id` must be a whole number from 0 to 65535; got " +
                        (number == nullptr ? std::string("nothing") : json::Excerpt(*number, 40)));
      continue;
    }
    message.speakers.push_back({*id, Ellipsize(json::TextOf(entry, "name"), kMaxSpeakerName)});
  }
  if (list->size() > kMaxListed) Odd(oddities, "only the first " + std::to_string(kMaxListed) + " speakers were read");
  return message;
}

ForgetSpeakersMessage ReadForgotten(const json::Value& data, std::vector<std::string>& oddities) {
  ForgetSpeakersMessage message;
  const json::Array* list = ListOf(data, "ids", "Ids");
  if (list == nullptr) return message;
  for (std::size_t i = 0; i < std::min(list->size(), kMaxListed); ++i) {
    if (const std::optional<std::uint16_t> id = IdOf((*list)[i])) {
      message.ids.push_back(*id);
    } else {
      Odd(oddities, "an id must be a whole number from 0 to 65535; got " + json::Excerpt((*list)[i], 40));
    }
  }
  return message;
}

}  // namespace

Result<Control> DecodeControl(std::string_view text) {
  if (text.size() > kMaxControl) {
    return Fail(ErrorCode::kTooLarge, "a message of the voice socket has " + std::to_string(kMaxControl) +
                                          " bytes at most; got " + std::to_string(text.size()));
  }
  const Result<json::Value> parsed = json::Parse(text, json::kInnerLimits);
  if (!parsed) return Fail(parsed.error());
  const std::string_view command = json::TextOf(*parsed, "command");
  Control control{.game = std::string(json::TextOf(*parsed, "game")), .body = StartMessage{}};
  const json::Value none;
  const json::Value* found = json::Find(*parsed, "data");
  const json::Value& data = found == nullptr ? none : *found;
  if (command == "voice/start") return control;
  if (command == "voice/stop") {
    control.body = StopMessage{};
  } else if (command == "voice/speakers/register") {
    control.body = ReadSpeakers(data, control.oddities);
  } else if (command == "voice/speakers/unregister") {
    control.body = ReadForgotten(data, control.oddities);
  } else if (command.empty()) {
    return Fail(ErrorCode::kInvalid, "a message of the voice socket must be a JSON object with `command`");
  } else {
    return Fail(ErrorCode::kUnsupported, "\"" + Ellipsize(command, 60) + "\" does not belong on the voice socket");
  }
  return control;
}

Result<Audio> DecodeAudio(std::string_view message) {
  if (message.size() < kAudioHeader + kBytesPerSample) {
    return Fail(ErrorCode::kInvalid, "a frame of audio has 8 bytes at least; got " + std::to_string(message.size()));
  }
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(message[at]); };
  if (byte(0) != kAudioVersion) {
    return Fail(ErrorCode::kInvalid, "the version of a frame of audio must be 1; got " + std::to_string(byte(0)));
  }
  if ((message.size() - kAudioHeader) % kBytesPerSample != 0) {
    return Fail(ErrorCode::kInvalid, "the audio of a frame must be whole 32-bit floats; got " +
                                         std::to_string(message.size() - kAudioHeader) + " bytes");
  }
  return Audio{static_cast<std::uint16_t>(byte(2) | byte(3) << 8), message.substr(kAudioHeader)};
}

std::string EncodeAudio(std::uint16_t speaker, std::string_view samples) {
  std::string out{static_cast<char>(kAudioVersion), '\0', static_cast<char>(speaker & 0xFF),
                  static_cast<char>(speaker >> 8)};
  out += samples;
  return out;
}

void EncodeReady(std::string& out) {
  out += R"({"command":"voice/ready","data":{"sample_rate":48000,"channels":1}})";
}

void EncodeUnavailable(std::string_view reason, std::string& out) {
  neuro::EncodeVoiceUnavailable(reason, out);
}

void EncodeSpeaking(bool speaking, std::string& out) {
  out += speaking ? R"({"command":"voice/speaking","data":{"speaking":true}})"
                  : R"({"command":"voice/speaking","data":{"speaking":false}})";
}

void EncodeCancelled(std::string& out) {
  out += R"({"command":"voice/cancelled"})";
}

std::vector<float> Samples(std::string_view bytes) {
  std::vector<float> samples(bytes.size() / kBytesPerSample);
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), samples.size() * kBytesPerSample);
  return samples;
}

std::string Bytes(std::span<const float> samples) {
  std::string bytes(samples.size() * kBytesPerSample, '\0');
  if (!samples.empty()) std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

Level LevelOf(std::string_view samples) {
  Level level;
  double squares = 0;
  const std::vector<float> values = Samples(samples);
  for (const float value : values) {
    if (!std::isfinite(value) || std::abs(value) > kLoudest) {
      level.broken = true;
      continue;
    }
    level.peak = std::max(level.peak, std::min(std::abs(value), 1.0F));
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  if (!values.empty())
    level.rms = static_cast<float>(std::min(std::sqrt(squares / static_cast<double>(values.size())), 1.0));
  return level;
}

}  // namespace openseat::voice
