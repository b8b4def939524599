#include "protocols/openenv/choices.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "agents/llm/answer.h"
#include "base/text.h"

namespace openseat::openenv {
namespace {

constexpr std::size_t kMostText = 256u << 10;  // bytes of an answer. docs/protocols/openenv.md has the number

Choice ToChoice(const LegalChoice& legal) {
  return {.action = legal.choice.action, .data = legal.choice.data};
}

const LegalChoice* FindId(const Sight& sight, std::size_t id) {
  const std::vector<LegalChoice>& choices = sight.choices();
  for (std::size_t place = 0; place < choices.size(); ++place) {
    if (IdOf(sight.game()->info(), choices[place], place) == id) return &choices[place];
  }
  return nullptr;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return begin == text.size() ? std::string_view() : text.substr(begin, end - begin + 1);
}

// An id, a label, or the name of an action; nullopt for any other text.
std::optional<Result<Choice>> ShortChoice(const json::Value& value, const json::Value& data, const Decision& decision) {
  const Sight& sight = *decision.sight;
  std::optional<std::size_t> id;
  std::string_view text;
  if (value.is_string()) {
    text = Trimmed(json::View(value.get_string()));
    std::size_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) id = number;
  } else if (value.is_number()) {
    const auto number = value.to_number<double>();
    if (json::IsInteger(value) && number >= 0 && number < 1e15) id = static_cast<std::size_t>(number);
    if (!id) {
      return Fail(ErrorCode::kNoSuchAction, "a choice is the id of one that is listed; got " + json::Excerpt(value),
                  "choice");
    }
  }
  if (id) {
    if (const LegalChoice* legal = FindId(sight, *id)) return ToChoice(*legal);
    return Fail(ErrorCode::kNoSuchAction, "no legal choice has the id " + std::to_string(*id) + " now", "choice");
  }
  if (text.empty()) return std::nullopt;
  if (decision.actions.Find(text) != nullptr || (sight.game() != nullptr && !data.is_null())) {
    return Choice{.action = std::string(text), .data = data};
  }
  for (const LegalChoice& legal : sight.choices()) {
    if (EqualsIgnoringCase(legal.label, text)) return ToChoice(legal);
  }
  // Legal, though not offered: giving up, an any_time question.
  const auto& actions = sight.game()->info().actions;
  if (std::ranges::find(actions, text, &ActionSpec::name) != actions.end()) {
    return Choice{.action = std::string(text), .data = data};
  }
  return std::nullopt;
}

}  // namespace

std::size_t CatalogOf(const GameInfo& game) {
  return game.moves_complete && game.max_moves <= kMaxCatalog ? game.max_moves : 0;
}

std::size_t IdOf(const GameInfo& game, const LegalChoice& choice, std::size_t place) {
  return CatalogOf(game) > 0 ? choice.move : place;
}

Result<StepAction> ReadAction(const json::Value& data) {
  const json::Object* object = data.if_object();
  if (object == nullptr) {
    return Fail(ErrorCode::kInvalid, "an action must be an object; got " + std::string(json::TypeName(data)));
  }
  StepAction action;
  const json::Value* choice = json::Find(*object, "choice");
  if (choice == nullptr) {
    action.choice = data;
  } else if (choice->is_string() || choice->is_number() || choice->is_object()) {
    action.choice = *choice;
  } else {
    action.choice = json::Excerpt(*choice, kMostText);
  }
  for (const auto& member : *object) {
    const std::string_view name = json::KeyOf(member);
    if (name == "data" && choice != nullptr) {
      action.data = member.value();
    } else if (name == "seat") {
      const json::Value& seat = member.value();
      if (seat.is_null()) continue;
      if (!seat.is_int64() || seat.get_int64() < 0) {
        return Fail(ErrorCode::kInvalid, "seat must be the number of a seat; got " + json::Excerpt(seat), "seat");
      }
      action.seat = static_cast<std::size_t>(seat.get_int64());
    }
  }
  return action;
}

bool IsWait(const StepAction& action) {
  return action.choice == json::Value("wait");
}

Result<Choice> ChoiceOf(const StepAction& action, const Decision& decision) {
  if (!action.choice.is_object()) {
    if (auto chosen = ShortChoice(action.choice, action.data, decision)) return std::move(*chosen);
  }
  const std::string text = action.choice.is_object() ? json::Excerpt(action.choice, kMostText)
                                                     : std::string(json::View(action.choice.get_string()));
  // An excerpt that was cut is longer.
  if (text.size() > kMostText) {
    return Fail(ErrorCode::kTooLarge, "an answer has at most 256 KiB", "choice");
  }
  std::optional<Result<Choice>> listed;
  llm::JudgeRules rules;
  rules.clean = [&](const json::Value& read) {
    const json::Object* object = read.if_object();
    if (object == nullptr) return;
    const json::Value* given = json::Find(*object, "data");
    const json::Value data = given == nullptr ? json::Value() : *given;
    if (const json::Value* id = json::Find(*object, "choice")) {
      listed = ShortChoice(*id, data, decision);
    } else if (const std::string_view name = json::TextOf(object, "action"); decision.actions.Find(name) != nullptr) {
      listed = Choice{.action = std::string(name), .data = data};
    }
  };
  llm::Judgement judgement =
      llm::JudgeAnswer(llm::AnswerForm(decision.actions, {.thinking = llm::Thinking::kFree}), text, rules);
  if (listed) return std::move(*listed);
  if (judgement.ok() && judgement.choice->has_value()) return std::move(**judgement.choice);
  return Fail(
      ErrorCode::kIncorrectData,
      "an answer is the id or label of a listed choice, {\"choice\": ID}, or {\"action\": NAME, \"data\": …}; got " +
          Quote(text),
      "choice");
}

}  // namespace openseat::openenv
