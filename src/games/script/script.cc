#include "games/script/script.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "games/script/engine/box.h"
#include "games/script/harness.h"
#include "games/script/script_advice.h"
#include "games/script/typescript.h"

namespace openseat::games {
namespace {

struct FreeBox {
  void operator()(Box* box) const { box_free(box); }
};
using OwnedBox = std::unique_ptr<Box, FreeBox>;

// Boxes of all scripts that are not in use: to start one takes as long as some calls.
class BoxPool {
 public:
  // One that had this image, if there is one, since that is restored sooner; else a new one, until there are some.
  OwnedBox Take(const BoxImage& image) {
    {
      const std::lock_guard lock(mutex_);
      auto found = std::ranges::find(idle_, image.id, &Idle::image);
      if (found == idle_.end() && count_ >= kMost && !idle_.empty()) --found;
      if (found != idle_.end()) {
        OwnedBox box = std::move(found->box);
        idle_.erase(found);
        return box;
      }
      ++count_;
    }
    return OwnedBox(box_new());
  }
  void Return(OwnedBox box) {
    const std::lock_guard lock(mutex_);
    // One that grew would keep its memory.
    if (count_ > kMost || box_memory(box.get()) > kMostBytes) {
      --count_;
      return;
    }
    idle_.insert(idle_.begin(), {box_image_id(box.get()), std::move(box)});
  }

 private:
  struct Idle {
    std::uint64_t image;
    OwnedBox box;
  };
  static constexpr std::size_t kMost = 8;
  static constexpr std::size_t kMostBytes = 4u << 20;
  std::mutex mutex_;
  std::vector<Idle> idle_;  // the one that was in use last first
  std::size_t count_ = 0;   // with those in use
};

BoxPool& Boxes() {
  static BoxPool pool;
  return pool;
}

BoxFile FileOf(const ScriptFile& file) {
  return {file.name.c_str(), file.text.data(), file.text.size()};
}

// The first place in a stack ("    at apply (game.js:3:5)") that lies in one of the script's files.
std::string PlaceIn(std::string_view stack, const std::vector<ScriptFile>& files) {
  while (!stack.empty()) {
    const std::string_view line = stack.substr(0, stack.find('\n'));
    stack.remove_prefix(std::min(stack.size(), line.size() + 1));
    for (const ScriptFile& file : files) {
      const std::size_t at = line.find(file.name + ":");
      if (at == std::string_view::npos || (at > 0 && line[at - 1] != '(' && line[at - 1] != ' ')) continue;
      const std::size_t end = line.find_first_not_of("0123456789:", at + file.name.size());
      return std::string(line.substr(at, end == std::string_view::npos ? end : end - at));
    }
  }
  return {};
}

// The engine does not say what is no function: what stands there in the source, "discs.psuh(...run);".
std::string SourceAt(std::string_view place, const std::vector<ScriptFile>& files) {
  constexpr std::size_t kMost = 60;
  std::size_t column = 0;
  std::string_view text = LineAt(place, files, column);
  if (column == 0 || column > text.size()) return {};
  const std::size_t before =
      text.substr(0, column - 1).find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.?");
  text.remove_prefix(before == std::string_view::npos ? 0 : before + 1);
  return Ellipsize(text, kMost);
}

// What a message may quote of a script: one line, not too long.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kMost = 300;
  std::string out(text.substr(0, kMost));
  if (text.size() > kMost) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0x80) out.pop_back();
    out += "...";
  }
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

Error Fault(std::string_view hook, const std::string& message, std::string place,
            ErrorCode code = ErrorCode::kInvalid) {
  const bool is_said = hook.empty() || hook == "load" || message.starts_with(hook);
  return Error{code, is_said ? message : std::string(hook) + ": " + message, std::move(place)};
}

// What harness.text said: {"hook", "message", "stack", "kind"?}.
struct Told {
  std::string hook, message, place;
};
Told Read(const BoxText& answer, const std::vector<ScriptFile>& files) {
  const Result<json::Value> said = json::Parse({answer.text, answer.length}, {.max_bytes = 1u << 20, .max_depth = 4});
  if (!said) return {};
  Told told{std::string(json::TextOf(*said, "hook")), Quoted(json::TextOf(*said, "message")),
            PlaceIn(json::TextOf(*said, "stack"), files)};
  if (told.message == "not a function") {
    if (const std::string source = SourceAt(told.place, files); !source.empty()) told.message += ": " + source;
  }
  const std::string_view kind = json::TextOf(*said, "kind");
  if (kind == "SyntaxError") told.message = "this is not JavaScript: " + told.message;
  told.message += AdviceOn(told.hook, kind, told.message, told.place, files);
  return told;
}

