#include "games/script/script_advice.h"

#include <algorithm>
#include <cstdio>

#include "games/script/typescript.h"

namespace openseat::games {
namespace {

struct Missing {
  std::string_view name, advice;
};
constexpr Missing kMissing[] = {
    {"Date", "a game knows no time, so that it can be replayed"},
    {"structuredClone", "JSON.parse(JSON.stringify(value)) copies a state"},
    {"console", "a script prints nothing; throw new Error(text) shows a text in games check"},
    {"Intl", "there are no languages and locales: write the text yourself"},
    {"module", "use export: export const info = {…}"},
    {"exports", "use export: export const info = {…}"},
    {"require", "use import: import { lines } from './lines.js'"},
    {"random",
     "setup(options, seats, random), apply(state, seat, action, random, names) and redeal(state, seat, random) "
     "are given it"},
};
struct Arguments {
  std::string_view function, list;
};
constexpr Arguments kWithRandom[] = {{"setup", "(options, seats, random)"},
                                     {"apply", "(state, seat, action, random, names)"},
                                     {"redeal", "(state, seat, random)"}};
constexpr std::string_view kTypes[] = {": string",   ": number",    ": boolean",    ": any",    ": void",
                                       "interface ", "import type", "export type ", " as const"};

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool HasFence(const std::vector<ScriptFile>& files) {
  return std::ranges::any_of(
      files, [](const ScriptFile& file) { return file.text.starts_with("```") || Has(file.text, "\n```"); });
}

}  // namespace

std::string_view LineAt(std::string_view place, const std::vector<ScriptFile>& files, std::size_t& column) {
  column = 0;
  for (const ScriptFile& file : files) {
    if (!place.starts_with(file.name + ":")) continue;
    unsigned line = 0;
    unsigned at = 0;
    if (std::sscanf(std::string(place.substr(file.name.size())).c_str(), ":%u:%u", &line, &at) != 2) return {};
    std::string_view text = file.text;
    for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    column = at;
    return text.substr(0, text.find_first_of("\r\n"));
  }
  return {};
}

std::string AdviceOn(std::string_view function, std::string_view kind, std::string_view message, std::string_view place,
                     const std::vector<ScriptFile>& files) {
  if (kind == "SyntaxError") {
    if (HasFence(files)) return "; leave out the lines with ```, which are no part of the script";
    const std::string_view name = place.substr(0, place.find(':'));
    std::size_t column = 0;
    const std::string_view line = LineAt(place, files, column);
    const bool is_typed = line.starts_with("type ") ||
                          std::ranges::any_of(kTypes, [&](std::string_view type) { return Has(line, type); });
    const bool is_script =
        std::ranges::any_of(files, [&](const ScriptFile& file) { return file.name == name && !IsTypeScript(file); });
    return is_typed && is_script ? "; if this is TypeScript, let the file's name end in .ts" : "";
  }
  if (kind == "ReferenceError") {
    for (const Missing& each : kMissing) {
      if (message.starts_with(std::string(each.name) + " ")) return "; " + std::string(each.advice);
    }
  }
  if (kind != "TypeError") return "";
  if (message.ends_with("is read-only") || Has(message, "is not extensible")) {
    return std::string(function == "apply" || function == "load"
                           ? "; copy it first: "
                           : "; only apply may change the state: copy it first, ") +
           "{...object}, [...list]";
  }
  const bool has_viewer = function == "observe" || function == "view";
  if (has_viewer && message.starts_with("cannot read property")) return "; viewer is null for spectators";
  if (message.starts_with("not a function") && Has(message, "random")) {
    for (const Arguments& each : kWithRandom) {
      if (each.function == function) return "; it is called as " + std::string(function) + std::string(each.list);
    }
  }
  return "";
}

}  // namespace openseat::games
