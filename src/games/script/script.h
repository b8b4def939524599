// Script: the loaded files of a game written in JavaScript, and the calls of its functions. docs/writing_games.md says
// what a script exports; docs/scripts.md how it runs.
//
// A script runs in a box (engine/box.h): a JavaScript engine in memory of its own, compiled to C from WebAssembly. The
// box reaches nothing of the host, and every step in it is counted, so that the same script and input end the same way
// on every machine. Before each call the box's memory becomes what it was once the script was loaded, so nothing
// survives a call but the JSON that it returned. What comes out is JSON of a stranger: the caller checks it.
//
// Immutable; any thread may call, several at once. A call needs about 1 MB of its thread's stack.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::games {

// A file of a script: `name` is relative to the script's folder ("game.js", "parts/lines.js").
struct ScriptFile {
  std::string name;
  std::string text;

  bool operator==(const ScriptFile&) const = default;
};

struct ScriptLimits {
  std::int64_t type_steps = 2'000'000'000;  // to take out the types of all files: more than 256 KB of TypeScript take
  std::int64_t load_steps = 200'000'000;    // about 0.5 s
  std::int64_t call_steps = 40'000'000;     // about 0.1 s
  std::int64_t brief_steps = 10'000'000;    // of setup, redeal and view, for which others wait: about 25 ms
  // What is left for loading and all calls together: once it is used up, each fails. nullptr: no limit.
  std::shared_ptr<std::atomic<std::int64_t>> budget{};
  std::size_t call_bytes = 1u << 20;  // of what a call returns
  std::size_t values = 200'000;       // JSON values in it
  bool logs_faults = true;            // false: who makes the states reports their faults
};

inline constexpr std::size_t kScriptBytes = 256u << 10;  // of all files together
inline constexpr std::size_t kScriptFiles = 32;

class Script {
 public:
  // files[0] is the script; the others are what it may import; TypeScript if they are called so. Errors are faults of
  // the script (below).
  static Result<std::shared_ptr<const Script>> Load(std::vector<ScriptFile> files, const ScriptLimits& limits = {});
  // The same with another harness, of the program's own.
  static Result<std::shared_ptr<const Script>> LoadUnder(std::string_view harness, std::vector<ScriptFile> files,
                                                         const ScriptLimits& limits);
  ~Script();

  // The script's info as JSON, with "actions" as a list; a stranger's.
  const json::Value& info() const;
  // Whether the script exports that optional function.
  bool Has(std::string_view function) const;
  // Where the function is written ("game.js:12:5"): the one that a sentence starts with ("outcome(state) must …"); ""
  // if it starts with none, or the place is not known.
  std::string PlaceOf(std::string_view sentence) const;
  const std::vector<ScriptFile>& files() const;

  // An operation of the harness (engine/harness.js). Errors are faults of the script: kInvalid or kTooLarge, a sentence
  // that starts with the function's name, and the file and line as path ("game.js:12:5"), if known: where it failed, or
  // where the function is written whose answer is wrong.
  Result<json::Value> Call(const char* operation, const json::Value& input) const;
  // The same; says how many steps the call used, failed or not. It may use at most `most`, if that is less than the
  // limit.
  Result<json::Value> Call(const char* operation, const json::Value& input, std::int64_t& steps,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  // The same with an input that is JSON already.
  Result<json::Value> CallWith(const char* operation, const std::string& input) const;

 private:
  struct Loaded;
  Result<json::Value> Run(const char* operation, const std::string& input, std::int64_t& steps,
                          std::int64_t most) const;
  explicit Script(std::unique_ptr<const Loaded> loaded);
  const std::unique_ptr<const Loaded> loaded_;
};

}  // namespace openseat::games