Error FaultOf(Box* box, BoxStatus status, const BoxText& answer, std::int64_t allowed,
              const std::vector<ScriptFile>& files) {
  switch (status) {
    case BOX_DONE:
    case BOX_THREW: {
      const Told told = Read(answer, files);
      const std::string message = told.message.empty() ? "the script failed without saying why" : told.message;
      return Fault(told.hook, message, told.place);
    }
    case BOX_FUEL: {
      BoxText where = answer;
      if (where.length == 0) box_where(box, &where);
      const Told told = Read(where, files);
      return Fault(told.hook,
                   "the script did not finish within " + std::to_string(allowed / 1'000'000) +
                       " million steps; is there a loop that does not end?",
                   told.place, ErrorCode::kTooLarge);
    }
    case BOX_TOO_DEEP:
      return Fault("", "the script's functions call each other too deeply, or a value is nested too deeply", {},
                   ErrorCode::kTooLarge);
    case BOX_TRAP:
      return Fault("", "the script stopped the engine; it may have used all of its memory", {}, ErrorCode::kTooLarge);
  }
  return Fault("", "the engine failed", {});
}

Result<void> CheckFiles(const std::vector<ScriptFile>& files) {
  if (files.empty()) return Fail(ErrorCode::kInvalid, "a script has at least one file; got none");
  if (files.size() > kScriptFiles) {
    return Fail(ErrorCode::kTooLarge,
                "a script has at most " + std::to_string(kScriptFiles) + " files; got " + std::to_string(files.size()));
  }
  std::size_t bytes = 0;
  for (const ScriptFile& file : files) {
    bytes += file.text.size();
    if (file.name.empty() || file.name.size() > 200 || file.name.find('\0') != std::string::npos) {
      return Fail(ErrorCode::kInvalid, "a file's name has 1 to 200 bytes; got " + std::to_string(file.name.size()));
    }
  }
  if (bytes > kScriptBytes) {
    return Fail(ErrorCode::kTooLarge, "a script's files are at most " + std::to_string(kScriptBytes >> 10) +
                                          " KB together; got " + std::to_string(bytes) + " bytes");
  }
  return {};
}

// What is left of `most` under the budget of all calls together. Errors: nothing.
Result<std::int64_t> Allowed(const ScriptLimits& limits, std::int64_t most) {
  const std::int64_t left = limits.budget == nullptr ? most : std::min<std::int64_t>(most, *limits.budget);
  if (left > 0) return left;
  return Fail(ErrorCode::kTooLarge, "the script has used all of the steps that it has for everything together");
}

void Spend(const ScriptLimits& limits, std::int64_t steps) {
  if (limits.budget != nullptr) *limits.budget -= steps;
}

Result<std::vector<ScriptFile>> AsJavaScript(std::vector<ScriptFile> files, const ScriptLimits& limits) {
  std::int64_t left = limits.type_steps;
  for (ScriptFile& file : files) {
    if (!IsTypeScript(file)) continue;
    const Result<std::int64_t> allowed = Allowed(limits, std::max<std::int64_t>(left, 1));
    if (!allowed) return Fail(allowed.error());
    std::int64_t used = 0;
    Result<std::string> plain = WithoutTypes(file, *allowed, used);
    Spend(limits, used);
    left -= used;
    if (!plain) return Fail(plain.error());
    file.text = *std::move(plain);
  }
  return files;
}

Result<json::Value> Parsed(const BoxText& answer, const ScriptLimits& limits) {
  if (answer.length > limits.call_bytes) {
    return Fail(ErrorCode::kTooLarge, "the script returned " + std::to_string(answer.length) +
                                          " bytes for one move; at most " + std::to_string(limits.call_bytes) +
                                          " are allowed: states, views and logs must be smaller");
  }
  Result<json::Value> value = json::Parse(
      {answer.text, answer.length}, {.max_bytes = limits.call_bytes, .max_depth = 64, .max_values = limits.values});
  if (!value) return Fail(value.error().code, "the script's result cannot be read: " + value.error().message);
  return value;
}

}  // namespace

struct Script::Loaded {
  std::vector<ScriptFile> files;
  ScriptLimits limits;
  json::Value info;
  std::map<std::string, std::string, std::less<>> functions;  // and where each is written
  std::vector<std::uint8_t> memory;
  BoxImage image{};
};

Script::Script(std::unique_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}
Script::~Script() = default;

