// VoiceServer: the voice side channel of all games: its sockets, and what the console shows of them.
//
// A socket is a session of its own, paired with a game by name alone: it may exist without the game's main connection.
// Sessions live on the shards of their connections; what the server knows of them lives on one scheduler, to which they
// report.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/scheduler.h"
#include "base/worker.h"
#include "net/router.h"
#include "voice/options.h"
#include "voice/recording_room.h"

namespace openseat::voice {

class VoiceSession;

class VoiceServer {
 public:
  // `home` outlives it. Destroy it when the shards have stopped.
  VoiceServer(VoiceOptions options, Scheduler& home);
  ~VoiceServer();

  // GET /api/v1/voice, POST /api/v1/voice/:id/say and /cancel. The sockets' own paths belong to the Neuro server, which
  // gets their sessions from Factory().
  void AddRoutes(net::Router& router);
  net::SessionFactory Factory();

  // --- For sessions, any thread ---

  const VoiceOptions& options() const { return options_; }
  Worker& worker() { return worker_; }
  RecordingRoom& room() { return room_; }  // for the worker
  // A session is there, or its picture has changed. `key`: of its owner and game, "" before voice/start.
  void Report(std::uint64_t id, std::string key, json::Object picture, Scheduler& scheduler,
              std::weak_ptr<VoiceSession*> session);
  void Gone(std::uint64_t id);

 private:
  struct Known {
    std::string key;
    json::Object picture;
    Scheduler* scheduler = nullptr;
    std::weak_ptr<VoiceSession*> session;
  };
  void AddList(net::Router& router);
  void AddOrders(net::Router& router);
  // Runs `work` on the session's scheduler, or answers 404.
  void With(std::uint64_t id, net::HttpReply reply, std::function<json::Value(VoiceSession&)> work);

  const VoiceOptions options_;
  Scheduler& home_;
  RecordingRoom room_;
  Worker worker_;
  std::map<std::uint64_t, Known> known_;
};

}  // namespace openseat::voice
