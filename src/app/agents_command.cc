#include <cstdio>
#include <memory>
#include <string>

#include "app/agents.h"
#include "app/commands.h"
#include "base/json.h"

namespace openseat::app {
namespace {

struct AgentsFlags {
  std::string kind;
  bool json = false;
};

void PrintKind(const AgentKinds& kinds, const AgentKind& kind) {
  std::printf("%s (%s)\n%s\n", kind.title.c_str(), kinds.FormOf(kind, Namer::kOwner).c_str(), kind.description.c_str());
  if (!kind.game.empty()) std::printf("Plays %s only.\n", kind.game.c_str());
  const json::Object schema = kinds.OptionsFor(kind, Namer::kOwner);
  const json::Object& options = schema.at("properties").as_object();
  std::printf("\n%s\n", options.empty() ? "It has no options." : "Options:");
  for (const auto& option : options) {
    const std::string name(json::KeyOf(option));
    json::Object form = option.value().as_object();
    const std::string description(json::TextOf(form, "description"));
    form.erase("description");
    std::printf("  %s: %s\n", name.c_str(), description.c_str());
    if (!form.empty()) std::printf("    %s\n", json::Write(form).c_str());
  }
}

int RunAgents(const AgentsFlags& flags) {
  const AgentKinds& kinds = DescribedAgents();
  if (flags.kind.empty()) {
    for (const AgentKind& kind : kinds.all()) {
      if (flags.json) {
        std::printf("%s\n", json::Write(kinds.Describe(kind, Namer::kOwner)).c_str());
      } else {
        std::printf("%-12s %s\n", kinds.FormOf(kind, Namer::kOwner).c_str(), kind.description.c_str());
      }
    }
    return kDone;
  }
  const AgentKind* kind = kinds.Find(flags.kind);
  if (kind == nullptr) {
    PrintError("no agent \"" + flags.kind + "\"; available: " + kinds.Names(Namer::kOwner));
    return kUsage;
  }
  if (flags.json) {
    std::printf("%s\n", json::Write(kinds.Describe(*kind, Namer::kOwner)).c_str());
  } else {
    PrintKind(kinds, *kind);
  }
  return kDone;
}

}  // namespace

std::string AgentHelp() {
  const AgentKinds& kinds = DescribedAgents();
  std::string help = "Agents, as KIND or KIND:OPTION=VALUE,OPTION=VALUE (`openseat agents KIND` shows more):";
  for (const AgentKind& kind : kinds.all()) {
    help += "\n  " + kinds.FormOf(kind, Namer::kOwner) + "\n      " + kind.description;
    const json::Object schema = kinds.OptionsFor(kind, Namer::kOwner);
    for (const auto& option : schema.at("properties").as_object()) {
      help += "\n      " + std::string(json::KeyOf(option)) + ": ";
      help += json::TextOf(option.value().as_object(), "description");
    }
  }
  return help;
}

void AddAgents(cli::Command program) {
  auto flags = std::make_shared<AgentsFlags>();
  cli::Command agents = program.AddCommand("agents", "Lists the kinds of agents, or describes one");
  agents.AddOption("kind", &flags->kind, "Its options", {.type = "KIND"});
  agents.AddOption("--json", &flags->json, "One JSON object a line, for programs");
  agents.SetFooter(
      "Examples:\n"
      "  openseat agents\n"
      "  openseat agents random\n"
      "  openseat agents --json");
  agents.SetRun([flags] { return RunAgents(*flags); });
}

}  // namespace openseat::app
