#include "e2e/matrix/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/process.h"

namespace openseat::tests {
namespace {

json::Value ScriptOf(std::string_view steps, bool loop = false) {
  return json::Object{{"steps", *json::Parse(steps)}, {"loop", loop}, {"otherwise", "random"}};
}

// What `script` plays at each seat: a first choice, then random ones. For games not listed here, only random ones.
std::array<json::Value, 2> ScriptsOf(std::string_view game) {
  const auto both = [](std::string_view steps) { return std::array{ScriptOf(steps), ScriptOf(steps)}; };
  if (game == "tictactoe") {
    return {ScriptOf(R"([{"action": "move", "data": {"position": [1, 1]}}])"),
            ScriptOf(R"([{"action": "move", "data": {"position": [0, 0]}}])")};
  }
  if (game == "connectm") return both(R"([{"action": "drop", "data": {"column": 3}}])");
  if (game == "rps") return both(R"([{"action": "throw", "data": {"hand": "paper"}}])");
  if (game == "chicken") return both(R"([{"action": "move", "data": {"swerve": true}}])");
  if (game == "netrunner") return both(R"([{"action": "keep"}])");
  if (game == "leduc") return both(R"([{"action": "check"}])");
  if (game == "narrative") {
    return {ScriptOf(R"([{"action": "narrate",
                          "data": {"narrative": "It rains.", "emotion": "sad",
                                   "choices": [{"id": "11111111-1111-4111-8111-111111111111", "label": "Wait"}]}}])",
                     true),
            ScriptOf(R"([{"action": "say", "data": {"text": "I wait."}}])", true)};
  }
  return both(R"([{"action": "no such action"}])");
}

// Which seats the agent plays, for the page.
std::string ShownSeats(const Cell& cell) {
  if (!cell.source.is_hosted()) return "the seat";
  if (cell.row.kind == "storyteller") return "the narrator";
  if (cell.source.is_story() && cell.row.way == Way::kBrowser) return "the player";
  return "both seats";
}

// What the page says about a cell that is possible; "": nothing.
std::string RemarkOn(const Cell& cell) {
  if (!IsNetrunnerByBackend(cell)) return "";
  return "They only take credits, until R&D is empty. The Neuro API's schemas have no alternatives, so they cannot say "
         "which cards can be played where.";
}

std::string TitleOf(std::string_view game) {
  return std::ranges::find(Sources(), game, &Source::id)->title;
}

}  // namespace

std::string TextOf(const json::Value& value, std::string_view name) {
  return std::string(json::TextOf(value, name));
}

std::vector<json::Value> Listed(const std::string& command) {
  Process process(OPENSEAT_BINARY, {command, "--json"});
  std::vector<json::Value> lines;
  for (std::string line; process.ReadLine(line);) lines.push_back(*json::Parse(line));
  EXPECT_EQ(process.Wait(), 0);
  return lines;
}

const std::vector<Source>& Sources() {
  static const std::vector<Source> all = [] {
    std::vector<Source> sources;
    for (const json::Value& game : Listed("games")) {
      const std::string id = TextOf(game, "id");
      sources.push_back({id, TextOf(game, "title"), {}, ScriptsOf(id)});
      if (sources.back().is_story()) sources.back().options["turns"] = 3;
    }
    // Of those that are written as scripts, one with secrets and chance.
    sources.push_back({"leduc", "a script game", {}, ScriptsOf("leduc")});
    sources.push_back({"", "Neuro game", {}, ScriptsOf("")});
    return sources;
  }();
  return all;
}

