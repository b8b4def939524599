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

void OpenAi(const ProviderRequest& request, std::string_view key, Faults& faults) {
  const json::Value& body = request.body;
  if (request.path != "/chat/completions") faults.push_back("there is no " + request.path);
  Header(request, "authorization", "Bearer " + std::string(key), faults);
  OnlyMembers(body,
              {"model", "messages", "stream", "max_tokens", "max_completion_tokens", "temperature", "top_p",
               "response_format", "seed"},
              "the request", faults);
  if (Text(Member(&body, "model")).empty()) faults.emplace_back("model must be a string");
  std::vector<std::pair<std::string, std::string>> turns;
  if (const json::Value* messages = Member(&body, "messages"); messages != nullptr && messages->is_array()) {
    for (const json::Value& message : messages->get_array()) {
      OnlyMembers(message, {"role", "content"}, "a message", faults);
      turns.emplace_back(Text(Member(&message, "role")), Text(Member(&message, "content")));
    }
  }
  if (turns.empty() || turns.front().first != "system") {
    faults.emplace_back("the first message must be the system's");
  } else {
    turns.erase(turns.begin());
  }
  Conversation(turns, "assistant", faults);
  const json::Value* format = Member(&body, "response_format");
  if (format == nullptr) return;
  const std::string type = Text(Member(format, "type"));
  if (type == "json_schema") {
    const json::Value* inner = Member(format, "json_schema");
    if (Text(Member(inner, "name")).empty()) faults.emplace_back("json_schema needs a name");
    const json::Value* schema = Member(inner, "schema");
    const json::Value* strict = Member(inner, "strict");
    if (schema == nullptr || strict == nullptr || !strict->is_bool()) {
      faults.emplace_back("json_schema needs strict and schema");
    } else if (strict->get_bool()) {
      for (std::string& fault : OpenAiStrictFaults(*schema)) faults.push_back(std::move(fault));
    }
  } else if (type == "json_object") {
    const std::string all = json::Write(body.at("messages"));
    if (all.find("JSON") == std::string::npos) faults.emplace_back("json_object needs the word JSON in a message");
  } else {
    faults.push_back("there is no response_format \"" + type + "\"");
  }
}

void Gemini(const ProviderRequest& request, std::string_view key, Faults& faults) {
  const json::Value& body = request.body;
  if (!request.path.starts_with("/models/") || !request.path.ends_with(":generateContent")) {
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
  OnlyMembers(*config, {"maxOutputTokens", "temperature", "topP", "responseMimeType", "responseJsonSchema"},
              "generationConfig", faults);
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
  OnlyMembers(body, {"model", "max_tokens", "system", "messages", "temperature", "top_p", "tools", "tool_choice"},
              "the request", faults);
  const json::Value* most = Member(&body, "max_tokens");
  if (most == nullptr || !json::IsInteger(*most)) faults.emplace_back("max_tokens must be a whole number");
  if (Text(Member(&body, "system")).empty()) faults.emplace_back("system must be a string");
  std::vector<std::pair<std::string, std::string>> turns;
  if (const json::Value* messages = Member(&body, "messages"); messages != nullptr && messages->is_array()) {
    for (const json::Value& message : messages->get_array()) {
      OnlyMembers(message, {"role", "content"}, "a message", faults);
      turns.emplace_back(Text(Member(&message, "role")), Text(Member(&message, "content")));
    }
  }
  Conversation(turns, "assistant", faults);
  const json::Value* tools = Member(&body, "tools");
  if (tools == nullptr) return;
  if (!tools->is_array() || tools->get_array().size() != 1) {
    faults.emplace_back("one tool was expected");
    return;
  }
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
  if (request.provider == "gemini") Gemini(request, key, faults);
  if (request.provider == "anthropic") Anthropic(request, key, faults);
  return faults;
}

std::vector<std::string> TextsOf(const ProviderRequest& request) {
  std::vector<std::string> texts;
  const auto add_parts = [&](const json::Value* content) {
    const json::Value* parts = Member(content, "parts");
    if (parts == nullptr || !parts->is_array()) return;
    for (const json::Value& part : parts->get_array()) texts.push_back(Text(Member(&part, "text")));
  };
  if (const json::Value* system = Member(&request.body, "system")) texts.push_back(Text(system));
  add_parts(Member(&request.body, "systemInstruction"));
  if (const json::Value* messages = Member(&request.body, "messages"); messages != nullptr && messages->is_array()) {
    for (const json::Value& message : messages->get_array()) texts.push_back(Text(Member(&message, "content")));
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
  if (request.provider == "gemini") return Member(Member(body, "generationConfig"), "responseJsonSchema");
  const json::Value* tools = Member(body, "tools");
  if (tools == nullptr || !tools->is_array() || tools->get_array().empty()) return nullptr;
  return Member(&tools->get_array().front(), "input_schema");
}

std::optional<json::Value> GoodAnswer(const ProviderRequest& request, Rng& rng) {
  constexpr std::string_view kBare = "It is one JSON object that fits this JSON Schema:\n";
  constexpr std::string_view kActions = "You may choose one of these actions:\n";
  constexpr std::string_view kData = "  data fits this JSON Schema: ";
  std::string all;
  for (const std::string& text : TextsOf(request)) all += text + "\n";
  const std::size_t bare = all.rfind(kBare);
  const std::size_t list = all.rfind(kActions);
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
  json::Object answer{{"action", choice.name}};
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
