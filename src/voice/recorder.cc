#include "voice/recorder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "voice/wire.h"

namespace openseat::voice {
namespace {

constexpr std::size_t kMostUnwritten = 8u << 20;  // bytes on their way to the disk
constexpr std::size_t kMaxTracks = 64;
constexpr std::size_t kMaxFileName = 40;
constexpr std::uint64_t kMostAhead = std::uint64_t{2} * kSampleRate;  // samples of a track that may come at once
constexpr std::uint64_t kFileBytes = 8192;                            // of the disk, in addition to the samples

}  // namespace

struct Recorder::Files {
  Files(RecordingRoom& of, std::shared_ptr<Payer> whose) : room(of), payer(std::move(whose)) {}

  RecordingRoom& room;
  const std::shared_ptr<Payer> payer;
  std::map<std::string, WavFile> by_track;
  std::atomic<std::size_t> unwritten = 0;
  std::string failure;  // written once, before `failed`
  std::atomic<bool> failed = false;

  void Write(const std::string& dir, const std::string& track, std::uint64_t sample, std::string_view samples) {
    if (failed) return;
    auto found = by_track.find(track);
    const std::uint64_t more = found == by_track.end() ? kFileBytes : 0;
    if (const Result<void> taken = room.Take(samples.size() + more, payer.get()); !taken) return Fail(taken.error());
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
    failure = error.message;
    failed = true;
    log::From(AddressOf(payer.get())).Error("voice: the recording ends: {}", error.message);
  }
};

Recorder::Recorder(std::string dir, std::uint64_t max_bytes, RecordingRoom& room, Worker& worker,
                   std::shared_ptr<Payer> payer)
    : dir_(std::move(dir)),
      max_bytes_(max_bytes),
      worker_(worker),
      files_(std::make_shared<Files>(room, std::move(payer))) {}

// The files are closed behind everything that waits to be written.
Recorder::~Recorder() {
  worker_.Post([files = std::move(files_)]() mutable { files.reset(); });
}

tl::unexpected<Error> Recorder::Refuse(ErrorCode code, std::uint64_t allowed, std::string why) const {
  static_cast<void>(RefuseFor(files_->payer.get(), Limit::kRecording, allowed));
  return Fail(code, std::move(why));
}

Result<void> Recorder::Add(const std::string& track, std::uint64_t sample, std::string_view samples) {
  if (files_->failed) return Fail(ErrorCode::kIo, files_->failure);
  if (bytes_ + samples.size() > max_bytes_) {
    return Refuse(ErrorCode::kTooLarge, max_bytes_,
                  "the recording has reached its limit of " + std::to_string(max_bytes_) +
                      " bytes (512 MiB in all recordings of a socket)");
  }
  if (files_->unwritten + samples.size() > kMostUnwritten) {
    return Refuse(ErrorCode::kBusy, kMostUnwritten, "8 MiB wait for the disk, which is the most");
  }
  if (tracks_.size() >= kMaxTracks && !tracks_.contains(track)) {
    return Refuse(ErrorCode::kTooLarge, kMaxTracks, "a recording has 64 tracks at most");
  }
  std::uint64_t& recorded = tracks_[track];
  const std::uint64_t length = recorded + samples.size() / kBytesPerSample;
  if (static_cast<double>(length) > kFastest * static_cast<double>(sample + kMostAhead)) {
    return Refuse(ErrorCode::kTooLarge, kMostAhead, "it came faster than 1.5 times real time");
  }
  recorded = length;
  bytes_ += samples.size();
  files_->unwritten += samples.size();
  worker_.Post([files = files_, dir = dir_, track, sample, text = std::string(samples)] {
    files->Write(dir, track, sample, text);
    files->unwritten -= text.size();
  });
  return {};
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
