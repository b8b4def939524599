#include "agents/storyteller/tale.h"

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "agents/storyteller/tale_data.h"
#include "base/check.h"
#include "base/json_members.h"
#include "base/text.h"

namespace openseat::storyteller {
namespace {

constexpr std::size_t kMaxWords = 300;  // bytes of the player's own words that are repeated
constexpr const char* kScene = "scene";

const json::Value& Member(const json::Object& object, std::string_view name) {
  const json::Value* value = json::Find(object, name);
  OPENSEAT_CHECK(value != nullptr, "the built-in tales are whole");
  return *value;
}

std::string_view TextOf(const json::Value& value) {
  return json::View(value.as_string());
}

std::string OneOf(const json::Value& texts, Rng& rng) {
  const json::Array& all = texts.as_array();
  return std::string(TextOf(all[rng.Below(all.size())]));
}

std::string Filled(std::string text, std::string_view blank, std::string_view with) {
  for (std::size_t at = text.find(blank); at != std::string::npos; at = text.find(blank, at + with.size())) {
    text.replace(at, blank.size(), with);
  }
  return text;
}

// A random UUID, version 4.
std::string Uuid(Rng& rng) {
  const std::uint64_t high = (rng.Next() & ~0xF000ULL) | 0x4000ULL;
  const std::uint64_t low = (rng.Next() & ~(0xC0ULL << 56)) | (0x80ULL << 56);
  std::array<char, 37> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx",
                                  static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xFFFF),
                                  static_cast<unsigned>(high & 0xFFFF), static_cast<unsigned>(low >> 48),
                                  static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFULL)));
  return text.data();
}

bool Ends(const json::Object& scene) {
  const json::Object* world = json::FindObject(scene, "world");
  return world != nullptr && world->contains("ending");
}

// The next scene, and whether the player said something that it does not answer.
std::pair<std::string, bool> Next(const json::Object& tale, const json::Object& facts, Rng& rng) {
  const json::Object& scenes = Member(tale, "scenes").as_object();
  const std::uint64_t turn = json::WholeOf(facts, "turn").value_or(0);
  if (turn <= 1) return {std::string(json::TextOf(tale, "opening")), false};
  if (turn >= json::WholeOf(facts, "maxTurns").value_or(0)) return {std::string(json::TextOf(tale, "last")), false};
  const json::Object* wish = json::FindObject(facts, "wish");
  const std::string_view said = json::TextOf(wish, "text");
  const json::Object* here = json::FindObject(scenes, json::TextOf(json::FindObject(facts, "world"), kScene));
  const bool chosen = !json::TextOf(wish, "choiceId").empty();
  std::vector<std::string> open;
  if (here != nullptr) {
    for (const json::Value& choice : Member(*here, "choices").as_array()) {
      const std::string_view to = json::TextOf(choice, "to");
      if (chosen && json::TextOf(choice, "label") == said) return {std::string(to), false};
      if (!Ends(*json::FindObject(scenes, to))) open.emplace_back(to);
    }
  }
  // The tale did not offer it, or another narrator told the turn before.
  if (open.empty()) {
    for (const auto& [name, scene] : scenes) {
      if (!Ends(scene.as_object()) && json::View(name) != json::TextOf(tale, "opening"))
        open.emplace_back(json::View(name));
    }
  }
  return {open[rng.Below(open.size())], true};
}

}  // namespace

const json::Object* FindTale(std::string_view scenario) {
  static const std::vector<json::Object> tales = [] {
    std::vector<json::Object> all;
    for (const std::string_view text : kTaleJson) {
      const Result<json::Value> tale = json::Parse(text);
      OPENSEAT_CHECK(tale.has_value() && tale->is_object(), "the built-in tales are JSON objects");
      all.push_back(tale->get_object());
    }
    return all;
  }();
  for (const json::Object& tale : tales) {
    if (json::TextOf(tale, "scenario") == scenario) return &tale;
  }
  return nullptr;
}

json::Object Narrate(const json::Object& tale, const json::Object& facts, Rng& rng) {
  const auto [name, aside] = Next(tale, facts, rng);
  const json::Object& scene = *json::FindObject(Member(tale, "scenes").as_object(), name);
  const std::string player(json::TextOf(facts, "player"));
  std::string narrative;
  if (aside) {
    const std::string words = Ellipsize(json::TextOf(json::FindObject(facts, "wish"), "text"), kMaxWords);
    narrative = Filled(OneOf(Member(tale, "asides"), rng), "{words}", words) + "\n\n";
  }
  narrative += Filled(OneOf(Member(scene, "texts"), rng), "{player}", player);
  json::Array choices;
  for (const json::Value& each : Member(scene, "choices").as_array()) {
    json::Object choice{{"id", Uuid(rng)}, {"label", each.at("label")}};
    if (const json::Value* description = json::Find(each, "description")) choice["description"] = *description;
    choices.push_back(std::move(choice));
  }
  json::Object out{
      {"narrative", std::move(narrative)}, {"emotion", Member(scene, "emotion")}, {"choices", std::move(choices)}};
  if (const json::Value* says = json::Find(scene, "says")) {
    json::Array said;
    for (const json::Value& each : says->as_array()) {
      said.push_back(json::Object{{"npcId", each.at("npcId")},
                                  {"response", Filled(OneOf(each.at("lines"), rng), "{player}", player)},
                                  {"emotion", each.at("emotion")}});
    }
    out["npcResponses"] = std::move(said);
  }
  json::Object world;
  if (const json::Object* changes = json::FindObject(scene, "world")) world = *changes;
  world[kScene] = name;  // where to continue
  out["worldStateChanges"] = std::move(world);
  if (const json::Value* deltas = json::Find(scene, "relationships")) out["relationshipDeltas"] = *deltas;
  if (const json::Value* deltas = json::Find(scene, "factions")) out["factionDeltas"] = *deltas;
  return out;
}

}  // namespace openseat::storyteller
