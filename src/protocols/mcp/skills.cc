// The extension Skills of the server: SEP-2640.
#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {
namespace {

constexpr std::int64_t kSkillTtlMs = 3'600'000;

}  // namespace

void Server::AddSkill(const Skill& skill) {
  const std::string uri = "skill://openseat/" + skill.name + "/SKILL.md";
  // JSON texts are YAML, too.
  std::string file = "---\nname: " + skill.name + "\ndescription: " + json::Write(json::Value(skill.description)) +
                     "\n---\n\n" + skill.text + "\n";
  json::Object entry{{"uri", uri},
                     {"frontmatter", json::Object{{"name", skill.name}, {"description", skill.description}}},
                     {"resources", json::Array{json::Object{
                                       {"uri", uri}, {"digest", "sha256:" + Sha256Hex(file)}, {"size", file.size()}}}}};
  skills_.push_back(std::move(entry));
  AddResource({.uri = uri,
               .name = skill.name,
               .title = {},
               .description = skill.description,
               .mime_type = "text/markdown",
               .read = [file = std::move(file)](const CallPtr& call, const std::string& at,
                                                const std::map<std::string, std::string>&) {
                 call->Answer(ResourceText(at, "text/markdown", file), {.ttl_ms = kSkillTtlMs, .shared = true});
               }});
}

void Server::ListSkills(const CallPtr& call, const Incoming&) {
  AnswerList(call, "skills", skills_);
}

void Server::GetSkill(const CallPtr& call, const Incoming&) {
  const std::string uri = FindText(call->params(), "uri").value_or("");
  const auto found =
      std::ranges::find_if(skills_, [&](const json::Value& each) { return each.at("uri") == json::Value(uri); });
  if (found == skills_.end()) {
    return call->Refuse({code::kInvalidParams, "Unknown skill: " + uri, json::Object{{"uri", uri}}, 200});
  }
  call->Answer({{"skill", *found}}, {.ttl_ms = kSkillTtlMs, .shared = true});
}

}  // namespace openseat::mcp
