#include "voice/wav.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/json_document.h"
#include "voice/wire.h"

namespace openseat::voice {
namespace {

constexpr std::uint16_t kFormatPcm = 1;
constexpr std::uint16_t kFormatFloat = 3;
constexpr std::uint16_t kFormatExtensible = 0xFFFE;
constexpr std::size_t kHeaderBytes = 44;
constexpr std::uint64_t kMostBytes = 0xFFFFFFFFULL - kHeaderBytes;
// The header is written again after so many samples.
constexpr std::uint64_t kHeaderEvery = kSampleRate;
constexpr std::uint64_t kJitter = kSampleRate / 5;
constexpr std::size_t kMostFile = 64u << 20;
constexpr std::size_t kMostPlayed = std::size_t{60} * kSampleRate;

void Put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint32_t Take(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

Error IoErrorOf(const std::string& what, const std::string& path) {
  return {ErrorCode::kIo, "cannot " + what + " " + path + ": " + std::strerror(errno), path};
}

Error NotPlayable(const std::string& path, const std::string& why) {
  return {ErrorCode::kInvalid, path + " must be a WAV file of 48 kHz, mono or stereo, 16-bit or float; " + why, path};
}

}  // namespace

Result<WavFile> WavFile::Create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(IoErrorOf("create", path));
  WavFile file(descriptor, path);
  if (Result<void> written = file.WriteHeader(); !written) return Fail(std::move(written).error());
  return file;
}

WavFile::WavFile(WavFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      end_(other.end_),
      header_says_(other.header_says_) {}

WavFile::~WavFile() {
  if (descriptor_ < 0) return;
  static_cast<void>(WriteHeader().has_value());
  close(descriptor_);
}

Result<void> WavFile::WriteHeader() {
  const std::uint64_t bytes = end_ * kBytesPerSample;
  std::string header = "RIFF";
  Put(header, bytes + kHeaderBytes - 8, 4);
  header += "WAVEfmt ";
  Put(header, 16, 4);
  Put(header, kFormatFloat, 2);
  Put(header, 1, 2);
  Put(header, kSampleRate, 4);
  Put(header, kSampleRate * kBytesPerSample, 4);
  Put(header, kBytesPerSample, 2);
  Put(header, 8 * kBytesPerSample, 2);
  header += "data";
  Put(header, bytes, 4);
  if (pwrite(descriptor_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    return Fail(IoErrorOf("write", path_));
  }
  header_says_ = end_;
  return {};
}

Result<void> WavFile::Write(std::uint64_t sample, std::string_view samples) {
  const std::uint64_t begin = sample < end_ + kJitter ? end_ : sample;
  const std::uint64_t end = begin + samples.size() / kBytesPerSample;
  if (end * kBytesPerSample > kMostBytes) return Fail(ErrorCode::kTooLarge, path_ + " has reached 4 GiB", path_);
  const ssize_t written =
      pwrite(descriptor_, samples.data(), samples.size(), static_cast<off_t>(kHeaderBytes + begin * kBytesPerSample));
  if (written != static_cast<ssize_t>(samples.size())) return Fail(IoErrorOf("write", path_));
  end_ = end;
  return end_ - header_says_ >= kHeaderEvery ? WriteHeader() : Result<void>();
}

Result<std::vector<float>> ReadWav(const std::string& path) {
  const Result<std::string> text = json::ReadFile(path, kMostFile);
  if (!text) return Fail(text.error());
  return ParseWav(*text, path);
}

Result<std::vector<float>> ParseWav(std::string_view bytes, const std::string& path) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE") {
    return Fail(NotPlayable(path, "it is not a WAV file"));
  }
  std::string_view format;
  std::string_view data;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::string_view name = bytes.substr(at, 4);
    const std::size_t size = Take(bytes, at + 4, 4);
    const std::string_view body = bytes.substr(at + 8, size);
    if (name == "fmt ") format = body;
    if (name == "data") data = body;
    at += 8 + size + size % 2;
  }
  if (format.size() < 16) return Fail(NotPlayable(path, "it does not say its format"));
  std::uint32_t kind = Take(format, 0, 2);
  if (kind == kFormatExtensible && format.size() >= 26) kind = Take(format, 24, 2);
  const std::uint32_t channels = Take(format, 2, 2);
  const std::uint32_t rate = Take(format, 4, 4);
  const std::uint32_t bits = Take(format, 14, 2);
  const bool is_float = kind == kFormatFloat && bits == 32;
  const bool is_short = kind == kFormatPcm && bits == 16;
  if (rate != kSampleRate || channels < 1 || channels > 2 || (!is_float && !is_short)) {
    return Fail(NotPlayable(path, "this one has " + std::to_string(rate) + " Hz, " + std::to_string(channels) +
                                      " channels, " + std::to_string(bits) + " bits"));
  }
  const std::size_t width = bits / 8;
  const std::size_t frames = std::min(data.size() / (width * channels), kMostPlayed);
  std::vector<float> samples(frames);
  for (std::size_t i = 0; i < frames; ++i) {
    float sum = 0;
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const std::size_t at = (i * channels + channel) * width;
      if (is_float) {
        float value = 0;
        std::memcpy(&value, data.data() + at, sizeof value);
        sum += value;
      } else {
        sum += static_cast<float>(static_cast<std::int16_t>(Take(data, at, 2))) / 32768.0F;
      }
    }
    samples[i] = sum / static_cast<float>(channels);
  }
  return samples;
}

}  // namespace openseat::voice
