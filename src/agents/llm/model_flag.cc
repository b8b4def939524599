// The form of --model.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agents/llm/model.h"

namespace openseat::llm {
namespace {

// "ftp://host", "127.0.0.1:11434/v1", "localhost:8080".
bool LooksLikeAddress(std::string_view text) {
  if (text.find("://") != std::string_view::npos) return true;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view port = text.substr(colon + 1, text.find('/', colon) - colon - 1);
  return !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
}

// The value of an option: JSON where it is a number, a word of JSON or a table; else the text itself.
json::Value OptionValue(std::string_view text) {
  if (!text.empty() && std::string_view("-0123456789{tf").find(text.front()) != std::string_view::npos) {
    if (Result<json::Value> value = json::Parse(text); value && !value->is_string()) return std::move(*value);
  }
  return json::Value(text);
}

// The name of the option that `text` begins with, if "=" follows; "" if there is none.
std::string_view OptionAt(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals == std::string_view::npos ? 0 : equals);
  return IsModelOption(name) ? name : std::string_view();
}

// The first word of `text` between a comma and "=", as a misspelled option has it; "" if there is none.
std::string_view StrayOption(std::string_view text) {
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    const std::string_view rest = text.substr(comma + 1);
    const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
    if (end != 0 && end != std::string_view::npos && rest[end] == '=') return rest.substr(0, end);
  }
  return {};
}

// Takes the options off the end of `text`.
Result<json::Object> TakeOptions(std::string_view& text) {
  json::Object options;
  std::size_t comma = text.find(',');
  while (comma != std::string_view::npos && OptionAt(text.substr(comma + 1)).empty()) comma = text.find(',', comma + 1);
  if (comma == std::string_view::npos) return options;
  std::string_view rest = text.substr(comma + 1);
  text = text.substr(0, comma);
  while (!rest.empty()) {
    const std::string_view name = OptionAt(rest);
    std::size_t end = rest.find(',', name.size());
    while (end != std::string_view::npos && OptionAt(rest.substr(end + 1)).empty()) end = rest.find(',', end + 1);
    const std::string_view value =
        rest.substr(name.size() + 1, end == std::string_view::npos ? end : end - name.size() - 1);
    if (name == "provider" || name == "model" || name == "base_url") {
      return Fail(ErrorCode::kInvalid, "a model's " + std::string(name) + " stands before its options",
                  std::string(name));
    }
    if (name == "api_key") {
      return Fail(ErrorCode::kInvalid, "others can see a command line: name the key's variable with api_key_env",
                  "api_key");
    }
    if (const std::string_view stray = StrayOption(value); !stray.empty() && !value.starts_with('{')) {
      return Fail(NoModelOption(stray));
    }
    if (!options.emplace(name, OptionValue(value)).second) {
      return Fail(ErrorCode::kInvalid, "the option " + std::string(name) + " is given twice", std::string(name));
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return options;
}

}  // namespace

Result<Model> ParseModelFlag(std::string_view text, const Environment& environment) {
  Result<json::Object> options = TakeOptions(text);
  if (!options) return Fail(options.error());
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.find(':', equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || colon == std::string_view::npos) {
    return Fail(
        ErrorCode::kInvalid,
        "a model is NAME=PROVIDER:MODEL@URL,OPTION=VALUE, as in big=openai:gpt-4o@https://host/v1,effort=high; got \"" +
            std::string(text) + "\"");
  }
  std::string_view model = text.substr(colon + 1);
  if (const std::string_view stray = StrayOption(model); !stray.empty()) return Fail(NoModelOption(stray));
  (*options)["provider"] = text.substr(equals + 1, colon - equals - 1);
  std::size_t at = std::min(model.find("@http://"), model.find("@https://"));
  if (at != std::string_view::npos) {
    const std::string_view url = model.substr(at + 1);
    if (url.find_first_of(" \t\r\n") != std::string_view::npos) {
      return Fail(ErrorCode::kInvalid, "a model's URL has no blanks; got \"" + std::string(url) + "\"");
    }
    (*options)["base_url"] = url;
    model = model.substr(0, at);
  } else if (at = model.rfind('@'); at != std::string_view::npos && LooksLikeAddress(model.substr(at + 1))) {
    // Model names may contain "@", too; but text that was meant as an address would go to the provider's own.
    return Fail(ErrorCode::kInvalid,
                "a model's URL begins with http:// or https://; got \"" + std::string(model.substr(at + 1)) + "\"");
  }
  (*options)["model"] = model;
  return ParseModel(std::string(text.substr(0, equals)), *options, environment);
}

}  // namespace openseat::llm
