#include "voice/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.h"
#include "base/secure_random.h"
#include "base/stranger.h"
#include "base/text.h"
#include "voice/voice_server.h"

namespace openseat::voice {
namespace {

constexpr std::size_t kLeastSamples = 480;  // of a frame: 10 ms
constexpr std::size_t kMostSamples = 4800;  // 100 ms
constexpr Duration kPaceWindow = std::chrono::seconds(2);
constexpr Duration kReportEvery = std::chrono::milliseconds(200);
constexpr std::size_t kMostLooped = std::size_t{10} * kSampleRate * kBytesPerSample;
constexpr std::size_t kMaxProblems = 32;
constexpr int kMaxStarts = 32;  // of one socket: each may start a program and a recording
constexpr std::size_t kMaxVoiceGame = 256;
constexpr double kSilentDb = -120;

double Decibels(float level) {
  return level <= 0 ? kSilentDb : std::max(kSilentDb, 20 * std::log10(static_cast<double>(level)));
}

double Rounded(double value) {
  return std::round(value * 10) / 10;
}

}  // namespace

VoiceSession::VoiceSession(VoiceServer& server, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer)
    : server_(server), owner_(std::move(owner)), game_(Ellipsize(hint, kMaxVoiceGame)), payer_(std::move(payer)) {}

VoiceSession::~VoiceSession() {
  *self_ = nullptr;
}

void VoiceSession::OnOpen(std::shared_ptr<net::WebSocket> socket) {
  socket_ = std::move(socket);
  speech_.emplace(
      socket_->scheduler(),
      [this](std::string_view samples) {
        socket_->SendBinary(samples);
        Record("character", samples);
      },
      [this](bool speaking) {
        std::string message;
        EncodeSpeaking(speaking, message);
        socket_->SendText(message);
        ReportNow();
        const bool clips =
            server_.options().mode == VoiceOptions::Mode::kTone || server_.options().mode == VoiceOptions::Mode::kFile;
        if (!speaking && clips) {
          clip_timer_.Set(socket_->scheduler(), server_.options().every, [this] { SayClip(); });
        }
      },
      payer_);
  ReportNow();
}

void VoiceSession::OnText(std::string_view message) {
  Result<Control> control = DecodeControl(message);
  if (!control) {
    Trouble(control.error().code == ErrorCode::kUnsupported ? "prot/voice/wrong_socket" : "prot/voice/control",
            control.error().message);
    return Report();
  }
  if (game_.empty()) game_ = Ellipsize(control->game, kMaxVoiceGame);
  for (std::string& oddity : control->oddities) Trouble("prot/voice/control", std::move(oddity));
  if (std::holds_alternative<StartMessage>(control->body)) {
    Start();
  } else if (std::holds_alternative<StopMessage>(control->body)) {
    if (speech_->Cancel()) {
      std::string told;
      EncodeSpeaking(false, told);
      socket_->SendText(told);
    }
    clip_timer_.Cancel();
    program_.reset();
    program_place_ = Lease();
    StopRecording();
    if (state_ == State::kReady) state_ = State::kStopped;
  } else if (const auto* speakers = std::get_if<SpeakersMessage>(&control->body)) {
    Register(*speakers);
  } else if (const auto* forgotten = std::get_if<ForgetSpeakersMessage>(&control->body)) {
    for (const std::uint16_t id : forgotten->ids) speakers_.erase(id);
  }
  ReportNow();
}

// Said again, it is answered again: a game may have lost what it knew.
void VoiceSession::Start() {
  if (server_.options().mode == VoiceOptions::Mode::kOff) return Refuse("this server has no voice");
  const bool again = state_ == State::kReady;
  if (!again && ++starts_ > kMaxStarts) return Refuse("voice was started and stopped too often on this socket");
  state_ = State::kReady;
  std::string message;
  EncodeReady(message);
  socket_->SendText(message);
  if (again) return;
  started_ = socket_->scheduler().clock().Monotonic();
  log::From(AddressOf(payer_.get())).Info("voice: \"{}\" is ready ({})", game_, ModeName(server_.options().mode));
  if (!server_.options().record_dir.empty()) {
    recorder_ = std::make_unique<Recorder>(
        server_.options().record_dir + "/" + FileNameOf(game_) + "-" +
            FormatIso8601(socket_->scheduler().clock().Now()).substr(0, 10) + "-" + SecureToken(6),
        server_.options().max_socket_bytes - std::min(recorded_, server_.options().max_socket_bytes), server_.room(),
        server_.worker(), payer_);
  }
  if (server_.options().mode == VoiceOptions::Mode::kProgram) return StartProgram();
  if (!server_.options().clip.empty()) {
    clip_timer_.Set(socket_->scheduler(), server_.options().first_after, [this] { SayClip(); });
  }
}

void VoiceSession::StopRecording() {
  if (recorder_) recorded_ += recorder_->bytes();
  recorder_.reset();
}

// The socket stays open: clients that are closed try again without end.
void VoiceSession::Refuse(std::string_view reason) {
  state_ = State::kRefused;
  std::string message;
  EncodeUnavailable(reason, message);
  socket_->SendText(message);
}

void VoiceSession::TakenOver() {
  if (state_ == State::kRefused) return;
  speech_->Cancel();
  clip_timer_.Cancel();
  program_.reset();
  program_place_ = Lease();
  StopRecording();
  Refuse("another voice socket of this game took over");
  ReportNow();
}

void VoiceSession::StartProgram() {
  if (payer_ != nullptr) {
    auto held = payer_->Hold(Holding::kConnections);
    if (!held) return Refuse(held.error().Text());
    program_place_ = std::move(*held);
  }
  // Strangers leave a part to this machine.
  const std::size_t in_all = server_.options().max_programs;
  const std::size_t most = IsStrangers(AddressOf(payer_.get())) ? in_all - in_all / 8 : in_all;
  Result<std::unique_ptr<ChildProgram>> program = StartVoiceProgram(
      server_.options().command, game_, socket_->scheduler(),
      [this](std::string_view samples) {
        if (const Result<void> said = speech_->Say(samples); !said) {
          Trouble("server/voice/program", "what the program says was dropped: " + said.error().message);
          Report();
        }
      },
      [this](const std::string& how) {
        Trouble("server/voice/program", "the program has ended: " + how);
        ReportNow();
      },
      most);
  if (!program) program_place_ = Lease();
  if (!program && program.error().code == ErrorCode::kBusy) {
    return Refuse(RefuseFor(payer_.get(), Limit::kVoicePrograms, most).Text());
  }
  if (!program) {
    log::From(AddressOf(payer_.get())).Error("voice: {}", program.error().message);
    return Refuse("the program that speaks here did not start");
  }
  program_ = std::move(*program);
}

void VoiceSession::SayClip() {
  if (state_ != State::kReady) return;
  const Result<void> said = speech_->Say(Bytes(server_.options().clip));
  if (said) return;
  Trouble("server/voice/clip", "the clip was left out: " + said.error().message);
  Report();
  clip_timer_.Set(socket_->scheduler(), server_.options().every, [this] { SayClip(); });
}

bool VoiceSession::SayTone(double hz, double seconds) {
  if (state_ != State::kReady) return false;
  return speech_->Say(Bytes(ToneOf(hz, seconds))).has_value();
}

void VoiceSession::Cancel() {
  const bool spoke = speech_->Cancel();
  if (state_ != State::kReady) return;
  std::string message;
  EncodeCancelled(message);
  socket_->SendText(message);
  if (spoke) {
    message.clear();
    EncodeSpeaking(false, message);
    socket_->SendText(message);
  }
  ReportNow();
}

void VoiceSession::Register(const SpeakersMessage& message) {
  for (const Speaker& speaker : message.speakers) {
    const auto known = speakers_.find(speaker.id);
    if (known != speakers_.end()) {
      known->second.name = speaker.name;
    } else if (speakers_.size() >= server_.options().max_speakers) {
      Trouble("prot/voice/too_many", "a socket has " + std::to_string(server_.options().max_speakers) +
                                         " speakers at most; " + Quote(speaker.name) + " was left out");
    } else {
      speakers_[speaker.id].name = speaker.name;
    }
  }
}

void VoiceSession::OnBinary(std::string_view message) {
  const Result<Audio> audio = DecodeAudio(message);
  if (!audio) {
    Trouble("prot/voice/frame", audio.error().message);
    return Report();
  }
  if (state_ == State::kRefused) return;
  if (state_ != State::kReady) {
    Trouble("prot/voice/not_started", "audio came while voice was not ready, and was dropped");
    return Report();
  }
  const auto speaker = speakers_.find(audio->speaker);
  if (speaker == speakers_.end()) {
    Trouble("prot/voice/unknown_speaker",
            "audio of the speaker " + std::to_string(audio->speaker) + ", which is not registered, was dropped");
    return Report();
  }
  Note(speaker->second, audio->samples);
  Record(TrackOf(speaker->first, speaker->second), audio->samples);
  if (program_ && !LetHear(*program_, message)) {
    Trouble("server/voice/program", "the program does not read; audio was dropped");
  }
  if (server_.options().mode == VoiceOptions::Mode::kLoop) {
    const Result<void> said = speech_->Say(audio->samples, kMostLooped);
    if (!said) Trouble("server/voice/loop", "audio was dropped: " + said.error().message);
  }
  Report();
}

void VoiceSession::Note(Heard& speaker, std::string_view samples) {
  const std::size_t count = samples.size() / kBytesPerSample;
  speaker.level = LevelOf(samples);
  speaker.peak = std::max(speaker.peak, speaker.level.peak);
  ++speaker.frames;
  speaker.samples += count;
  if (speaker.level.broken) {
    Trouble("prot/voice/frame", "samples of " + Quote(speaker.name) + " are not numbers, or far beyond 1");
  }
  if (count < kLeastSamples || count > kMostSamples) {
    Trouble("perf/voice/frame_size",
            "a frame of " + Quote(speaker.name) + " has " + std::to_string(count) + " samples; 480 to 4800 are meant");
  }
  CheckPace(speaker.name, speaker, count);
}

void VoiceSession::CheckPace(const std::string& name, Heard& speaker, std::size_t samples) {
  const Instant now = socket_->scheduler().clock().Monotonic();
  speaker.last = now;
  if (speaker.window == Instant() || now - speaker.window > kPaceWindow) {
    speaker.window = now;
    speaker.window_samples = 0;
  }
  speaker.window_samples += samples;
  const double allowed = kFastest * std::chrono::duration<double>(kPaceWindow).count() * kSampleRate;
  if (static_cast<double>(speaker.window_samples) <= allowed) return;
  Trouble("perf/voice/pace", "the audio of " + Quote(name) + " comes faster than it is spoken");
  speaker.window = now;
  speaker.window_samples = 0;
}

std::string VoiceSession::TrackOf(std::uint16_t id, const Heard& speaker) const {
  return std::to_string(id) + "-" + FileNameOf(speaker.name);
}

void VoiceSession::Record(const std::string& track, std::string_view samples) {
  if (!recorder_) return;
  const Duration since = socket_->scheduler().clock().Monotonic() - started_;
  const std::uint64_t sample = static_cast<std::uint64_t>(since.count()) * kSampleRate / 1'000'000;
  if (const Result<void> added = recorder_->Add(track, sample, samples); !added) {
    Trouble("server/recording_gap", "audio was not recorded: " + added.error().message);
  }
}

void VoiceSession::Trouble(std::string_view key, std::string text) {
  auto found = problems_.find(key);
  if (found == problems_.end()) {
    if (problems_.size() >= kMaxProblems) return;
    log::From(AddressOf(payer_.get())).Warn("voice: \"{}\": {} [{}]", game_, text, key);
    found = problems_.emplace(std::string(key), Problem{SanitizeUtf8(text), 0}).first;
  }
  ++found->second.count;
}

void VoiceSession::Report() {
  if (std::exchange(report_coming_, true)) return;
  report_timer_.Set(socket_->scheduler(), kReportEvery, [this] { ReportNow(); });
}

void VoiceSession::ReportNow() {
  report_coming_ = false;
  report_timer_.Cancel();
  const bool counts = state_ == State::kReady;
  server_.Report(socket_->id(), counts ? owner_ + "\n" + game_ : std::string(), Picture(), socket_->scheduler(), self_);
}

std::string_view VoiceSession::StateName() const {
  switch (state_) {
    case State::kWaiting:
      return "waiting";
    case State::kReady:
      return "ready";
    case State::kStopped:
      return "stopped";
    case State::kRefused:
      return "refused";
  }
  return "";
}

json::Object VoiceSession::Picture() const {
  const Instant now = socket_->scheduler().clock().Monotonic();
  json::Array speakers;
  for (const auto& [id, speaker] : speakers_) {
    const bool talking = speaker.frames > 0 && now - speaker.last < 2 * kReportEvery;
    speakers.push_back(json::Object{{"id", id},
                                    {"name", speaker.name},
                                    {"talking", talking},
                                    {"level_db", Rounded(talking ? Decibels(speaker.level.rms) : kSilentDb)},
                                    {"peak_db", Rounded(Decibels(speaker.peak))},
                                    {"frames", speaker.frames},
                                    {"seconds", Rounded(static_cast<double>(speaker.samples) / kSampleRate)}});
  }
  json::Array problems;
  for (const auto& [key, problem] : problems_) {
    problems.push_back(json::Object{{"key", key}, {"message", problem.text}, {"count", problem.count}});
  }
  json::Object picture{{"id", socket_->id()},
                       {"game", game_},
                       {"state", StateName()},
                       {"peer", socket_->peer()},
                       {"speaking", speech_->speaking()},
                       {"speakers", std::move(speakers)},
                       {"problems", std::move(problems)}};
  if (recorder_) picture["recording"] = recorder_->dir();
  return picture;
}

void VoiceSession::OnClosed(const net::Closing&) {
  clip_timer_.Cancel();
  report_timer_.Cancel();
  speech_->Cancel();
  program_.reset();
  program_place_ = Lease();
  recorder_.reset();
  server_.Gone(socket_->id());
}

}  // namespace openseat::voice
