// How the Neuro side of the server behaves where the protocol leaves a choice: section [neuro] of the config file.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace openseat::neuro {

struct NeuroOptions {
  // A name that is already registered: keep it unchanged (the document), or replace it (the published protocol of
  // today).
  enum class Registration { kIgnore, kReplace };
  // When to ask a game to register its actions again.
  enum class Reregister {
    kNever,
    kWhenSilent,  // to a connection that is silent for silent_after: for clients that wait after a reconnect
    kAlways,      // to every connection as soon as it is open
  };

  Registration registration = Registration::kIgnore;
  Reregister reregister = Reregister::kWhenSilent;
  bool startup_ack = true;
  std::string character_id = "openseat";
  std::string display_name = "Openseat";
  bool shutdown_requests = false;  // whether shutdown/graceful and shutdown/immediate may be sent
  bool speech_finished = false;    // sent after each action, for games that wait for it

  int force_attempts = 3;                 // tries of one force before it is given up
  std::optional<Duration> force_limit{};  // how long the player may take to answer a force; then it is given up
  Duration result_timeout = std::chrono::seconds(20);
  Duration late_result = std::chrono::milliseconds(500);   // results later than this get a diagnostic
  Duration late_startup = std::chrono::milliseconds(500);  // likewise for a startup, after the connection
  Duration silent_after = std::chrono::milliseconds(1500);
  Duration repeat_force_after = std::chrono::seconds(2);  // a game that came back and registered has this long to force
  Duration keep = std::chrono::minutes(10);               // how long a table waits for its game to come back
  Duration linger{0};                                     // of what is recorded (core/transcript.h)
};

}  // namespace openseat::neuro
