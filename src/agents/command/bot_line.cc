#include "agents/command/bot_line.h"

#include <utility>

#include "base/text.h"

namespace openseat {
namespace {

constexpr json::Limits kLineLimits{.max_bytes = kMaxBotLine, .max_depth = 32, .max_values = 5'000};
constexpr std::size_t kMostQuoted = 80;

}  // namespace

std::string StartLine(const Seat& seat) {
  return json::Write(json::Object{{"type", "start"},
                                  {"seat", std::size_t{seat.index()}},
                                  {"name", seat.name()},
                                  {"game", seat.briefing().game},
                                  {"rules", seat.briefing().text}});
}

std::string ChooseLine(const Decision& decision) {
  json::Object line{{"type", "choose"}, {"decision", decision.id.value()}, {"attempt", decision.attempt}};
  if (!decision.refusal.empty()) line["refused"] = decision.refusal;
  if (decision.sight->game() != nullptr) line["state"] = decision.sight->Observe();
  line["text"] = decision.sight->text();
  json::Array choices;
  for (const LegalChoice& legal : decision.sight->choices()) {
    json::Object choice{{"id", choices.size()}, {"label", legal.label}, {"action", legal.choice.action}};
    if (!legal.choice.data.is_null()) choice["data"] = legal.choice.data;
    choices.push_back(std::move(choice));
  }
  if (choices.empty()) {
    json::Array actions;
    for (const ActionPtr& action : decision.actions.all()) {
      json::Object described{{"name", action->name}, {"description", action->description}};
      if (action->schema) described["schema"] = *action->schema;
      actions.push_back(std::move(described));
    }
    line["actions"] = std::move(actions);
  }
  line["choices"] = std::move(choices);
  return json::Write(line);
}

bool BotLines::Add(std::string_view bytes, std::vector<std::string>& lines) {
  while (!too_long_ && !bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    too_long_ = part.size() > kMaxBotLine - rest_.size();
    if (too_long_) break;
    rest_ += part;
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (!rest_.empty()) lines.push_back(std::exchange(rest_, {}));
  }
  return !too_long_;
}

Result<Choice> ReadBotLine(std::string_view line, const Decision& decision) {
  const auto wrong = [line] {
    return Fail(ErrorCode::kParse,
                "an answer is one line, {\"choice\": ID} or {\"action\": NAME, \"data\": …}; got \"" +
                    Ellipsize(EscapeControls(SanitizeUtf8(line.substr(0, kMaxBotLine))), kMostQuoted) + "\"");
  };
  const Result<json::Value> read = json::Parse(line, kLineLimits);
  if (!read) return wrong();
  Choice choice;
  choice.decision = decision.id;
  if (const std::string_view action = json::TextOf(read->if_object(), "action"); !action.empty()) {
    choice.action = action;
    if (const json::Value* data = json::Find(*read, "data")) choice.data = *data;
    return choice;
  }
  const json::Value* id = read->is_object() ? json::Find(*read, "choice") : &*read;
  if (id == nullptr || !id->is_int64()) return wrong();
  const std::vector<LegalChoice>& choices = decision.sight->choices();
  if (id->get_int64() < 0 || static_cast<std::size_t>(id->get_int64()) >= choices.size()) {
    // The referee tells the bot, which may do better.
    choice.action = "choice " + json::Write(*id);
    return choice;
  }
  const PlayedChoice& legal = choices[static_cast<std::size_t>(id->get_int64())].choice;
  choice.action = legal.action;
  choice.data = legal.data;
  return choice;
}

}  // namespace openseat
