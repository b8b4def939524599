// VoiceSession: one voice socket of a game. Lives on its connection's shard.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "net/websocket.h"
#include "voice/program.h"
#include "voice/recorder.h"
#include "voice/speech.h"
#include "voice/wire.h"

namespace openseat::voice {

class VoiceServer;

class VoiceSession final : public net::WebSocketSession {
 public:
  // `hint`: the game's name in the URL. `owner`: as in protocols/neuro/owner.h. `payer`: whose budget a program counts
  // in, as one more connection, and what is not said yet; null: no limits.
  VoiceSession(VoiceServer& server, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer = nullptr);
  ~VoiceSession() override;

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override;
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override;
  void OnClosed(const net::Closing& closing) override;

  // --- The console's side ---

  // Says a tone. False if the session is not ready, or too much is to be said already.
  bool SayTone(double hz, double seconds);
  void Cancel();
  // Another socket of the same game counts from now on.
  void TakenOver();

  // {"id", "game", "state", "speaking", "speakers": […], "problems": […], …}
  json::Object Picture() const;

 private:
  enum class State : std::uint8_t { kWaiting, kReady, kStopped, kRefused };
  struct Heard {
    std::string name;
    std::uint64_t frames = 0;
    std::uint64_t samples = 0;
    Level level;     // of the last frame
    float peak = 0;  // ever
    Instant last{};
    Instant window{};  // the pace is measured from here
    std::uint64_t window_samples = 0;
  };
  struct Problem {
    std::string text;  // of the first one
    std::uint64_t count = 0;
  };

  void Start();
  void Refuse(std::string_view reason);
  void StartProgram();
  void StopRecording();
  void SayClip();
  void Register(const SpeakersMessage& message);
  void Note(Heard& speaker, std::string_view samples);
  void CheckPace(const std::string& name, Heard& speaker, std::size_t samples);
  void Record(const std::string& track, std::string_view samples);
  void Trouble(std::string_view key, std::string text);
  void Report();  // soon
  void ReportNow();
  std::string TrackOf(std::uint16_t id, const Heard& speaker) const;
  std::string_view StateName() const;

  VoiceServer& server_;
  const std::string owner_;
  std::string game_;
  std::shared_ptr<net::WebSocket> socket_;
  State state_ = State::kWaiting;
  Instant started_;
  std::map<std::uint16_t, Heard> speakers_;
  std::map<std::string, Problem, std::less<>> problems_;
  std::optional<Speech> speech_;
  const std::shared_ptr<Payer> payer_;
  Lease program_place_;
  std::unique_ptr<ChildProgram> program_;
  std::unique_ptr<Recorder> recorder_;
  std::uint64_t recorded_ = 0;  // bytes, by earlier recorders
  int starts_ = 0;
  bool report_coming_ = false;
  ScopedTimer clip_timer_;
  ScopedTimer report_timer_;
  std::shared_ptr<VoiceSession*> self_ = std::make_shared<VoiceSession*>(this);  // null inside once this is destroyed
};

}  // namespace openseat::voice
