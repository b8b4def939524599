#include "app/terminal_text.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace openseat::app {
namespace {

// Characters, as a terminal counts them; wide ones count as one.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// "**bold**" and "`code`" as "bold" and "code".
std::string Plain(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_bold = line.substr(i, 2) == "**";
    if (!is_bold && line[i] != '`') plain += line[i];
    i += is_bold ? 1 : 0;
  }
  return plain;
}

void Wrap(std::string_view line, std::size_t columns, std::string& out) {
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  out += line.substr(0, indent);
  line.remove_prefix(indent);
  std::size_t used = indent;
  if (line.starts_with("- ") || line.starts_with("* ")) indent += 2;
  for (bool is_first = true; !line.empty(); is_first = false) {
    const std::string_view word = line.substr(0, std::min(line.find(' ', 1), line.size()));
    line.remove_prefix(word.size());
    if (!is_first && used + WidthOf(word) > columns) {
      out += '\n';
      out.append(indent, ' ');
      out += Trimmed(word);
      used = indent + WidthOf(Trimmed(word));
    } else {
      out += word;
      used += WidthOf(word);
    }
  }
}

}  // namespace

std::string ForTerminal(std::string_view markdown, std::size_t columns) {
  std::string out;
  while (true) {
    const std::size_t end = markdown.find('\n');
    const std::string line = Plain(markdown.substr(0, end));
    // A board is drawn with several spaces: its lines stay whole.
    const bool is_prose = Trimmed(line).find("  ") == std::string_view::npos;
    if (columns > 0 && is_prose) {
      Wrap(line, columns, out);
    } else {
      out += line;
    }
    if (end == std::string_view::npos) return out;
    out += '\n';
    markdown.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> ChosenBy(std::string_view typed, const std::vector<LegalChoice>& choices) {
  typed = Trimmed(typed);
  const auto named = std::ranges::find_if(
      choices, [&](const LegalChoice& choice) { return EqualsIgnoringCase(Trimmed(choice.label), typed); });
  if (named != choices.end()) return static_cast<std::size_t>(named - choices.begin());
  if (typed.starts_with('[') && typed.ends_with(']')) typed = Trimmed(typed.substr(1, typed.size() - 2));
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  const bool is_number = error == std::errc() && end == typed.data() + typed.size();
  if (!is_number || number < 1 || number > choices.size()) return std::nullopt;
  return number - 1;
}

bool IsFree(const ActionSpec& action) {
  const json::Value* members = json::Find(action.schema, "properties");
  return members != nullptr && members->is_object() && json::Find(action.schema, "enum") == nullptr &&
         std::ranges::any_of(members->get_object(),
                             [](const auto& member) { return json::Find(member.value(), "enum") == nullptr; });
}

json::Value TypedValue(std::string_view typed, const json::Value& schema) {
  typed = Trimmed(typed);
  const json::Value* listed = json::Find(schema, "enum");
  const std::size_t count = listed != nullptr && listed->is_array() ? listed->get_array().size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const json::Value& value = listed->get_array()[i];
    if (value.is_string() && EqualsIgnoringCase(json::View(value.get_string()), typed)) return value;
  }
  if (json::TextOf(schema, "type") == "string") return json::Value(typed);
  return json::Parse(typed).value_or(json::Value(typed));
}

}  // namespace openseat::app