const std::vector<Row>& Rows() {
  static const std::vector<Row> all{{"`random`", Way::kServer, "random"},
                                    {"`script`", Way::kServer, "script"},
                                    {"`cmd`", Way::kServer, "cmd"},
                                    {"`bot`", Way::kServer, "bot"},
                                    {"`search`", Way::kServer, "search"},
                                    {"`storyteller`", Way::kServer, "storyteller"},
                                    {"`llm`, its provider a stand-in", Way::kServer, "llm"},
                                    {"`neuro`: a Neuro backend elsewhere", Way::kServer, "neuro"},
                                    {"`webhook`", Way::kWebhook, "webhook"},
                                    {"`external`, over REST", Way::kRest, "external"},
                                    {"`external`, an MCP host", Way::kMcp, "external"},
                                    {"a Chimera client", Way::kChimera, ""},
                                    {"a person in the browser", Way::kBrowser, ""}};
  return all;
}

std::vector<Cell> AllCells() {
  std::vector<Cell> cells;
  const std::vector<json::Value> kinds = Listed("agents");
  for (const Row& row : Rows()) {
    const auto kind = std::ranges::find(kinds, row.kind, [](const json::Value& each) { return TextOf(each, "kind"); });
    EXPECT_EQ(kind == kinds.end(), row.kind.empty()) << "no kind of agent is called " << row.kind;
    const std::string only = kind == kinds.end() ? "" : TextOf(*kind, "game");
    for (const Source& source : Sources()) {
      Cell cell{row, source};
      if (!only.empty() && only != source.id) cell.why_not = "It only plays " + TitleOf(only) + ".";
      if (row.kind == "cmd") {
        cell.why_not = "Only the operator can name it, so it is tested in `tests/e2e/bots.sh` instead.";
      }
      if (row.kind == "search" && !source.is_hosted()) {
        cell.why_not = "It needs the rules to play ahead, and this game's rules run elsewhere.";
      }
      if (row.way == Way::kChimera && !source.is_hosted()) {
        cell.why_not = "Chimera serves hosted matches only; the state of a connected game stays with that game.";
      }
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

std::string Printed() {
  std::vector<Cell> cells = AllCells();
  std::vector<std::string> notes;
  std::string text = "| |";
  std::string rule = "|---|";
  for (const Source& source : Sources()) {
    text += " " + source.title + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const Row& row : Rows()) {
    text += "| " + row.title + " |";
    for (const Source& source : Sources()) {
      const auto cell =
          std::ranges::find_if(cells, [&](const Cell& each) { return &each.row == &row && &each.source == &source; });
      const bool possible = cell->why_not.empty();
      text += " " + (possible ? ShownSeats(*cell) : "no");
      if (const std::string said = possible ? RemarkOn(*cell) : cell->why_not; !said.empty()) {
        auto note = std::ranges::find(notes, said);
        if (note == notes.end()) note = notes.insert(notes.end(), said);
        text += " (" + std::to_string(note - notes.begin() + 1) + ")";
      }
      text += " |";
    }
    text += "\n";
  }
  text += "\n";
  for (std::size_t i = 0; i < notes.size(); ++i) text += std::to_string(i + 1) + ". " + notes[i] + "\n";
  return text;
}

std::string NameOf(const Cell& cell) {
  return cell.source.title + ", " + cell.row.title;
}

std::string AgentAt(const Cell& cell, SeatIndex seat) {
  if (cell.row.way == Way::kBrowser) {
    if (!cell.source.is_hosted()) return "console";
    if (cell.source.is_story()) return seat == 0 ? "storyteller" : "external";
  }
  if (cell.row.kind.empty()) return "client";
  return cell.row.kind == "storyteller" && seat > 0 ? "random" : cell.row.kind;
}

bool TriesWhatIsWrong(const Cell& cell) {
  switch (cell.row.way) {
    case Way::kServer:
      return false;
    case Way::kWebhook:
    case Way::kRest:
      return cell.source.id != "netrunner";  // the Agent API itself refuses wrong commands
    case Way::kBrowser:
      return !cell.source.is_story();
    default:
      return true;
  }
}

bool IsNetrunnerByBackend(const Cell& cell) {
  return cell.row.kind == "neuro" && cell.source.id == "netrunner";
}

}  // namespace openseat::tests
