// Server: what is offered to MCP clients (tools, resources, prompts), and the methods of the protocol for it.
// Independent of transports. Filled before the first message; from then on everything happens on one scheduler.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/mcp/call.h"
#include "protocols/mcp/era.h"
#include "protocols/mcp/message.h"
#include "protocols/mcp/tasks.h"
#include "schema/schema.h"

namespace openseat::mcp {

struct Tool {
  std::string name;  // [a-z_], at most 64
  std::string title;
  std::string description;
  json::Object input_schema;                     // of an object
  json::Value output_schema = nullptr;           // of an object; null: none
  json::Object annotations;                      // all four hints
  std::vector<std::string> client_must_be_able;  // capabilities that a modern client must have
  json::Object meta;                             // `_meta`, in the list
  bool for_views = false;                        // for views only: listed for hosts that draw them
  // Whether a call may become a task (tasks.h), or has no other answer, and how long it is an ordinary call before.
  enum class AsTask : std::uint8_t { kNever, kMay, kMust } as_task = AsTask::kNever;
  Duration task_after{};
  // `arguments` fit the input schema.
  std::function<void(CallPtr call, const json::Object& arguments)> run;
};

struct Resource {
  std::string uri;  // or a template, if it contains "{…}"
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  // Answers with ResourceText or ResourceMissing. `variables` are the template's, percent-decoded.
  std::function<void(CallPtr call, const std::string& uri, const std::map<std::string, std::string>& variables)> read;
  json::Object meta{};  // `_meta`, in the list
};

struct Prompt {
  struct Argument {
    std::string name;
    std::string description;
    bool required = false;
    // The allowed values; empty: anything. For completion.
    std::vector<std::string> values;
  };
  std::string name;
  std::string title;
  std::string description;
  std::vector<Argument> arguments;
  std::function<void(CallPtr call, const std::map<std::string, std::string>& arguments)> get;
};

// How to do something well, for models (the extension Skills, SEP-2640): a Markdown file with a head.
struct Skill {
  std::string name;         // lower-case letters, digits and hyphens
  std::string description;  // one line
  std::string text;         // Markdown, without the head
};

// --- Results ---

// A tool's result: text for the model, and the same as an object; `structured` empty: none.
json::Object ToolResult(std::string_view text, json::Object structured = {});
// A tool's failure, which the model reads.
json::Object ToolError(std::string_view text);
json::Object TextBlock(std::string_view text);
json::Object ResourceText(std::string_view uri, std::string_view mime_type, std::string_view text);
// --- Extensions ---

// Files that say how to do something well; only in the modern era.
inline constexpr std::string_view kSkillExtension = "io.modelcontextprotocol/skills";

// `_meta` of a tool whose answers are drawn by the view at `uri`. `seen_by` are "model", "app", or both.
json::Object DrawnBy(std::string_view uri, json::Array seen_by);
// Whether the client says that it draws views.
bool DrawsViews(const Call& call);

// The failure in the form of the call's era.
Failure ResourceMissing(const Call& call, std::string_view uri);

class Server {
 public:
  explicit Server(ServerInfo info);

  void AddTool(Tool tool);  // REQUIRES schemas that compile
  void AddResource(Resource resource);
  void AddPrompt(Prompt prompt);
  // Also a resource: skill://openseat/NAME/SKILL.md.
  void AddSkill(const Skill& skill);
  // Declares an extension to every client.
  void Declare(std::string_view extension, json::Object settings);
  // Offers tasks, whose ids begin with `prefix`.
  void OfferTasks(Scheduler& scheduler, std::string prefix = {}) {
    tasks_ = std::make_unique<TaskBook>(scheduler, std::move(prefix));
  }
  // Asked before every call of a tool whose arguments fit, before every resource is read, and before every call about a
  // task: whether another server answers it.
  using Elsewhere = std::function<bool(const CallPtr& call)>;
  void SetElsewhere(Elsewhere elsewhere) { elsewhere_ = std::move(elsewhere); }
  // Told of every call of a tool that may change something, once its arguments fit, before it is made.
  using Witness = std::function<void(const Caller& caller, const Tool& tool, const json::Object& arguments)>;
  void SetWitness(Witness witness) { witness_ = std::move(witness); }
  // Offers logging and resource subscriptions to legacy clients: for the conformance fixtures, which use them.
  void OfferLegacyExtras() { legacy_extras_ = true; }

  struct Incoming {
    Message message;
    Envelope envelope;
    std::shared_ptr<Session> session;  // null for modern requests over HTTP
    // Mcp-Param-*, names in lower case without the prefix; nullopt over stdio, which has no headers
    std::optional<std::map<std::string, std::string>> param_headers;
    Caller caller{};
  };
  // Serves one message. Returns the call if it is still in progress, so that the transport can cancel it.
  std::weak_ptr<Call> Handle(const Incoming& incoming, std::shared_ptr<Exchange> exchange);

 private:
  using Method = void (Server::*)(const CallPtr& call, const Incoming& incoming);
  struct OfferedTool {
    Tool tool;
    std::shared_ptr<const schema::Schema> input;
    json::Object listed;
  };

  Method Find(Era era, std::string_view method) const;
  void Notified(const Incoming& incoming);
  void Answered(const Incoming& incoming);

  void Initialize(const CallPtr& call, const Incoming& incoming);
  void Discover(const CallPtr& call, const Incoming& incoming);
  void Ping(const CallPtr& call, const Incoming& incoming);
  void SetLevel(const CallPtr& call, const Incoming& incoming);
  void Subscribe(const CallPtr& call, const Incoming& incoming);
  void ListTools(const CallPtr& call, const Incoming& incoming);
  void CallTool(const CallPtr& call, const Incoming& incoming);
  void ListResources(const CallPtr& call, const Incoming& incoming);
  void ListTemplates(const CallPtr& call, const Incoming& incoming);
  void ReadResource(const CallPtr& call, const Incoming& incoming);
  void ListSkills(const CallPtr& call, const Incoming& incoming);
  void GetSkill(const CallPtr& call, const Incoming& incoming);
  void GetTask(const CallPtr& call, const Incoming& incoming);
  void UpdateTask(const CallPtr& call, const Incoming& incoming);
  void CancelTask(const CallPtr& call, const Incoming& incoming);
  void ListPrompts(const CallPtr& call, const Incoming& incoming);
  void GetPrompt(const CallPtr& call, const Incoming& incoming);
  void Complete(const CallPtr& call, const Incoming& incoming);

  json::Object Capabilities(Era era) const;
  // `shared`: the list is the same for every client.
  void AnswerList(const CallPtr& call, std::string_view member, json::Array list, bool shared = true);
  std::optional<Failure> CheckParamHeaders(const Tool& tool, const Incoming& incoming) const;

  const ServerInfo info_;
  std::vector<OfferedTool> tools_;
  std::vector<Resource> resources_;
  std::vector<Resource> templates_;
  std::vector<Prompt> prompts_;
  json::Array skills_;  // as they are listed
  json::Object extensions_;
  std::unique_ptr<TaskBook> tasks_;  // null: not offered
  Elsewhere elsewhere_;              // null: there is no other server
  Witness witness_;                  // null: nobody wants to know
  bool legacy_extras_ = false;
};

// The variables of `uri` in the template ("openseat://games/{game}/rules"), nullopt if it does not match. A variable is
// one or more characters other than "/".
std::optional<std::map<std::string, std::string>> MatchTemplate(std::string_view uri_template, std::string_view uri);

}  // namespace openseat::mcp
