#include "testing/provider_check.h"

#include <algorithm>
#include <set>

#include "schema/generate/generate.h"
#include "schema/schema.h"
#include "testing/dialect_check.h"

namespace openseat::testing {
namespace {

using Faults = std::vector<std::string>;

constexpr int kMaxDepth = 64;

const json::Value* Member(const json::Value* value, std::string_view name) {
  return value == nullptr ? nullptr : json::Find(*value, name);
}

std::string Text(const json::Value* value) {
  return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
}

void OnlyMembers(const json::Value& value, const std::set<std::string>& known, const std::string& where,
                 Faults& faults) {
  if (!value.is_object()) {
    faults.push_back(where + " must be an object");
    return;
  }
  for (const auto& member : value.get_object()) {
    const std::string name(member.key());
    if (!known.contains(name)) faults.push_back(where + " has no member \"" + name + "\"");
  }
}

void Header(const ProviderRequest& request, const std::string& name, const std::string& expected, Faults& faults) {
  const auto found = request.headers.find(name);
  const std::string value = found == request.headers.end() ? "" : found->second;
  if (value != expected)
    faults.push_back("the header " + name + " must be \"" + expected + "\"; got \"" + value + "\"");
}

// Roles alternate, and the user has the first and the last word; texts are not empty.
void Conversation(const std::vector<std::pair<std::string, std::string>>& turns, const std::string& other,
                  Faults& faults) {
  if (turns.empty()) faults.emplace_back("there is no message");
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const std::string& expected = i % 2 == 0 ? "user" : other;
    if (turns[i].first != expected)
      faults.push_back("message " + std::to_string(i) + " must be the " + expected + "'s");
    if (turns[i].second.empty()) faults.push_back("message " + std::to_string(i) + " is empty");
  }
  if (turns.size() % 2 == 0) faults.emplace_back("the last message must be the user's");
}

// The text of a message's content: a string, or a list of blocks with texts.
std::string ContentText(const json::Value* content, Faults& faults) {
  if (content == nullptr || !content->is_array()) return Text(content);
  std::string text;
  for (const json::Value& block : content->get_array()) {
    OnlyMembers(block, {"type", "text", "cache_control"}, "a block", faults);
    if (Text(Member(&block, "type")) != "text" || Text(Member(&block, "text")).empty()) {
      faults.emplace_back("a block must have a text");
    }
    if (const json::Value* mark = Member(&block, "cache_control")) {
      if (json::Write(*mark) != R"({"type":"ephemeral"})") faults.emplace_back("cache_control must be ephemeral");
    }
    text += (text.empty() ? "" : "\n\n") + Text(Member(&block, "text"));
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> Turns(const json::Value& body, std::string_view member,
                                                       Faults& faults) {
  std::vector<std::pair<std::string, std::string>> turns;
  const json::Value* messages = Member(&body, member);
  if (messages == nullptr || !messages->is_array()) return turns;
  for (const json::Value& message : messages->get_array()) {
    OnlyMembers(message, {"role", "content"}, "a message", faults);
    turns.emplace_back(Text(Member(&message, "role")), ContentText(Member(&message, "content"), faults));
  }
  return turns;
}

void WholeNumber(const json::Value& body, std::string_view name, Faults& faults) {
  const json::Value* value = Member(&body, name);
  if (value == nullptr || !json::IsInteger(*value)) faults.push_back(std::string(name) + " must be a whole number");
}

// OpenAI's {"type": "json_schema", …}, whose members are nested in chat completions.
void Format(const json::Value& format, const json::Value* inner, const std::string& texts, Faults& faults) {
  const std::string type = Text(Member(&format, "type"));
  if (type == "json_object") {
    if (texts.find("JSON") == std::string::npos) faults.emplace_back("json_object needs the word JSON in a message");
    return;
  }
  if (type != "json_schema") {
    faults.push_back("there is no format \"" + type + "\"");
    return;
  }
  if (Text(Member(inner, "name")).empty()) faults.emplace_back("json_schema needs a name");
  const json::Value* schema = Member(inner, "schema");
  const json::Value* strict = Member(inner, "strict");
  if (schema == nullptr || strict == nullptr || !strict->is_bool()) {
    faults.emplace_back("json_schema needs strict and schema");
  } else if (strict->get_bool()) {
    for (std::string& fault : OpenAiStrictFaults(*schema)) faults.push_back(std::move(fault));
  }
}

void OpenAi(const ProviderRequest& request, std::string_view key, Faults& faults) {
  const json::Value& body = request.body;
  if (request.path != "/chat/completions") faults.push_back("there is no " + request.path);
  Header(request, "authorization", "Bearer " + std::string(key), faults);
  OnlyMembers(body,
              {"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature",
               "top_p", "response_format", "seed", "reasoning_effort", "provider"},
              "the request", faults);
  if (Text(Member(&body, "model")).empty()) faults.emplace_back("model must be a string");
  if (Member(&body, "stream_options") != nullptr && !WantsStream(request)) {
    faults.emplace_back("stream_options needs stream");
  }
  if (Member(&body, "max_tokens") != nullptr && Member(&body, "max_completion_tokens") != nullptr) {
    faults.emplace_back("there is one token limit");
  }
  auto turns = Turns(body, "messages", faults);
  if (turns.empty() || turns.front().first != "system") {
    faults.emplace_back("the first message must be the system's");
  } else {
    turns.erase(turns.begin());
  }
  Conversation(turns, "assistant", faults);
  const json::Value* format = Member(&body, "response_format");
  if (format != nullptr) Format(*format, Member(format, "json_schema"), json::Write(body.at("messages")), faults);
}

void Responses(const ProviderRequest& request, std::string_view key, Faults& faults) {
  const json::Value& body = request.body;
  if (request.path != "/responses") faults.push_back("there is no " + request.path);
  Header(request, "authorization", "Bearer " + std::string(key), faults);
  OnlyMembers(body,
              {"model", "instructions", "input", "stream", "store", "max_output_tokens", "temperature", "top_p",
               "reasoning", "text"},
              "the request", faults);
  if (Text(Member(&body, "instructions")).empty()) faults.emplace_back("instructions must be a string");
  WholeNumber(body, "max_output_tokens", faults);
  if (const json::Value* reasoning = Member(&body, "reasoning")) {
    OnlyMembers(*reasoning, {"effort", "summary"}, "reasoning", faults);
  }
  Conversation(Turns(body, "input", faults), "assistant", faults);
  const json::Value* format = Member(Member(&body, "text"), "format");
  if (format != nullptr) Format(*format, format, json::Write(body), faults);
}

void Gemini(const ProviderRequest& request, std::string_view key, Faults& faults) {
  const json::Value& body = request.body;
  if (!request.path.starts_with("/models/") ||
      !(request.path.ends_with(":generateContent") || request.path.ends_with(":streamGenerateContent?alt=sse"))) {
    faults.push_back("there is no " + request.path);
  }
  Header(request, "x-goog-api-key", std::string(key), faults);
  OnlyMembers(body, {"systemInstruction", "contents", "generationConfig"}, "the request", faults);
  const auto text_of = [&](const json::Value* content) {
    const json::Value* parts = Member(content, "parts");
    std::string text;
    if (parts == nullptr || !parts->is_array()) return text;
    for (const json::Value& part : parts->get_array()) {
      OnlyMembers(part, {"text"}, "a part", faults);
      text += Text(Member(&part, "text"));
    }
    return text;
  };
  if (text_of(Member(&body, "systemInstruction")).empty()) faults.emplace_back("systemInstruction must have a text");
  std::vector<std::pair<std::string, std::string>> turns;
  if (const json::Value* contents = Member(&body, "contents"); contents != nullptr && contents->is_array()) {
    for (const json::Value& content : contents->get_array()) {
      OnlyMembers(content, {"role", "parts"}, "a content", faults);
      turns.emplace_back(Text(Member(&content, "role")), text_of(&content));
    }
  }
  Conversation(turns, "model", faults);
  const json::Value* config = Member(&body, "generationConfig");
  if (config == nullptr) return;
  OnlyMembers(*config,
              {"maxOutputTokens", "temperature", "topP", "topK", "seed", "responseMimeType", "responseJsonSchema",
               "thinkingConfig"},
              "generationConfig", faults);
  if (const json::Value* thinking = Member(config, "thinkingConfig")) {
    OnlyMembers(*thinking, {"includeThoughts", "thinkingLevel", "thinkingBudget"}, "thinkingConfig", faults);
    const std::string level = Text(Member(thinking, "thinkingLevel"));
    if (!level.empty() && !std::set<std::string>{"MINIMAL", "LOW", "MEDIUM", "HIGH"}.contains(level)) {
      faults.push_back("there is no thinkingLevel " + level);
    }
  }
  if (const json::Value* schema = Member(config, "responseJsonSchema")) {
    if (Text(Member(config, "responseMimeType")) != "application/json") {
      faults.emplace_back("responseJsonSchema needs responseMimeType application/json");
    }
    for (std::string& fault : GeminiSchemaFaults(*schema)) faults.push_back(std::move(fault));
  }
}

void Anthropic(const ProviderRequest& request, std::string_view key, Faults& faults) {
  const json::Value& body = request.body;
  if (request.path != "/messages") faults.push_back("there is no " + request.path);
  Header(request, "x-api-key", std::string(key), faults);
  Header(request, "anthropic-version", "2023-06-01", faults);
  OnlyMembers(body,
              {"model", "max_tokens", "system", "messages", "stream", "temperature", "top_p", "thinking",
               "output_config", "tools", "tool_choice"},
              "the request", faults);
  WholeNumber(body, "max_tokens", faults);
  if (ContentText(Member(&body, "system"), faults).empty()) faults.emplace_back("system must have a text");
  Conversation(Turns(body, "messages", faults), "assistant", faults);
  const std::string written = json::Write(body);
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = written.find("\"cache_control\":", at)) != std::string::npos; ++at) ++marks;
  if (marks > 4) faults.emplace_back("there are at most four marks for the cache");
  const json::Value* thinking = Member(&body, "thinking");
  if (thinking != nullptr && Text(Member(thinking, "type")) == "enabled") {
    const json::Value* budget = Member(thinking, "budget_tokens");
    if (budget == nullptr || budget->to_number<int>() < 1'024 ||
        budget->to_number<int>() >= body.at("max_tokens").to_number<int>()) {
      faults.emplace_back("budget_tokens must be at least 1024, and less than max_tokens");
    }
  } else if (thinking != nullptr && Text(Member(thinking, "type")) != "adaptive") {
    faults.emplace_back("thinking is enabled or adaptive");
  }
  if (const json::Value* config = Member(&body, "output_config")) {
    OnlyMembers(*config, {"effort", "format"}, "output_config", faults);
    if (const json::Value* format = Member(config, "format")) {
      OnlyMembers(*format, {"type", "schema"}, "output_config.format", faults);
      const json::Value* schema = Member(format, "schema");
      if (Text(Member(format, "type")) != "json_schema" || schema == nullptr) {
        faults.emplace_back("output_config.format must be a json_schema");
      } else {
        for (std::string& fault : CommonSchemaFaults(*schema)) faults.push_back(std::move(fault));
      }
    }
  }
  const json::Value* tools = Member(&body, "tools");
  if (tools == nullptr) return;
  if (!tools->is_array() || tools->get_array().size() != 1) {
    faults.emplace_back("one tool was expected");
    return;
  }
  if (thinking != nullptr) faults.emplace_back("thinking may not be enabled when tool_choice forces tool use");
  const json::Value& tool = tools->get_array().front();
  OnlyMembers(tool, {"name", "description", "input_schema"}, "a tool", faults);
  const json::Value* choice = Member(&body, "tool_choice");
  if (choice == nullptr || Text(Member(choice, "type")) != "tool" ||
      Text(Member(choice, "name")) != Text(Member(&tool, "name"))) {
    faults.emplace_back("tool_choice must name the tool");
  }
  const json::Value* schema = Member(&tool, "input_schema");
  if (schema == nullptr) {
    faults.emplace_back("a tool needs an input_schema");
  } else {
    for (std::string& fault : AnthropicSchemaFaults(*schema)) faults.push_back(std::move(fault));
  }
}

std::optional<json::Value> Generated(std::string_view schema_text, Rng& rng) {
  const auto source = json::Parse(schema_text);
  if (!source) return std::nullopt;
  const auto schema = schema::Schema::Compile(*source);
  if (!schema) return std::nullopt;
  auto value = schema::Generate(**schema, rng);
  if (!value) return std::nullopt;
  return std::move(*value);
}

std::string_view LineFrom(std::string_view text, std::size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

Faults RequestFaults(const ProviderRequest& request, std::string_view key) {
  Faults faults;
  Header(request, "content-type", "application/json", faults);
  if (request.provider == "openai") OpenAi(request, key, faults);
  if (request.provider == "responses") Responses(request, key, faults);
  if (request.provider == "gemini") Gemini(request, key, faults);
  if (request.provider == "anthropic") Anthropic(request, key, faults);
  return faults;
}

bool WantsStream(const ProviderRequest& request) {
  const json::Value* stream = Member(&request.body, "stream");
  return (stream != nullptr && *stream == json::Value(true)) ||
         request.path.find(":streamGenerateContent") != std::string::npos;
}

std::vector<std::string> TextsOf(const ProviderRequest& request) {
  Faults ignored;
  std::vector<std::string> texts;
  const auto add_parts = [&](const json::Value* content) {
    const json::Value* parts = Member(content, "parts");
    if (parts == nullptr || !parts->is_array()) return;
    for (const json::Value& part : parts->get_array()) texts.push_back(Text(Member(&part, "text")));
  };
  if (const json::Value* system = Member(&request.body, "system")) texts.push_back(ContentText(system, ignored));
  if (const json::Value* system = Member(&request.body, "instructions")) texts.push_back(Text(system));
  add_parts(Member(&request.body, "systemInstruction"));
  for (const char* list : {"messages", "input"}) {
    for (const auto& [role, text] : Turns(request.body, list, ignored)) texts.push_back(text);
  }
  if (const json::Value* contents = Member(&request.body, "contents"); contents != nullptr && contents->is_array()) {
    for (const json::Value& content : contents->get_array()) add_parts(&content);
  }
  return texts;
}

const json::Value* AnswerSchemaOf(const ProviderRequest& request) {
  const json::Value* body = &request.body;
  if (request.provider == "openai") {
    return Member(Member(Member(body, "response_format"), "json_schema"), "schema");
  }
  if (request.provider == "responses") return Member(Member(Member(body, "text"), "format"), "schema");
  if (request.provider == "gemini") return Member(Member(body, "generationConfig"), "responseJsonSchema");
  if (const json::Value* format = Member(Member(body, "output_config"), "format")) return Member(format, "schema");
  const json::Value* tools = Member(body, "tools");
  if (tools == nullptr || !tools->is_array() || tools->get_array().empty()) return nullptr;
  return Member(&tools->get_array().front(), "input_schema");
}

std::optional<json::Value> GoodAnswer(const ProviderRequest& request, Rng& rng) {
  constexpr std::string_view kBare = "It is one JSON object that fits this JSON Schema:\n";
  constexpr std::string_view kActions = "You may choose one of these actions:\n";
  constexpr std::string_view kData = "  data fits this JSON Schema: ";
  constexpr std::string_view kChoices = "Your choices:\n";
  std::string all;
  for (const std::string& text : TextsOf(request)) all += text + "\n";
  const std::size_t bare = all.rfind(kBare);
  const std::size_t list = all.rfind(kActions);
  if (const std::size_t choices = all.rfind(kChoices); choices != std::string::npos) {
    std::size_t count = 0;
    for (std::size_t at = choices + kChoices.size(); at < all.size();) {
      const std::string_view line = LineFrom(all, at);
      if (!line.starts_with(std::to_string(count + 1) + ": ")) break;
      ++count;
      at += line.size() + 1;
    }
    if (count == 0) return std::nullopt;
    json::Object answer;
    if (all.find("{\"reasoning\": ", choices) != std::string::npos) answer["reasoning"] = "It looks good.";
    answer["choice"] = std::to_string(1 + rng.Below(count));
    return answer;
  }
  if (bare != std::string::npos && (list == std::string::npos || bare > list)) {
    return Generated(LineFrom(all, bare + kBare.size()), rng);
  }
  if (list == std::string::npos) return std::nullopt;
  struct Choice {
    std::string name;
    std::string schema;  // "": without data
  };
  std::vector<Choice> choices;
  for (std::size_t at = list + kActions.size(); at < all.size();) {
    const std::string_view line = LineFrom(all, at);
    if (line.starts_with("- \"")) {
      choices.push_back({std::string(line.substr(3, line.find('"', 3) - 3)), ""});
    } else if (line.starts_with(kData) && !choices.empty()) {
      choices.back().schema = std::string(line.substr(kData.size()));
    } else if (line.starts_with("Your answer is")) {
      break;
    }
    at += line.size() + 1;
  }
  std::erase_if(choices, [](const Choice& choice) { return choice.name.starts_with("do_nothing"); });
  if (choices.empty()) return std::nullopt;
  const Choice& choice = choices[rng.Below(choices.size())];
  json::Object answer;
  if (all.find("{\"reasoning\": ", list) != std::string::npos) answer["reasoning"] = "It looks good.";
  answer["action"] = choice.name;
  if (!choice.schema.empty()) {
    auto data = Generated(choice.schema, rng);
    if (!data) return std::nullopt;
    answer["data"] = std::move(*data);
  }
  return answer;
}

void FillNulls(const json::Value& schema, json::Value& answer, int depth) {
  if (depth > kMaxDepth) return;
  if (json::Array* list = answer.if_array()) {
    if (const json::Value* items = json::Find(schema, "items")) {
      for (json::Value& item : *list) FillNulls(*items, item, depth + 1);
    }
    return;
  }
  json::Object* object = answer.if_object();
  const json::Value* properties = json::Find(schema, "properties");
  if (object == nullptr || properties == nullptr || !properties->is_object()) return;
  for (const auto& member : properties->get_object()) {
    if (json::Value* there = object->if_contains(member.key())) {
      FillNulls(member.value(), *there, depth + 1);
    } else {
      (*object)[member.key()] = nullptr;
    }
  }
}

}  // namespace openseat::testing
