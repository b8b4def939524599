// How the Neuro side of the server behaves where the protocol leaves a choice: section [neuro] of the config file. A
// profile is a whole set of these (profile.cc has the table).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace openseat::neuro {

enum class Profile : std::uint8_t {
  kDocument,    // the protocol's document, and no delays
  kProduction,  // as the real server behaves today, as far as is published
  kChaos,       // whatever a server may do, in the worst order
};
inline constexpr std::size_t kProfiles = 3;
std::string_view ProfileName(Profile profile);  // "document" …
Result<Profile> ParseProfile(std::string_view name);

// A duration between these two, both included.
struct Span {
  Duration least{0};
  Duration most{0};
};

// What the character behind a profile does besides the agent's choices (character.h). The shares are from 0 to 1.
struct Manner {
  Span think{};                 // before each answer
  double talks_of_context = 0;  // share of the contexts that are not silent
  double talks_of_result = 0;   // share of the accepted results
  double distracted = 0;        // share of the forces of low or medium priority that come while she talks to others
  Span speech{};                // how long she talks
  int utterances = 1;           // a speech has at most this many, each with a speech_finished
  Span unforced{};              // between the times that she may act, or talk, unasked; 0: never
  // Chaos. These choices are her own, for any agent at the seat.
  bool acts_herself = false;  // rather than inviting the agent
  double strays = 0;          // share of the forces that an action beyond their list comes before
  double spoils = 0;          // share of the forces that are first answered with wrong data
  double hurries = 0;         // share of the accepted results that another action follows at once
  bool odd_forms = false;     // ids, data and messages in forms that are unusual but valid

  // Whether she does anything at all.
  bool idle() const {
    return think.most == Duration(0) && speech.most == Duration(0) && unforced.most == Duration(0) && strays == 0 &&
           spoils == 0 && hurries == 0;
  }
};
// Who chose what a relayed table took note of: Choice::by, and the kind of the agent that sits there.
inline constexpr std::string_view kRelayName = "upstream";

struct NeuroOptions {
  // A name that is already registered: keep it unchanged (the document), or replace it (the published protocol of
  // today).
  enum class Registration : std::uint8_t { kIgnore, kReplace };
  // When to ask a game to register its actions again.
  enum class Reregister : std::uint8_t {
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
  bool speech_finished = false;    // sent when a speech ends, or after each action if `manner` has no speech

  int force_attempts = 0;  // tries of one force before it is given up; 0: no limit, but ever slower
  // The messages to the game come from a server elsewhere, and reach it without the table (src/relay): the table takes
  // note of them, and sends nothing by itself.
  bool relayed = false;

  std::optional<Duration> force_limit{};  // how long the player may take to answer a force; then it is given up
  Duration result_timeout = std::chrono::seconds(20);
  Duration late_result = std::chrono::milliseconds(500);   // results later than this get a diagnostic
  Duration late_startup = std::chrono::milliseconds(500);  // likewise for a startup, after the connection
  Duration silent_after = std::chrono::milliseconds(1500);
  Duration repeat_force_after = std::chrono::seconds(2);  // a game that came back and registered has this long to force
  Duration keep = std::chrono::minutes(10);               // how long a table waits for its game to come back
  Manner manner{};
};

// The names of the real server's two characters, and ours. Errors: kInvalid for any other name.
Result<void> SetCharacter(std::string_view name, NeuroOptions& options);  // "neuro", "evil", "openseat"

// The options by profile. `start` is that of every new table; the console may give a table another one.
struct NeuroProfiles {
  Profile start = Profile::kDocument;
  std::optional<std::uint64_t> seed{};  // of what a profile leaves to chance; missing: a fresh one for each table
  std::array<NeuroOptions, kProfiles> all;

  NeuroProfiles();
  const NeuroOptions& Of(Profile profile) const { return all[static_cast<std::size_t>(profile)]; }
  const NeuroOptions& at_start() const { return Of(start); }
};
// Above this, a seed would not survive in JSON.
inline constexpr std::uint64_t kMaxProfileSeed = (std::uint64_t{1} << 53) - 1;

}  // namespace openseat::neuro
