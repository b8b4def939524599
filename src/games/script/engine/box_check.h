// What the calls of a script leave in a box that is restored, for tests: nothing. Each operation of the harness
// is called in the same box, and whatever it comes to, every byte of the memory must then be what it is in a fresh one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "games/script/engine/box.h"
#include "games/script/script.h"

namespace openseat::games {

struct BoxDeleter {
  void operator()(Box* box) const { box_free(box); }
};
using TestedBox = std::unique_ptr<Box, BoxDeleter>;

// A script that was loaded, as an image.
class TestedImage {
 public:
  // Nothing is loaded if the script fails.
  TestedImage(std::string_view harness, const std::vector<ScriptFile>& files, std::int64_t steps) : box_(box_new()) {
    std::vector<BoxFile> given;
    for (const ScriptFile& file : files) given.push_back({file.name.c_str(), file.text.data(), file.text.size()});
    const BoxFile harness_file{"<openseat>", harness.data(), harness.size()};
    BoxText answer{};
    is_loaded_ = box_load(box_.get(), &harness_file, given.data(), given.size(), steps, &answer) == BOX_DONE;
    image_ = box_image(box_.get());
  }
  bool is_loaded() const { return is_loaded_; }
  const BoxImage& image() const { return image_; }

 private:
  const TestedBox box_;
  BoxImage image_{};
  bool is_loaded_ = false;
};

// The first operation after which something remained; "" if none did. `state`: where `setup` fails.
inline std::string Remains(Box* box, const BoxImage& image, std::size_t seats, json::Value state, std::int64_t steps) {
  box_restore(box, &image);
  if (!box_is(box, &image)) return "what was before";
  const json::Value action = json::Object{{"name", "take"}, {"data", json::Object{{"count", 1}}}};
  json::Array names;
  for (std::size_t seat = 0; seat < seats; ++seat) names.emplace_back("P" + std::to_string(seat));
  for (const char* operation :
       {"setup", "look", "apply", "ahead", "validate", "redeal", "view", "evaluate", "examine", "playouts"}) {
    // Each takes what it needs of it.
    json::Value input = json::Object{{"options", json::Object()}, {"state", state}, {"seat", 0},  {"viewer", nullptr},
                                     {"action", action},          {"names", names}, {"games", 2}, {"moves", 500},
                                     {"random", {1, 2, 3, 4}}};
    if (operation == std::string_view("ahead"))
      input = json::Array{state, 0, "take", json::Object{{"count", 1}}, names, {1, 2, 3, 4}, true};
    const std::string text = json::Write(input);
    BoxText answer{};
    const BoxStatus status = box_call(box, operation, text.data(), text.size(), steps, &answer);
    if (operation == std::string_view("setup") && status == BOX_DONE) {
      const auto said = json::Parse({answer.text, answer.length}, {.max_bytes = 1u << 20});
      if (const json::Value* made = said ? json::Find(*said, "state") : nullptr) state = *made;
    }
    if (status == BOX_FUEL) box_where(box, &answer);
    box_restore(box, &image);
    if (!box_is(box, &image)) return operation;
  }
  return "";
}

}  // namespace openseat::games
