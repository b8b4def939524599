#include "games/script/typescript.h"

#include <memory>

#include "base/check.h"

namespace openseat::games {
namespace {

constexpr std::size_t kMostBytes = 2u << 20;  // what 256 KB become as JSON

const Script& Types() {
  static const std::shared_ptr<const Script> types = [] {
    auto loaded = Script::LoadUnder(TypesText(), {{"types", ""}},
                                    {.call_steps = ScriptLimits().type_steps, .call_bytes = kMostBytes});
    OPENSEAT_CHECK(loaded, "engine/types.js is part of the program");
    return *std::move(loaded);
  }();
  return *types;
}

// "game.ts:3:5" of a place in the text, counted in the units of UTF-16.
std::string PlaceAt(const ScriptFile& file, std::int64_t place) {
  std::int64_t line = 1, column = 1;
  for (const char c : file.text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;
    if (place <= 0) break;
    place -= byte >= 0xF0 ? 2 : 1;
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
  }
  return file.name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace

bool IsTypeScript(const ScriptFile& file) {
  return file.name.ends_with(".ts");
}

Result<std::string> WithoutTypes(const ScriptFile& file, std::int64_t most, std::int64_t& used) {
  const Result<json::Value> answer = Types().Call("strip", json::Object{{"text", file.text}}, used, most);
  if (!answer) {
    return Fail(
        ErrorCode::kTooLarge,
        "this is too much TypeScript: to take its types out takes more steps, or more nested calls, than allowed",
        file.name);
  }
  if (const json::Value* text = json::Find(*answer, "text"); text != nullptr && text->is_string()) {
    return std::string(json::View(text->get_string()));
  }
  const json::Value* at = json::Find(*answer, "at");
  return Fail(ErrorCode::kInvalid, std::string(json::TextOf(*answer, "message")),
              PlaceAt(file, at != nullptr && at->is_int64() ? at->get_int64() : 0));
}

}  // namespace openseat::games
