#include "voice/recorder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace openseat::voice {
namespace {

constexpr std::size_t kMostUnwritten = 8u << 20;  // bytes on their way to the disk
constexpr std::size_t kMaxTracks = 64;
constexpr std::size_t kMaxFileName = 40;

}  // namespace

struct Recorder::Files {
  std::map<std::string, WavFile> by_track;
  std::atomic<std::size_t> unwritten = 0;
  std::atomic<bool> failed = false;

  void Write(const std::string& dir, const std::string& track, std::uint64_t sample, std::string_view samples) {
    if (failed) return;
    auto found = by_track.find(track);
    if (found == by_track.end()) {
      std::error_code error;
      std::filesystem::create_directories(dir, error);
      Result<WavFile> made = WavFile::Create(dir + "/" + track + ".wav");
      if (!made) return Fail(made.error());
      found = by_track.emplace(track, std::move(*made)).first;
    }
    if (const Result<void> written = found->second.Write(sample, samples); !written) Fail(written.error());
  }
  void Fail(const Error& error) {
    failed = true;
    log::Error("voice: the recording ends: {}", error.message);
  }
};

Recorder::Recorder(std::string dir, std::uint64_t max_bytes, Worker& worker)
    : dir_(std::move(dir)), max_bytes_(max_bytes), worker_(worker), files_(std::make_shared<Files>()) {}

// The files are closed behind everything that waits to be written.
Recorder::~Recorder() {
  worker_.Post([files = std::move(files_)]() mutable { files.reset(); });
}

bool Recorder::Add(const std::string& track, std::uint64_t sample, std::string_view samples) {
  if (files_->failed || bytes_ + samples.size() > max_bytes_ || files_->unwritten + samples.size() > kMostUnwritten) {
    return false;
  }
  bytes_ += samples.size();
  files_->unwritten += samples.size();
  worker_.Post([files = files_, dir = dir_, track, sample, text = std::string(samples)] {
    if (files->by_track.size() < kMaxTracks || files->by_track.contains(track)) files->Write(dir, track, sample, text);
    files->unwritten -= text.size();
  });
  return true;
}

std::string FileNameOf(std::string_view name) {
  std::string file;
  for (const char c : name) {
    if (file.size() == kMaxFileName) break;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (plain) {
      file += c;
    } else if (!file.empty() && file.back() != '_') {
      file += '_';
    }
  }
  while (!file.empty() && file.back() == '_') file.pop_back();
  return file.empty() ? "speaker" : file;
}

}  // namespace openseat::voice