const json::Value& Script::info() const {
  return loaded_->info;
}
bool Script::Has(std::string_view function) const {
  return loaded_->functions.contains(function);
}
std::string Script::PlaceOf(std::string_view sentence) const {
  const auto found = loaded_->functions.find(sentence.substr(0, sentence.find_first_of(" .:(")));
  return found == loaded_->functions.end() ? std::string() : found->second;
}
const std::vector<ScriptFile>& Script::files() const {
  return loaded_->files;
}

Result<std::shared_ptr<const Script>> Script::Load(std::vector<ScriptFile> files, const ScriptLimits& limits) {
  if (auto checked = CheckFiles(files); !checked) return Fail(checked.error());
  return LoadUnder(HarnessText(), std::move(files), limits);
}

Result<std::shared_ptr<const Script>> Script::LoadUnder(std::string_view harness, std::vector<ScriptFile> files,
                                                        const ScriptLimits& limits) {
  // A fresh box: an image must contain nothing of another script.
  const OwnedBox box(box_new());
  if (box == nullptr) return Fail(ErrorCode::kIo, "there is no memory for another game script");
  auto loaded = std::make_unique<Loaded>();
  loaded->files = std::move(files);
  loaded->limits = limits;
  const auto plain = AsJavaScript(loaded->files, limits);
  if (!plain) return Fail(plain.error());
  std::vector<BoxFile> given;
  for (const ScriptFile& file : *plain) given.push_back(FileOf(file));
  const BoxFile harness_file{"<openseat>", harness.data(), harness.size()};
  const Result<std::int64_t> allowed = Allowed(limits, limits.load_steps);
  if (!allowed) return Fail(allowed.error());
  BoxText answer{};
  const BoxStatus status = box_load(box.get(), &harness_file, given.data(), given.size(), *allowed, &answer);
  Spend(limits, box_used(box.get()));
  if (status != BOX_DONE) return tl::unexpected(FaultOf(box.get(), status, answer, *allowed, loaded->files));
  const Result<json::Value> said = Parsed(answer, limits);
  if (!said) return Fail(said.error());
  if (const json::Value* info = json::Find(*said, "info")) loaded->info = *info;
  if (const json::Value* functions = json::Find(*said, "functions"); functions != nullptr && functions->is_object()) {
    for (const auto& function : functions->get_object()) {
      const std::string_view place = function.value().is_string() ? json::View(function.value().get_string()) : "";
      loaded->functions.emplace(json::KeyOf(function), PlaceIn("(" + std::string(place), loaded->files));
    }
  }
  loaded->image = box_image(box.get());
  loaded->memory.assign(loaded->image.memory, loaded->image.memory + loaded->image.length);
  loaded->image.memory = loaded->memory.data();
  return std::shared_ptr<const Script>(new Script(std::move(loaded)));
}

Result<json::Value> Script::Call(const char* operation, const json::Value& input) const {
  std::int64_t steps = 0;
  return Call(operation, input, steps);
}

Result<json::Value> Script::Call(const char* operation, const json::Value& input, std::int64_t& steps,
                                 std::int64_t most) const {
  return Run(operation, json::Write(input), steps, most);
}

Result<json::Value> Script::CallWith(const char* operation, const std::string& input) const {
  std::int64_t steps = 0;
  return Run(operation, input, steps, std::numeric_limits<std::int64_t>::max());
}

Result<json::Value> Script::Run(const char* operation, const std::string& input, std::int64_t& steps,
                                std::int64_t most) const {
  const ScriptLimits& limits = loaded_->limits;
  // A call that was begun has all of its steps, so that the faults of a script do not depend on what was left.
  if (auto any = Allowed(limits, most); !any) return Fail(any.error());
  const std::string_view what = operation;
  const bool is_brief = what == "setup" || what == "redeal" || what == "view";
  const std::int64_t allowed = std::min(most, is_brief ? limits.brief_steps : limits.call_steps);
  OwnedBox box = Boxes().Take(loaded_->image);
  // As a fault of the script it would end a match that a replay plays on.
  OPENSEAT_CHECK(box != nullptr, "there is memory to run a game script");
  box_restore(box.get(), &loaded_->image);
  BoxText answer{};
  const BoxStatus status = box_call(box.get(), operation, input.data(), input.size(), allowed, &answer);
  steps = box_used(box.get());
  Spend(limits, steps);
  Result<json::Value> result = status == BOX_DONE
                                   ? Parsed(answer, limits)
                                   : tl::unexpected(FaultOf(box.get(), status, answer, allowed, loaded_->files));
  if (!result && result.error().path.empty()) result.error().path = PlaceOf(result.error().message);
  Boxes().Return(std::move(box));
  return result;
}

}  // namespace openseat::games
