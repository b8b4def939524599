#include "checker/proposals.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/json_document.h"
#include "checker/proposals_data.h"

namespace openseat::checker {

Result<Proposals> Proposals::Parse(std::string_view text) {
  const Result<json::Value> document = json::ParseDocument(text);
  if (!document) return Fail(document.error());
  const json::Array* list = document->if_array();
  if (list == nullptr) {
    return Fail(ErrorCode::kInvalid, "the table of proposals must be an array of {\"command\", \"warnings\"}; got " +
                                         std::string(json::TypeName(*document)));
  }
  Proposals out;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = "[" + std::to_string(i) + "]";
    const json::Value* command = json::Find((*list)[i], "command");
    if (command == nullptr || !command->is_string() || command->get_string().empty()) {
      return Fail(ErrorCode::kInvalid, path + ".command must be a nonempty string", path + ".command");
    }
    Proposal proposal{std::string(json::View(command->get_string())), {}};
    if (out.Find(proposal.command) != nullptr) {
      return Fail(ErrorCode::kInvalid, "the command \"" + proposal.command + "\" appears twice in the table",
                  path + ".command");
    }
    const json::Value* warnings = json::Find((*list)[i], "warnings");
    const json::Array* lines = warnings != nullptr ? warnings->if_array() : nullptr;
    if (lines == nullptr || lines->empty() ||
        !std::ranges::all_of(*lines, [](const json::Value& line) { return line.is_string(); })) {
      return Fail(ErrorCode::kInvalid, path + ".warnings must be an array of at least one string", path + ".warnings");
    }
    for (const json::Value& line : *lines) proposal.warnings.emplace_back(json::View(line.get_string()));
    out.proposals_.push_back(std::move(proposal));
  }
  return out;
}

const Proposals& Proposals::BuiltIn() {
  static const Proposals kBuiltIn = [] {
    Result<Proposals> parsed = Parse(kProposalsJson);
    OPENSEAT_CHECK(parsed.has_value(), "the built-in table of proposals can be read");
    return std::move(*parsed);
  }();
  return kBuiltIn;
}

const Proposal* Proposals::Find(std::string_view command) const {
  const auto found = std::ranges::find(proposals_, command, &Proposal::command);
  return found == proposals_.end() ? nullptr : &*found;
}

}  // namespace openseat::checker
