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

// How much of a paragraph tells it from the others.
constexpr std::size_t kMark = 60;

std::string Filled(std::string text, std::string_view blank, std::string_view with) {
  for (std::size_t at = text.find(blank); at != std::string::npos; at = text.find(blank, at + with.size())) {
    text.replace(at, blank.size(), with);
  }
  return text;
}

// Also as a quotation.
bool IsIn(std::string_view text, std::string_view told) {
  const std::string_view mark = text.substr(0, kMark);
  const std::string quoted = json::WritePretty(json::Value(json::String(mark)));
  return told.find(mark) != std::string_view::npos ||
         told.find(std::string_view(quoted).substr(1, quoted.size() - 2)) != std::string_view::npos;
}

// The texts that the story does not contain yet, with their blanks filled.
std::vector<std::string> Untold(const json::Value& texts, std::string_view blank, std::string_view with,
                                std::string_view told) {
  std::vector<std::string> fresh;
  for (const json::Value& each : texts.as_array()) {
    std::string text = Filled(std::string(TextOf(each)), blank, with);
    if (!IsIn(text, told)) fresh.push_back(std::move(text));
  }
  return fresh;
}

// One of them; "" if there is none.
std::string OneUntold(const json::Value& texts, std::string_view blank, std::string_view with, std::string_view told,
                      Rng& rng) {
  std::vector<std::string> fresh = Untold(texts, blank, with, told);
  return fresh.empty() ? std::string() : std::move(fresh[rng.Below(fresh.size())]);
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

json::Object Narrate(const json::Object& tale, const json::Object& facts, std::string_view told, Rng& rng) {
  auto [name, aside] = Next(tale, facts, rng);
  const json::Object& scenes = Member(tale, "scenes").as_object();
  const std::string player(json::TextOf(facts, "player"));
  const auto untold = [&](std::string_view scene) {
    return Untold(Member(*json::FindObject(scenes, scene), "texts"), "{player}", player, told);
  };
  std::string narrative;
  if (aside) {
    const std::string words = Ellipsize(json::TextOf(json::FindObject(facts, "wish"), "text"), kMaxWords);
    narrative = OneUntold(Member(tale, "asides"), "{words}", words, told, rng);
  }
  // A place of which everything is told: the story goes on elsewhere, and ends when there is no place left.
  if (untold(name).empty()) {
    narrative = OneUntold(Member(tale, "onward"), "{player}", player, told, rng);
    std::vector<std::string> open;
    for (const auto& [other, scene] : scenes) {
      if (!Ends(scene.as_object()) && !untold(json::View(other)).empty()) open.emplace_back(json::View(other));
    }
    name = open.empty() ? std::string(json::TextOf(tale, "last")) : open[rng.Below(open.size())];
  }
  const json::Object& scene = *json::FindObject(scenes, name);
  std::vector<std::string> texts = untold(name);
  const std::string_view first = TextOf(Member(scene, "texts").as_array().front());
  if (!narrative.empty()) narrative += "\n\n";
  narrative +=
      texts.empty() ? Filled(std::string(first), "{player}", player) : std::move(texts[rng.Below(texts.size())]);
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
      std::string line = OneUntold(each.at("lines"), "{player}", player, told, rng);
      if (line.empty()) continue;
      said.push_back(
          json::Object{{"npcId", each.at("npcId")}, {"response", std::move(line)}, {"emotion", each.at("emotion")}});
    }
    if (!said.empty()) out["npcResponses"] = std::move(said);
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
