// What each profile does. docs/protocols/neuro.md has the same table in words.
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "base/text.h"
#include "protocols/neuro/options.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<std::string_view, kProfiles> kNames = {"document", "production", "chaos"};

struct Named {
  std::string_view name;
  std::string_view id;
  std::string_view display;
};
constexpr std::array kCharacters = std::to_array<Named>(
    {{"neuro", "neuro", "Neuro-sama"}, {"evil", "evil", "Evil Neuro"}, {"openseat", "openseat", "Openseat"}});

NeuroOptions Document() {
  return {};
}

NeuroOptions Production() {
  NeuroOptions options;
  options.registration = NeuroOptions::Registration::kReplace;
  options.character_id = "neuro";
  options.display_name = "Neuro-sama";
  options.speech_finished = true;
  options.force_attempts = 4;
  options.manner = {.think = {milliseconds(400), milliseconds(2500)},
                    .talks_of_context = 0.5,
                    .talks_of_result = 0.3,
                    .distracted = 0.1,
                    .speech = {seconds(2), seconds(8)},
                    .unforced = {seconds(20), seconds(60)}};
  return options;
}

NeuroOptions Chaos() {
  NeuroOptions options = Production();
  options.force_attempts = 3;
  options.manner = {.think = {milliseconds(0), milliseconds(1500)},
                    .talks_of_context = 0.6,
                    .talks_of_result = 0.6,
                    .distracted = 0.3,
                    .speech = {milliseconds(200), seconds(4)},
                    .utterances = 3,
                    .unforced = {milliseconds(500), seconds(5)},
                    .acts_herself = true,
                    .strays = 0.25,
                    .spoils = 0.3,
                    .hurries = 0.25,
                    .odd_forms = true};
  return options;
}

}  // namespace

std::string_view ProfileName(Profile profile) {
  return kNames[static_cast<std::size_t>(profile)];
}

Result<Profile> ParseProfile(std::string_view name) {
  for (std::size_t i = 0; i < kProfiles; ++i) {
    if (kNames[i] == name) return static_cast<Profile>(i);
  }
  return Fail(ErrorCode::kInvalid, "the profile must be document, production or chaos; got " + Quote(name), "profile");
}

Result<void> SetCharacter(std::string_view name, NeuroOptions& options) {
  for (const Named& character : kCharacters) {
    if (character.name != name) continue;
    options.character_id = character.id;
    options.display_name = character.display;
    return {};
  }
  return Fail(ErrorCode::kInvalid, "the character must be neuro, evil or openseat; got " + Quote(name), "character");
}

NeuroProfiles::NeuroProfiles() : all{Document(), Production(), Chaos()} {}

}  // namespace openseat::neuro
