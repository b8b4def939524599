#include "protocols/mcp/server.h"

#include <algorithm>
#include <array>

#include "base/budget.h"
#include "base/check.h"
#include "base/text.h"

namespace openseat::mcp {
namespace {

constexpr std::int64_t kListTtlMs = 3'600'000;
constexpr std::size_t kMaxCompletions = 100;

Failure BadParams(std::string message, json::Value data = nullptr) {
  return {code::kInvalidParams, std::move(message), std::move(data), 200};
}

json::Object Described(const std::string& name, const std::string& title, const std::string& description) {
  json::Object out{{"name", name}};
  if (!title.empty()) out["title"] = title;
  if (!description.empty()) out["description"] = description;
  return out;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

// As a header writes it; nullopt for what no header can carry.
std::optional<std::string> HeaderText(const json::Value& value) {
  if (value.is_string()) return std::string(json::View(value.get_string()));
  if (value.is_bool() || value.is_number()) return json::Write(value);
  return std::nullopt;
}

}  // namespace

json::Object TextBlock(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

json::Object ToolResult(std::string_view text, json::Object structured) {
  json::Object out{{"content", json::Array{TextBlock(text)}}};
  if (!structured.empty()) out["structuredContent"] = std::move(structured);
  return out;
}

json::Object ToolError(std::string_view text) {
  return {{"content", json::Array{TextBlock(text)}}, {"isError", true}};
}

json::Object ResourceText(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return {{"contents", json::Array{json::Object{{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}}};
}

json::Object DrawnBy(std::string_view uri, json::Array seen_by) {
  return {{"ui", json::Object{{"resourceUri", uri}, {"visibility", std::move(seen_by)}}},
          {"ui/resourceUri", uri}};  // for hosts of before the nested form
}

bool DrawsViews(const Call& call) {
  const json::Object* extensions = FindObject(call.capabilities(), "extensions");
  return extensions != nullptr && extensions->contains(kViewExtension);
}

Failure ResourceMissing(const Call& call, std::string_view uri) {
  return {call.era() == Era::kModern ? code::kInvalidParams : code::kResourceNotFound,
          "Resource not found: " + Ellipsize(uri, kQuotedBytes), json::Object{{"uri", Ellipsize(uri, kListedBytes)}},
          200};
}

std::optional<std::map<std::string, std::string>> MatchTemplate(std::string_view uri_template, std::string_view uri) {
  std::map<std::string, std::string> variables;
  while (true) {
    const std::size_t open = uri_template.find('{');
    const std::string_view literal = uri_template.substr(0, open);
    if (!uri.starts_with(literal)) return std::nullopt;
    uri.remove_prefix(literal.size());
    if (open == std::string_view::npos) return uri.empty() ? std::optional(std::move(variables)) : std::nullopt;
    uri_template.remove_prefix(open + 1);
    const std::size_t close = uri_template.find('}');
    OPENSEAT_CHECK(close != std::string_view::npos, "a URI template closes what it opens");
    const std::string_view value = uri.substr(0, uri.find('/'));
    if (value.empty()) return std::nullopt;
    variables[std::string(uri_template.substr(0, close))] = value;
    uri.remove_prefix(value.size());
    uri_template.remove_prefix(close + 1);
  }
}

Server::Server(ServerInfo info) : info_(std::move(info)) {}

void Server::AddTool(Tool tool) {
  auto input = schema::Schema::Compile(tool.input_schema);
  OPENSEAT_CHECK(input.has_value(), "a tool's input schema is a schema");
  OPENSEAT_CHECK(tool.output_schema.is_null() || schema::Schema::Compile(tool.output_schema).has_value(),
                 "a tool's output schema is a schema");
  json::Object listed = Described(tool.name, tool.title, tool.description);
  listed["inputSchema"] = tool.input_schema;
  if (!tool.output_schema.is_null()) listed["outputSchema"] = tool.output_schema;
  if (!tool.annotations.empty()) listed["annotations"] = tool.annotations;
  if (!tool.meta.empty()) listed["_meta"] = tool.meta;
  tools_.push_back({std::move(tool), std::move(*input), std::move(listed)});
}

void Server::AddResource(Resource resource) {
  (resource.uri.find('{') == std::string::npos ? resources_ : templates_).push_back(std::move(resource));
}

void Server::AddPrompt(Prompt prompt) {
  prompts_.push_back(std::move(prompt));
}

void Server::Declare(std::string_view extension, json::Object settings) {
  extensions_[extension] = std::move(settings);
}

Server::Method Server::Find(Era era, std::string_view method) const {
  struct Row {
    std::string_view name;
    bool legacy;
    bool modern;
    bool extra;
    Method method;
  };
  static constexpr std::array<Row, 19> kRows{{
      {"initialize", true, false, false, &Server::Initialize},
      {"ping", true, false, false, &Server::Ping},
      {"logging/setLevel", true, false, true, &Server::SetLevel},
      {"resources/subscribe", true, false, true, &Server::Subscribe},
      {"resources/unsubscribe", true, false, true, &Server::Subscribe},
      {"server/discover", false, true, false, &Server::Discover},
      {"tools/list", true, true, false, &Server::ListTools},
      {"tools/call", true, true, false, &Server::CallTool},
      {"resources/list", true, true, false, &Server::ListResources},
      {"resources/templates/list", true, true, false, &Server::ListTemplates},
      {"resources/read", true, true, false, &Server::ReadResource},
      {"skills/list", false, true, false, &Server::ListSkills},
      {"skills/get", false, true, false, &Server::GetSkill},
      {"tasks/get", false, true, false, &Server::GetTask},
      {"tasks/update", false, true, false, &Server::UpdateTask},
      {"tasks/cancel", false, true, false, &Server::CancelTask},
      {"prompts/list", true, true, false, &Server::ListPrompts},
      {"prompts/get", true, true, false, &Server::GetPrompt},
      {"completion/complete", true, true, false, &Server::Complete},
  }};
  if (tasks_ == nullptr && method.starts_with("tasks/")) return nullptr;
  for (const Row& row : kRows) {
    if (row.name == method && (era == Era::kLegacy ? row.legacy : row.modern) && (!row.extra || legacy_extras_)) {
      return row.method;
    }
  }
  return nullptr;
}

std::weak_ptr<Call> Server::Handle(const Incoming& incoming, std::shared_ptr<Exchange> exchange) {
  if (incoming.message.kind != Message::Kind::kRequest) {
    if (incoming.message.kind == Message::Kind::kNotification) {
      Notified(incoming);
    } else {
      Answered(incoming);
    }
    exchange->Finish("", 202);
    return {};
  }
  const auto call = std::make_shared<Call>(incoming.message, incoming.envelope, incoming.session, std::move(exchange),
                                           info_, incoming.caller);
  const Method method = Find(call->era(), call->method());
  if (method == nullptr) {
    call->Refuse({code::kMethodNotFound, "Method not found: " + call->method(), nullptr, 404});
    return {};
  }
  // `initialize` is never canceled.
  if (incoming.session != nullptr && method != &Server::Initialize) {
    incoming.session->running[json::Write(incoming.message.id)] = call;
  }
  (this->*method)(call, incoming);
  return call;
}

void Server::Notified(const Incoming& incoming) {
  if (incoming.message.method != "notifications/cancelled" || incoming.session == nullptr) return;
  const json::Value* id = json::Find(incoming.message.params, "requestId");
  if (id == nullptr) return;
  const auto found = incoming.session->running.find(json::Write(*id));
  if (found == incoming.session->running.end()) return;
  if (const CallPtr call = found->second.lock()) call->Cancel();
}

void Server::Answered(const Incoming& incoming) {
  if (incoming.session == nullptr || !incoming.message.id.is_string()) return;
  const auto found = incoming.session->asked.find(std::string(json::View(incoming.message.id.get_string())));
  if (found == incoming.session->asked.end()) return;
  const auto done = std::move(found->second);
  incoming.session->asked.erase(found);
  const std::optional<json::Value>& result = incoming.message.result;
  if (result) {
    done(result->get_object());
  } else {
    done(Fail(ErrorCode::kDenied, "the client answered with an error"));
  }
}

// --- The handshake, and what comes instead of it ---

json::Object Server::Capabilities(Era era) const {
  json::Object out{{"tools", json::Object()},
                   {"resources", json::Object()},
                   {"prompts", json::Object()},
                   {"completions", json::Object()}};
  json::Object extensions = extensions_;
  if (era == Era::kModern && !skills_.empty()) extensions[kSkillExtension] = json::Object();
  if (era == Era::kModern && tasks_ != nullptr) extensions[kTaskExtension] = json::Object();
  if (!extensions.empty()) out["extensions"] = std::move(extensions);
  if (legacy_extras_ && era == Era::kLegacy) {
    out["logging"] = json::Object();
    out["resources"] = json::Object{{"subscribe", true}};
  }
  return out;
}

void Server::Initialize(const CallPtr& call, const Incoming& incoming) {
  const std::optional<std::string> requested = FindText(call->params(), "protocolVersion");
  if (!requested) return call->Refuse(BadParams("Invalid params: protocolVersion must be a string"));
  const json::Object* capabilities = FindObject(call->params(), "capabilities");
  const std::string version(NegotiateLegacy(*requested));
  if (incoming.session != nullptr) {
    incoming.session->version = version;
    if (capabilities != nullptr) incoming.session->capabilities = UsedCapabilities(*capabilities);
  }
  call->Answer({{"protocolVersion", version},
                {"capabilities", Capabilities(Era::kLegacy)},
                {"serverInfo", json::Object{{"name", info_.name}, {"title", info_.title}, {"version", info_.version}}},
                {"instructions", info_.instructions}});
}

void Server::Discover(const CallPtr& call, const Incoming&) {
  call->Answer({{"supportedVersions", json::Array{kModernVersion}},
                {"capabilities", Capabilities(Era::kModern)},
                {"instructions", info_.instructions}},
               {.ttl_ms = kListTtlMs, .shared = true});
}

void Server::Ping(const CallPtr& call, const Incoming&) {
  call->Answer({});
}

void Server::SetLevel(const CallPtr& call, const Incoming& incoming) {
  const std::string level = FindText(call->params(), "level").value_or("");
  if (!LogLevelRank(level)) return call->Refuse(BadParams("Invalid params: level must be one of debug to emergency"));
  if (incoming.session != nullptr) incoming.session->log_level = level;
  call->Answer({});
}

void Server::Subscribe(const CallPtr& call, const Incoming&) {
  if (!FindText(call->params(), "uri")) return call->Refuse(BadParams("Invalid params: uri must be a string"));
  call->Answer({});
}

// --- Lists ---

void Server::AnswerList(const CallPtr& call, std::string_view member, json::Array list, bool shared) {
  // Every list is one page, so no cursor was ever given out.
  if (json::Find(call->params(), "cursor") != nullptr) {
    return call->Refuse(BadParams("Invalid params: there is no such cursor; this list has one page"));
  }
  json::Object result;
  result[member] = std::move(list);
  call->Answer(std::move(result), {.ttl_ms = kListTtlMs, .shared = shared});
}

void Server::ListTools(const CallPtr& call, const Incoming&) {
  json::Array list;
  const bool views = DrawsViews(*call);
  bool same = true;  // for every client
  for (const OfferedTool& each : tools_) {
    same = same && !each.tool.for_views;
    if (views || !each.tool.for_views) list.push_back(each.listed);
  }
  AnswerList(call, "tools", std::move(list), same);
}

void Server::ListResources(const CallPtr& call, const Incoming&) {
  json::Array list;
  for (const Resource& each : resources_) {
    json::Object entry = Described(each.name, each.title, each.description);
    entry["uri"] = each.uri;
    entry["mimeType"] = each.mime_type;
    if (!each.meta.empty()) entry["_meta"] = each.meta;
    list.push_back(std::move(entry));
  }
  AnswerList(call, "resources", std::move(list));
}

void Server::ListTemplates(const CallPtr& call, const Incoming&) {
  json::Array list;
  for (const Resource& each : templates_) {
    json::Object entry = Described(each.name, each.title, each.description);
    entry["uriTemplate"] = each.uri;
    entry["mimeType"] = each.mime_type;
    list.push_back(std::move(entry));
  }
  AnswerList(call, "resourceTemplates", std::move(list));
}

void Server::ListPrompts(const CallPtr& call, const Incoming&) {
  json::Array list;
  for (const Prompt& each : prompts_) {
    json::Object entry = Described(each.name, each.title, each.description);
    json::Array arguments;
    for (const Prompt::Argument& argument : each.arguments) {
      arguments.push_back(json::Object{
          {"name", argument.name}, {"description", argument.description}, {"required", argument.required}});
    }
    if (!arguments.empty()) entry["arguments"] = std::move(arguments);
    list.push_back(std::move(entry));
  }
  AnswerList(call, "prompts", std::move(list));
}

// --- Tools ---

std::optional<Failure> Server::CheckParamHeaders(const Tool& tool, const Incoming& incoming) const {
  const json::Object* properties = FindObject(tool.input_schema, "properties");
  if (properties == nullptr || !incoming.param_headers || incoming.envelope.era != Era::kModern) return std::nullopt;
  const json::Object* arguments = FindObject(incoming.message.params, "arguments");
  for (const auto& [property, schema] : *properties) {
    const json::Object* members = schema.if_object();
    const std::optional<std::string> header = members == nullptr ? std::nullopt : FindText(*members, "x-mcp-header");
    if (!header) continue;
    const json::Value* value = arguments == nullptr ? nullptr : json::Find(*arguments, json::View(property));
    const std::optional<std::string> expected = value == nullptr ? std::nullopt : HeaderText(*value);
    const auto found = incoming.param_headers->find(Lower(*header));
    const bool given = found != incoming.param_headers->end();
    const std::string name = std::string(kParamHeaderPrefix) + *header;
    const auto mismatch = [&](std::string what) {
      return Failure{code::kHeaderMismatch, "Header mismatch: " + std::move(what), nullptr, 400};
    };
    if (!given && !expected) continue;
    if (!given) return mismatch("the " + name + " header is required");
    const std::optional<std::string> got = DecodeHeaderValue(TrimHeader(found->second));
    if (!got) return mismatch("the " + name + " header is not valid Base64");
    if (!expected || *got != *expected) return mismatch("the " + name + " header does not match the body");
  }
  return std::nullopt;
}

void Server::CallTool(const CallPtr& call, const Incoming& incoming) {
  const std::string name = FindText(call->params(), "name").value_or("");
  const auto found = std::ranges::find(tools_, name, [](const OfferedTool& each) { return each.tool.name; });
  if (found == tools_.end()) return call->Refuse(BadParams("Unknown tool: " + Ellipsize(name, kQuotedBytes)));
  if (std::optional<Failure> failure = CheckParamHeaders(found->tool, incoming)) {
    return call->Refuse(std::move(*failure));
  }
  if (call->era() == Era::kModern) {
    json::Object missing;
    for (const std::string& capability : found->tool.client_must_be_able) {
      if (!call->CanDo(capability)) missing[capability] = json::Object();
    }
    if (!missing.empty()) {
      return call->Refuse({code::kMissingCapability, "Missing required client capability",
                           json::Object{{"requiredCapabilities", std::move(missing)}}, 400});
    }
  }
  const json::Value* given = json::Find(call->params(), "arguments");
  if (given != nullptr && !given->is_object()) {
    return call->Refuse(
        BadParams("Invalid params: arguments must be an object; got " + std::string(json::TypeName(*given))));
  }
  const json::Object arguments = given == nullptr ? json::Object() : given->get_object();
  if (const auto violations = found->input->Validate(arguments); !violations.empty()) {
    // Returned as a result, so that the model reads it and corrects itself.
    return call->Answer(ToolError("Invalid arguments for " + name + ": " + schema::Explain(violations) + "."));
  }
  const Tool& tool = found->tool;
  if (const json::Value* reads = json::Find(tool.annotations, "readOnlyHint");
      reads != nullptr && *reads == json::Value(true)) {
    call->OnlyReads();
  } else if (witness_) {
    witness_(call->caller(), tool, arguments);
  }
  if (elsewhere_ && elsewhere_(call)) return;
  const bool as_task = tasks_ != nullptr && tool.as_task != Tool::AsTask::kNever && TakesTasks(*call);
  if (!as_task && tool.as_task == Tool::AsTask::kMust) return call->Refuse(TasksNeeded());
  if (as_task && tasks_->Run(call, tool.task_after, [&] { tool.run(call, arguments); })) return;
  if (tool.as_task == Tool::AsTask::kMust) {
    const std::string why = RefuseFor(call->payer().get(), Limit::kMcpTasks, TaskBook::kMaxOfCaller).Text();
    return call->Answer(ToolError("There are too many tasks: " + why + ", and all together " +
                                  std::to_string(TaskBook::kMaxTasks) + "; try again later."));
  }
  tool.run(call, arguments);
}

// --- Tasks ---

namespace {

// The task here that the call names, if its client takes tasks; otherwise it is answered.
std::optional<std::string> NamedTask(const CallPtr& call, const Server::Elsewhere& elsewhere) {
  if (!TakesTasks(*call)) {
    call->Refuse(TasksNeeded());
    return std::nullopt;
  }
  if (elsewhere && elsewhere(call)) return std::nullopt;
  return FindText(call->params(), "taskId").value_or("");
}

void NoSuchTask(const CallPtr& call, const std::string& id) {
  call->Refuse(
      BadParams("Unknown task: " + Ellipsize(id, kQuotedBytes), json::Object{{"taskId", Ellipsize(id, kMaxIdBytes)}}));
}

}  // namespace

void Server::GetTask(const CallPtr& call, const Incoming&) {
  const std::optional<std::string> id = NamedTask(call, elsewhere_);
  if (!id) return;
  const std::optional<TaskBook::State> task = tasks_->Get(*id);
  if (!task) return NoSuchTask(call, *id);
  call->AnswerWith(task->shown, "result", task->result);
}

void Server::UpdateTask(const CallPtr& call, const Incoming&) {
  const std::optional<std::string> id = NamedTask(call, elsewhere_);
  if (!id) return;
  const json::Object* responses = FindObject(call->params(), "inputResponses");
  if (responses == nullptr) return call->Refuse(BadParams("Invalid params: inputResponses must be an object"));
  if (!tasks_->Supply(*id, *responses)) return NoSuchTask(call, *id);
  call->Answer({});
}

void Server::CancelTask(const CallPtr& call, const Incoming&) {
  const std::optional<std::string> id = NamedTask(call, elsewhere_);
  if (!id) return;
  if (!tasks_->Cancel(*id)) return NoSuchTask(call, *id);
  call->Answer({});
}

// --- Resources and prompts ---

void Server::ReadResource(const CallPtr& call, const Incoming&) {
  const std::optional<std::string> uri = FindText(call->params(), "uri");
  if (!uri) return call->Refuse(BadParams("Invalid params: uri must be a string"));
  call->OnlyReads();
  if (elsewhere_ && elsewhere_(call)) return;
  if (const auto found = std::ranges::find(resources_, *uri, &Resource::uri); found != resources_.end()) {
    return found->read(call, *uri, {});
  }
  for (const Resource& each : templates_) {
    if (const auto variables = MatchTemplate(each.uri, *uri)) return each.read(call, *uri, *variables);
  }
  call->Refuse(ResourceMissing(*call, *uri));
}

void Server::GetPrompt(const CallPtr& call, const Incoming&) {
  const std::string name = FindText(call->params(), "name").value_or("");
  const auto found = std::ranges::find(prompts_, name, &Prompt::name);
  if (found == prompts_.end()) return call->Refuse(BadParams("Unknown prompt: " + Ellipsize(name, kQuotedBytes)));
  std::map<std::string, std::string> arguments;
  if (const json::Object* given = FindObject(call->params(), "arguments")) {
    for (const auto& [key, value] : *given) {
      if (!value.is_string()) {
        return call->Refuse(BadParams("Invalid params: the argument " + Ellipsize(json::View(key), kQuotedBytes) +
                                      " must be a string; got " + std::string(json::TypeName(value))));
      }
      arguments[std::string(json::View(key))] = json::View(value.get_string());
    }
  }
  for (const Prompt::Argument& argument : found->arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return call->Refuse(BadParams("Invalid params: the argument " + argument.name + " is missing"));
    }
  }
  found->get(call, arguments);
}

void Server::Complete(const CallPtr& call, const Incoming&) {
  const json::Object* ref = FindObject(call->params(), "ref");
  const json::Object* argument = FindObject(call->params(), "argument");
  if (ref == nullptr || argument == nullptr || !FindText(*argument, "name") || !FindText(*argument, "value")) {
    return call->Refuse(BadParams("Invalid params: ref and argument {\"name\", \"value\"} are needed"));
  }
  const std::string typed = *FindText(*argument, "value");
  json::Array values;
  if (FindText(*ref, "type") == "ref/prompt") {
    const auto prompt = std::ranges::find(prompts_, FindText(*ref, "name").value_or(""), &Prompt::name);
    if (prompt != prompts_.end()) {
      const auto found = std::ranges::find(prompt->arguments, *FindText(*argument, "name"), &Prompt::Argument::name);
      if (found != prompt->arguments.end()) {
        for (const std::string& value : found->values) {
          if (value.starts_with(typed) && values.size() < kMaxCompletions) values.push_back(json::Value(value));
        }
      }
    }
  }
  call->Answer({{"completion", json::Object{{"values", std::move(values)}}}});
}

}  // namespace openseat::mcp
