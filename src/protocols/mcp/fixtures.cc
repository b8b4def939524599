#include "protocols/mcp/fixtures.h"

#include <array>
#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "base/secure_random.h"

namespace openseat::mcp {
namespace {

using Arguments = json::Object;

constexpr Duration kPause = std::chrono::milliseconds(50);

// One red pixel.
constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
// A header and no samples.
constexpr std::string_view kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

json::Object Content(json::Array blocks) {
  return {{"content", std::move(blocks)}};
}

json::Object Image() {
  return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}};
}

json::Object Embedded(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return {{"type", "resource"}, {"resource", json::Object{{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}};
}

json::Object UserMessage(json::Object content) {
  return {{"role", "user"}, {"content", std::move(content)}};
}

json::Value FromText(std::string_view text) {
  Result<json::Value> value = json::Parse(text);
  OPENSEAT_CHECK(value.has_value(), "a fixture is JSON");
  return std::move(*value);
}

json::Object ObjectSchema(json::Object properties = {}, json::Array required = {}) {
  json::Object schema{{"type", "object"}};
  if (!properties.empty()) schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json::Object TextSchema() {
  return {{"type", "string"}};
}

Tool MakeTool(std::string name, std::string description, std::function<void(CallPtr, const Arguments&)> run) {
  Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema = ObjectSchema();
  tool.annotations = {
      {"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}};
  tool.run = std::move(run);
  return tool;
}

void AddConstant(Server& server, std::string name, std::string description, json::Object result) {
  server.AddTool(
      MakeTool(std::move(name), std::move(description),
               [result = std::move(result)](const CallPtr& call, const Arguments&) { call->Answer(result); }));
}

// Runs `steps` one after the other with a pause between them, as long as the call is open.
void InSteps(Scheduler& scheduler, const CallPtr& call, std::size_t step, std::size_t steps,
             const std::function<void(std::size_t)>& run) {
  if (!call->open()) return;
  run(step);
  if (step + 1 == steps) return;
  scheduler.After(kPause, [&scheduler, call, step, steps, run] { InSteps(scheduler, call, step + 1, steps, run); });
}

// --- Content, errors, progress, logs ---

void AddSimpleTools(Server& server, Scheduler& scheduler) {
  AddConstant(server, "test_simple_text", "Answers with a text.",
              ToolResult("This is a simple text response for testing."));
  AddConstant(server, "test_image_content", "Answers with an image.", Content({Image()}));
  AddConstant(server, "test_audio_content", "Answers with a sound.",
              Content({json::Object{{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}}}));
  AddConstant(server, "test_embedded_resource", "Answers with a resource.",
              Content({Embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
  AddConstant(
      server, "test_multiple_content_types", "Answers with a text, an image and a resource.",
      Content({TextBlock("Multiple content types test:"), Image(),
               Embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")}));
  AddConstant(server, "test_error_handling", "Fails.",
              ToolError("This tool intentionally returns an error for testing"));
  server.AddTool(MakeTool("test_tool_with_progress", "Reports progress three times.",
                          [&scheduler](const CallPtr& call, const Arguments&) {
                            InSteps(scheduler, call, 0, 4, [call](std::size_t step) {
                              if (step == 3) return call->Answer(ToolResult("done"));
                              call->Progress(50.0 * static_cast<double>(step), 100, "working");
                            });
                          }));
  for (const char* name : {"test_tool_with_logging", "test_logging_tool"}) {
    server.AddTool(
        MakeTool(name, "Writes three lines to the client's log.", [&scheduler](const CallPtr& call, const Arguments&) {
          InSteps(scheduler, call, 0, 4, [call](std::size_t step) {
            static constexpr std::array<const char*, 3> kLines{"Tool execution started", "Tool processing data",
                                                               "Tool execution completed"};
            if (step == kLines.size()) return call->Answer(ToolResult("logged"));
            call->Log("info", kLines.at(step));
          });
        }));
  }
  Tool schema = MakeTool("json_schema_2020_12_tool", "Has a schema with much of JSON Schema 2020-12.",
                         [](const CallPtr& call, const Arguments&) { call->Answer(ToolResult("valid")); });
  schema.input_schema = FromText(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                          "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                   "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                   "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false})")
                            .as_object();
  server.AddTool(std::move(schema));
  Tool header = MakeTool("test_x_mcp_header", "Has an argument that is repeated in a header.",
                         [](const CallPtr& call, const Arguments& arguments) {
                           call->Answer(ToolResult("region " + FindText(arguments, "region").value_or("not given")));
                         });
  header.input_schema = ObjectSchema({{"region", json::Object{{"type", "string"}, {"x-mcp-header", "Region"}}}});
  server.AddTool(std::move(header));
  Tool capable = MakeTool("test_missing_capability", "Needs a client that can sample.",
                          [](const CallPtr& call, const Arguments&) { call->Answer(ToolResult("it can sample")); });
  capable.client_must_be_able = {"sampling"};
  server.AddTool(std::move(capable));
}

// --- Questions to legacy clients ---

void AskAndTell(const CallPtr& call, std::string_view method, const json::Object& params,
                const std::function<std::string(const json::Object&)>& tell) {
  call->Ask(method, params, [call, tell](const Result<json::Object>& answer) {
    call->Answer(answer ? ToolResult(tell(*answer)) : ToolError(answer.error().message));
  });
}

std::string Elicited(std::string_view begin, const json::Object& answer) {
  const json::Value* content = json::Find(answer, "content");
  return std::string(begin) + ": action=" + FindText(answer, "action").value_or("none") +
         ", content=" + json::Write(content == nullptr ? json::Value(json::Object()) : *content);
}

void AddElicitation(Server& server, std::string name, const json::Value& requested) {
  server.AddTool(
      MakeTool(std::move(name), "Asks the user to fill in a form.", [requested](const CallPtr& call, const Arguments&) {
        AskAndTell(call, "elicitation/create", {{"message", "Please fill this in."}, {"requestedSchema", requested}},
                   [](const json::Object& answer) { return Elicited("Elicitation completed", answer); });
      }));
}

void AddQuestions(Server& server) {
  Tool sampling =
      MakeTool("test_sampling", "Has the client's model answer.", [](const CallPtr& call, const Arguments& arguments) {
        const json::Object message = UserMessage(TextBlock(*FindText(arguments, "prompt")));
        AskAndTell(call, "sampling/createMessage", {{"messages", json::Array{message}}, {"maxTokens", 100}},
                   [](const json::Object& answer) {
                     const json::Object* content = FindObject(answer, "content");
                     return "LLM response: " + (content == nullptr ? "" : FindText(*content, "text").value_or(""));
                   });
      });
  sampling.input_schema = ObjectSchema({{"prompt", TextSchema()}}, {"prompt"});
  server.AddTool(std::move(sampling));
  Tool elicitation =
      MakeTool("test_elicitation", "Asks the user.", [](const CallPtr& call, const Arguments& arguments) {
        AskAndTell(call, "elicitation/create",
                   {{"message", *FindText(arguments, "message")},
                    {"requestedSchema",
                     ObjectSchema({{"username", TextSchema()}, {"email", TextSchema()}}, {"username", "email"})}},
                   [](const json::Object& answer) { return Elicited("User response", answer); });
      });
  elicitation.input_schema = ObjectSchema({{"message", TextSchema()}}, {"message"});
  server.AddTool(std::move(elicitation));
  AddElicitation(server, "test_elicitation_sep1034_defaults", FromText(R"({"type": "object", "properties": {
    "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": true}}, "required": []})"));
  AddElicitation(server, "test_elicitation_sep1330_enums", FromText(R"({"type": "object", "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
      {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
      "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
      {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}},
    "required": []})"));
}

// --- Questions in results, modern ---

// State that the client carries from round to round and cannot change.
class StateSeal {
 public:
  std::string Seal(std::string_view state) const { return std::string(state) + "." + HmacSha256Base64(key_, state); }
  std::optional<std::string> Open(std::string_view sealed) const {
    const std::size_t dot = sealed.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view state = sealed.substr(0, dot);
    if (!EqualSecrets(sealed.substr(dot + 1), HmacSha256Base64(key_, state))) return std::nullopt;
    return std::string(state);
  }

 private:
  const std::string key_ = SecureToken(52);
};

json::Object AskForm(std::string_view message, std::string_view member, json::Object schema) {
  json::Object properties;
  properties[member] = std::move(schema);
  return {{"method", "elicitation/create"},
          {"params",
           json::Object{{"message", message}, {"requestedSchema", ObjectSchema(std::move(properties), {member})}}}};
}

json::Object AskModel(std::string_view text, int max_tokens) {
  return {{"method", "sampling/createMessage"},
          {"params", json::Object{{"messages", json::Array{UserMessage(TextBlock(text))}}, {"maxTokens", max_tokens}}}};
}

json::Object AskRoots() {
  return {{"method", "roots/list"}, {"params", json::Object()}};
}

json::Object InputRequired(json::Object requests, const std::string& state = {}) {
  json::Object out{{"resultType", "input_required"}, {"inputRequests", std::move(requests)}};
  if (!state.empty()) out["requestState"] = state;
  return out;
}

// The client's answer to the question with that name, if it is an object.
const json::Object* Response(const CallPtr& call, std::string_view name) {
  const json::Object* responses = FindObject(call->params(), "inputResponses");
  return responses == nullptr ? nullptr : FindObject(*responses, name);
}

// The value of the form's member, if the user accepted the form.
std::optional<std::string> Accepted(const CallPtr& call, std::string_view name, std::string_view member) {
  const json::Object* response = Response(call, name);
  if (response == nullptr || FindText(*response, "action") != "accept") return std::nullopt;
  const json::Object* content = FindObject(*response, "content");
  return content == nullptr ? std::nullopt : FindText(*content, member);
}

bool HasAll(const CallPtr& call, const json::Object& requests) {
  for (const auto& [name, request] : requests) {
    if (Response(call, json::View(name)) == nullptr) return false;
  }
  return true;
}

using Seal = std::shared_ptr<const StateSeal>;

// Asks until everything is answered, then returns `text`.
void AddRounds(Server& server, std::string name, json::Object requests, std::string text) {
  server.AddTool(
      MakeTool(std::move(name), "Needs input from the client.",
               [requests = std::move(requests), text = std::move(text)](const CallPtr& call, const Arguments&) {
                 call->Answer(HasAll(call, requests) ? ToolResult(text) : InputRequired(requests));
               }));
}

// The same with state that must come back unchanged.
void AddSealedRounds(Server& server, const std::string& name, const Seal& seal, json::Object requests,
                     std::string text) {
  server.AddTool(MakeTool(
      name, "Needs input from the client, and its state back.",
      [name, seal, requests = std::move(requests), text = std::move(text)](const CallPtr& call, const Arguments&) {
        const json::Value* state = json::Find(call->params(), "requestState");
        if (state != nullptr && (!state->is_string() || seal->Open(json::View(state->get_string())) != name)) {
          return call->Refuse({code::kInvalidParams, "Invalid params: requestState was changed", nullptr, 200});
        }
        const bool done = state != nullptr && HasAll(call, requests);
        call->Answer(done ? ToolResult(text) : InputRequired(requests, seal->Seal(name)));
      }));
}

void AddInputTools(Server& server) {
  const auto seal = std::make_shared<const StateSeal>();
  const json::Object user_name = AskForm("What is your name?", "name", TextSchema());
  server.AddTool(MakeTool("test_input_required_result_elicitation", "Needs the user's name.",
                          [user_name](const CallPtr& call, const Arguments&) {
                            const std::optional<std::string> name = Accepted(call, "user_name", "name");
                            call->Answer(name ? ToolResult("Hello, " + *name + "!")
                                              : InputRequired({{"user_name", user_name}}));
                          }));
  AddRounds(server, "test_input_required_result_sampling",
            {{"capital_question", AskModel("What is the capital of France?", 100)}}, "The model has answered.");
  AddRounds(server, "test_input_required_result_list_roots", {{"client_roots", AskRoots()}},
            "The client has named its roots.");
  const json::Object confirm = AskForm("Please confirm", "ok", {{"type", "boolean"}});
  AddSealedRounds(server, "test_input_required_result_request_state", seal, {{"confirm", confirm}}, "state-ok");
  AddSealedRounds(server, "test_input_required_result_tampered_state", seal, {{"confirm", confirm}}, "state-ok");
  AddSealedRounds(
      server, "test_input_required_result_multiple_inputs", seal,
      {{"user_name", user_name}, {"greeting", AskModel("Generate a greeting", 50)}, {"client_roots", AskRoots()}},
      "All is answered.");
  server.AddTool(MakeTool(
      "test_input_required_result_multi_round", "Needs two answers, one after the other.",
      [seal](const CallPtr& call, const Arguments&) {
        const std::string state = seal->Open(FindText(call->params(), "requestState").value_or("")).value_or("");
        const std::optional<std::string> name = Accepted(call, "step1", "name");
        const std::optional<std::string> color = Accepted(call, "step2", "color");
        if (state == "round-2" && color) return call->Answer(ToolResult("Your color is " + *color + "."));
        if (state == "round-2" || (state == "round-1" && name)) {
          return call->Answer(
              InputRequired({{"step2", AskForm("Step 2: What is your favorite color?", "color", TextSchema())}},
                            seal->Seal("round-2")));
        }
        call->Answer(InputRequired({{"step1", AskForm("Step 1: What is your name?", "name", TextSchema())}},
                                   seal->Seal("round-1")));
      }));
  for (const char* name : {"test_input_required_result_capabilities", "test_streaming_elicitation"}) {
    server.AddTool(MakeTool(name, "Asks what the client can answer, and nothing else.",
                            [user_name](const CallPtr& call, const Arguments&) {
                              json::Object requests;
                              if (call->CanDo("elicitation")) requests["user_name"] = user_name;
                              if (call->CanDo("sampling")) requests["greeting"] = AskModel("Generate a greeting", 50);
                              const bool done = HasAll(call, requests);
                              call->Answer(done ? ToolResult("All is answered.") : InputRequired(std::move(requests)));
                            }));
  }
  server.AddPrompt(
      {"test_input_required_result_prompt",
       "",
       "Needs input from the client.",
       {},
       [](const CallPtr& call, const std::map<std::string, std::string>&) {
         const std::optional<std::string> context = Accepted(call, "user_context", "context");
         if (!context) {
           return call->Answer(InputRequired(
               {{"user_context", AskForm("What context should the prompt use?", "context", TextSchema())}}));
         }
         call->Answer({{"messages", json::Array{UserMessage(TextBlock("Use " + *context + "."))}}});
       }});
}

// --- Tasks ---

void Later(Scheduler& scheduler, Duration pause, const CallPtr& call, json::Object result) {
  scheduler.After(pause, [call, result = std::move(result)] { call->Answer(result); });
}

void AddTaskTools(Server& server, Scheduler& scheduler) {
  const auto add = [&](Tool tool, Tool::AsTask as_task) {
    tool.as_task = as_task;
    server.AddTool(std::move(tool));
  };
  Tool greet = MakeTool("greet", "Greets.", [](const CallPtr& call, const Arguments& arguments) {
    call->Answer(ToolResult("Hello, " + FindText(arguments, "name").value_or("you") + "!"));
  });
  greet.input_schema = ObjectSchema({{"name", TextSchema()}});
  add(std::move(greet), Tool::AsTask::kNever);
  Tool slow = MakeTool("slow_compute", "Takes its time.", [&scheduler](const CallPtr& call, const Arguments& given) {
    const json::Value* seconds = json::Find(given, "seconds");
    const double wait = seconds == nullptr ? 0 : seconds->to_number<double>();
    const json::Object done = ToolResult("computed " + FindText(given, "label").value_or(""));
    if (wait <= 0) return call->Answer(done);
    Later(scheduler, Duration(static_cast<std::int64_t>(wait * 1e6)), call, done);
  });
  slow.input_schema = ObjectSchema(
      {{"seconds", json::Object{{"type", "number"}, {"minimum", 0}, {"maximum", 60}}}, {"label", TextSchema()}});
  add(std::move(slow), Tool::AsTask::kMay);
  add(MakeTool("failing_job", "Fails.",
               [&scheduler](const CallPtr& call, const Arguments&) {
                 Later(scheduler, kPause, call, ToolError("This job always fails."));
               }),
      Tool::AsTask::kMust);
  add(MakeTool("protocol_error_job", "Breaks.",
               [&scheduler](const CallPtr& call, const Arguments&) {
                 scheduler.After(
                     kPause, [call] { call->Refuse({code::kInternalError, "This job always breaks.", nullptr, 200}); });
               }),
      Tool::AsTask::kMust);
  const json::Object confirm = AskForm("Do you want that?", "confirm", {{"type", "boolean"}});
  Tool one = MakeTool("confirm_delete", "Needs a confirmation.", [confirm](const CallPtr& call, const Arguments&) {
    call->Need({{"confirm", confirm}}, [call = std::weak_ptr(call)](const json::Object&) {
      if (const CallPtr live = call.lock()) live->Answer(ToolResult("Done as you said."));
    });
  });
  one.input_schema = ObjectSchema({{"filename", TextSchema()}});
  add(std::move(one), Tool::AsTask::kMust);
  add(MakeTool("multi_input", "Needs two answers.",
               [confirm](const CallPtr& call, const Arguments&) {
                 call->Need({{"name", AskForm("What is your name?", "name", TextSchema())}, {"confirm", confirm}},
                            [call = std::weak_ptr(call)](const json::Object&) {
                              if (const CallPtr live = call.lock()) live->Answer(ToolResult("Both are answered."));
                            });
               }),
      Tool::AsTask::kMust);
  add(MakeTool("test_tool_with_task", "Asks for a name, then takes its time.",
               [&scheduler](const CallPtr& call, const Arguments&) {
                 const std::optional<std::string> name = Accepted(call, "user_name", "name");
                 if (name) return Later(scheduler, kPause, call, ToolResult("Hello, " + *name + "!"));
                 call->Answer(InputRequired({{"user_name", AskForm("What is your name?", "name", TextSchema())}}));
               }),
      Tool::AsTask::kMust);
}

// --- Resources and prompts ---

void AddResources(Server& server) {
  const auto add = [&](const char* uri, const char* name, const char* mime_type, json::Object contents) {
    server.AddResource({uri, name, "", "For tests.", mime_type,
                        [contents = std::move(contents)](const CallPtr& call, const std::string&,
                                                         const std::map<std::string, std::string>&) {
                          call->Answer({{"contents", json::Array{contents}}}, {.ttl_ms = 60'000, .shared = true});
                        }});
  };
  add("test://static-text", "static-text", "text/plain",
      {{"uri", "test://static-text"},
       {"mimeType", "text/plain"},
       {"text", "This is the content of the static text resource."}});
  add("test://static-binary", "static-binary", "image/png",
      {{"uri", "test://static-binary"}, {"mimeType", "image/png"}, {"blob", kPng}});
  add("test://watched-resource", "watched-resource", "text/plain",
      {{"uri", "test://watched-resource"}, {"mimeType", "text/plain"}, {"text", "Nothing happens here."}});
  server.AddResource(
      {"test://template/{id}/data", "template-data", "", "For tests.", "application/json",
       [](const CallPtr& call, const std::string& uri, const std::map<std::string, std::string>& variables) {
         const std::string& id = variables.at("id");
         call->Answer(
             ResourceText(uri, "application/json", json::Write(json::Object{{"id", id}, {"data", "Data for " + id}})),
             {.ttl_ms = 60'000, .shared = true});
       }});
}

void AddPrompts(Server& server) {
  using Given = std::map<std::string, std::string>;
  const auto add = [&](std::string name, std::vector<Prompt::Argument> arguments,
                       std::function<json::Array(const Given&)> messages) {
    server.AddPrompt({std::move(name), "", "For tests.", std::move(arguments),
                      [messages = std::move(messages)](const CallPtr& call, const Given& given) {
                        call->Answer({{"messages", messages(given)}});
                      }});
  };
  add("test_simple_prompt", {},
      [](const Given&) { return json::Array{UserMessage(TextBlock("This is a simple prompt for testing."))}; });
  add("test_prompt_with_arguments", {{"arg1", "The first", true, {}}, {"arg2", "The second", true, {}}},
      [](const Given& given) {
        return json::Array{UserMessage(
            TextBlock("Prompt with arguments: arg1='" + given.at("arg1") + "', arg2='" + given.at("arg2") + "'"))};
      });
  add("test_prompt_with_embedded_resource", {{"resourceUri", "What to embed", true, {}}}, [](const Given& given) {
    return json::Array{UserMessage(Embedded(given.at("resourceUri"), "text/plain", "Embedded resource content")),
                       UserMessage(TextBlock("Please process the embedded resource above."))};
  });
  add("test_prompt_with_image", {}, [](const Given&) {
    return json::Array{UserMessage(Image()), UserMessage(TextBlock("Please analyze the image above."))};
  });
}

}  // namespace

void AddFixtures(Server& server, Scheduler& scheduler) {
  server.OfferLegacyExtras();
  AddSimpleTools(server, scheduler);
  AddQuestions(server);
  AddInputTools(server);
  AddTaskTools(server, scheduler);
  AddResources(server);
  AddPrompts(server);
}

}  // namespace openseat::mcp
