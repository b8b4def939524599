#include "agents/llm/llm_agent.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "schema/repair/repair.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxRecordedText = 64u << 10;  // of one answer
constexpr std::size_t kMaxLatencies = 100'000;
// Of what happened in a hosted game: its question says how things stand, so the rest is of little use.
constexpr std::size_t kHistoryTokens = 350;
// When a model is asked again, its own answer and the list of errors may take one part in this many of the tokens of a
// request.
constexpr std::size_t kAnswerShare = 4;
constexpr std::size_t kComplaintShare = 16;

double Milliseconds(Duration time) {
  return static_cast<double>(time.count()) / 1000;
}

json::Array IssuesOf(const Judgement& judgement, const Redactor& redact) {
  json::Array issues;
  for (const schema::Violation& issue : judgement.issues) {
    issues.push_back(json::Object{{"path", issue.instance_path},
                                  {"pointer", issue.instance_pointer},
                                  {"keyword", issue.keyword},
                                  {"message", redact(issue.message)}});
  }
  return issues;
}

const char* OutcomeOf(const Judgement& judgement) {
  if (judgement.ok()) return judgement.strict ? "strict" : "mended";
  return judgement.issues.empty() ? "unreadable" : "invalid";
}

}  // namespace

LlmAgent::LlmAgent(ModelEntry& model, net::HttpCaller& http, LlmAgentOptions options)
    : entry_(model),
      model_(model.model),
      http_(http),
      options_(std::move(options)),
      memory_(static_cast<std::size_t>(model.model.context_tokens)) {}

void LlmAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  spending_ = entry_.SpendingAt(seat.table());
  call_.emplace(model_, http_, seat.scheduler(), options_.seed);
}

void LlmAgent::OnContext(const Context& context) {
  memory_.Add(Role::kUser, context.message, context.ephemeral);
  if (!context.silent && options_.voluntary) ActUnasked();
}

void LlmAgent::OnEnd() {
  call_->Cancel();
  voluntary_timer_.Cancel();
  question_.reset();
}

std::string LlmAgent::SystemPrompt() const {
  const Briefing& briefing = seat_->briefing();
  std::string out = briefing.text;
  if (out.empty()) {
    out = briefing.game.empty() ? "You play a game." : "You play the game \"" + briefing.game + "\".";
    out +=
        " You are told what happens in it, and asked what to do; you act by choosing among the actions that are named.";
  }
  if (!options_.instructions.empty()) out += "\n\n" + options_.instructions;
  return out +
         "\n\nAnswer every request with exactly one JSON object and nothing else: no Markdown, no code fence, no "
         "comment, no text before or after it. Keep to the JSON Schema that is given with the request.";
}

// --- Asking ---

void LlmAgent::OnDecision(const Decision& decision) {
  call_->Cancel();
  AnswerForm form(decision.actions);
  if (decision.actions.size() == 1 && !decision.actions.all().front()->schema) {
    // There is nothing to choose.
    question_.reset();
    Choice choice;
    choice.action = decision.actions.all().front()->name;
    choice.decision = decision.id;
    static_cast<void>(seat_->Choose(std::move(choice)));
    return;
  }
  if (question_ && question_->decision == decision.id && !question_->answer.empty()) {
    // Another attempt: the game refused what was chosen.
    std::string complaint = "That was refused: " + decision.refusal + "\nChoose again.";
    if (const std::string choices = form.Describe(); choices != question_->form.Describe())
      complaint += "\n\n" + choices;
    ShowAgain(complaint);
    question_->form = std::move(form);
    question_->asked_again = false;
    question_->reason.clear();
    return Ask();
  }
  std::string text = decision.sight->text();
  if (!text.empty() && !decision.query.empty()) text += "\n\n";
  text += decision.query;
  std::string query = decision.query.empty() ? "" : decision.query + "\n\n";
  if (!decision.refusal.empty()) query += "An earlier choice was refused: " + decision.refusal + "\n\n";
  query += form.Describe();
  question_.emplace(Question{.decision = decision.id,
                             .ephemeral = decision.ephemeral,
                             .form = std::move(form),
                             .sight = decision.sight,
                             .state = decision.sight->text(),
                             .query = std::move(query),
                             .text = std::move(text),
                             .answer = {},
                             .chosen = {},
                             .result = {}});
  Ask();
}

void LlmAgent::ActUnasked() {
  if (question_ || seat_->decision() != nullptr || seat_->awaiting() != nullptr || seat_->actions().empty()) return;
  const Instant now = seat_->scheduler().clock().Monotonic();
  if (acted_ && now - *acted_ < options_.voluntary_every) {
    voluntary_timer_.Set(seat_->scheduler(), options_.voluntary_every - (now - *acted_), [this] { ActUnasked(); });
    return;
  }
  acted_ = now;
  AnswerForm form(seat_->actions(), true);
  std::string query = "Nothing is asked of you just now, but you may act if it makes sense.\n\n" + form.Describe();
  question_.emplace(Question{.decision = std::nullopt,
                             .ephemeral = true,
                             .form = std::move(form),
                             .sight = Sight::None(),
                             .state = {},
                             .query = std::move(query),
                             .text = {},
                             .answer = {},
                             .chosen = {},
                             .result = {}});
  Ask();
}

Prompt LlmAgent::QuestionWithin(std::size_t tokens) {
  const auto asked = [this](const std::string& state) {
    Prompt prompt;
    prompt.system = SystemPrompt();
    const char* gap = state.empty() ? "" : state.ends_with('\n') ? "\n" : "\n\n";
    AddMessage(prompt.messages, Role::kUser, state + gap + question_->query);
    for (const Message& message : question_->since) AddMessage(prompt.messages, message.role, message.text);
    return prompt;
  };
  Prompt prompt = asked(question_->state);
  if (question_->since.size() > 2 && EstimateTokens(prompt) > tokens) {
    question_->since.erase(question_->since.begin(), question_->since.end() - 2);  // all but the last answer
    prompt = asked(question_->state);
  }
  const std::size_t needed = EstimateTokens(prompt);
  const std::size_t state = EstimateTokens(question_->state);
  if (needed <= tokens || needed - state >= tokens) return prompt;
  // Subtract one for rounding.
  std::string shorter = question_->sight->TextWithin(tokens - (needed - state) - 1);
  if (shorter.empty() || EstimateTokens(shorter) >= state) return prompt;
  question_->state = std::move(shorter);
  return asked(question_->state);
}

void LlmAgent::Ask() {
  const auto context = static_cast<std::size_t>(model_.context_tokens);
  Prompt prompt = QuestionWithin(context);
  const std::size_t needed = EstimateTokens(prompt);
  if (needed > context) {
    if (const std::string reason = question_->reason; !reason.empty()) {
      return GiveUp(reason, json::Object(std::move(question_->details)));
    }
    return GiveUp("the question alone has about " + std::to_string(needed) + " tokens, and context_tokens is " +
                      std::to_string(context),
                  json::Object{{"code", "too-large"}});
  }
  const std::size_t history = question_->sight->game() != nullptr ? kHistoryTokens : context;
  const std::vector<Message> question =
      std::exchange(prompt.messages, memory_.Recall(std::min(history, context - needed)));
  for (const Message& message : question) AddMessage(prompt.messages, message.role, message.text);
  const Result<std::uint64_t> allowed = spending_->Allow(model_, EstimateTokens(prompt));
  if (!allowed) return GiveUp(allowed.error().message, json::Object{{"code", "cap"}});
  call_->Start(
      MakeCall(model_, prompt, question_->form, *allowed),
      [this](const CallFailure& failure, std::optional<Duration> wait) { OnFailedTry(failure, wait); },
      [this, estimate = EstimateTokens(prompt)](tl::expected<Answered, CallFailure> answered) {
        if (answered) {
          if (!answered->reply.usage) answered->reply.usage = Usage{estimate, EstimateTokens(answered->reply.text)};
          return OnAnswer(*answered);
        }
        const CallFailure& failure = answered.error();
        json::Object details{{"code", failure.error.code == ErrorCode::kTimeout ? "timeout" : "provider"},
                             {"status", failure.status}};
        if (failure.wait) details["wait_ms"] = Milliseconds(*failure.wait);
        GiveUp(entry_.redact(failure.error.message), std::move(details));
      });
}

void LlmAgent::OnFailedTry(const CallFailure& failure, std::optional<Duration> wait) {
  entry_.stats.Update([](ModelStats& stats) { ++stats.failures; });
  const std::string message = entry_.redact(failure.error.message);
  log::Warn("model {}: {}{}", model_.name, message, wait ? "; trying again" : "");
  json::Object step{{"step", "failure"}, {"message", message}};
  if (failure.status != 0) step["status"] = failure.status;
  if (wait) step["wait_ms"] = Milliseconds(*wait);
  Record(std::move(step));
}

// --- Answers ---

void LlmAgent::OnAnswer(const Answered& answered) {
  const Reply& reply = answered.reply;
  spending_->Add(model_, *reply.usage);
  Judgement judgement;
  if (reply.refusal) {
    judgement.parse_error = judgement.mend_error = "the model declined to answer: " + *reply.refusal;
  } else {
    // A provider that repeats a key must not bring it into the game, and so into the journal.
    judgement = JudgeAnswer(question_->form, entry_.redact(reply.text),
                            {.null_leaves_out = LeavesOutByNull(model_, question_->form),
                             .clean = [this](json::Value& read) { entry_.redact.RedactAll(read); }});
  }
  const double cost = model_.Cost(reply.usage->input_tokens, reply.usage->output_tokens);
  entry_.stats.Update([&](ModelStats& stats) {
    ++stats.calls;
    ++stats.answers;
    stats.mended += judgement.ok() && judgement.mended ? 1 : 0;
    stats.illegal += judgement.issues.empty() ? 0 : 1;
    stats.usage.input_tokens += reply.usage->input_tokens;
    stats.usage.output_tokens += reply.usage->output_tokens;
    stats.cost += cost;
    if (stats.latencies.size() < kMaxLatencies) {
      stats.latencies.push_back(static_cast<float>(Milliseconds(answered.latency)));
    }
  });
  json::Object step{{"step", "answer"},
                    {"text", Ellipsize(entry_.redact(SanitizeUtf8(reply.text)), kMaxRecordedText)},
                    {"outcome", reply.refusal ? "declined" : OutcomeOf(judgement)},
                    {"tokens_in", reply.usage->input_tokens},
                    {"tokens_out", reply.usage->output_tokens},
                    {"ms", Milliseconds(answered.latency)}};
  if (model_.input_price > 0 || model_.output_price > 0) step["cost"] = cost;
  if (reply.cut_off) step["cut_off"] = true;
  if (!judgement.strict) step["parse_error"] = entry_.redact(judgement.parse_error);
  if (!judgement.fixes.empty()) {
    json::Array fixes;
    for (const schema::Fix fix : judgement.fixes) fixes.emplace_back(schema::FixName(fix));
    step["fixes"] = std::move(fixes);
  }
  if (!judgement.issues.empty()) step["issues"] = IssuesOf(judgement, entry_.redact);
  Record(std::move(step));

  question_->answer = reply.text;
  if (judgement.ok()) {
    if (*judgement.choice) return Choose(std::move(**judgement.choice));
    question_.reset();  // it prefers to do nothing
    return;
  }
  std::string wrong = judgement.issues.empty() ? judgement.parse_error : schema::Explain(judgement.issues);
  json::Object details{{"code", reply.refusal          ? "declined"
                                : judgement.readable() ? "schema"
                                                       : "parse"},
                       {"raw", Ellipsize(entry_.redact(SanitizeUtf8(reply.text)), kMaxRecordedText)}};
  if (!judgement.strict) details["parse_error"] = entry_.redact(judgement.parse_error);
  if (!judgement.issues.empty()) details["issues"] = IssuesOf(judgement, entry_.redact);
  if (judgement.read) details["data"] = std::move(*judgement.read);
  if (!question_->asked_again) {
    question_->reason = entry_.redact("no valid answer, and too much to ask again: " + wrong);
    question_->details = std::move(details);
    return AskAgain(Complaint(judgement));
  }
  GiveUp(entry_.redact("no valid answer, also when asked again: " + wrong), std::move(details));
}

void LlmAgent::ShowAgain(const std::string& complaint) {
  const auto context = static_cast<std::size_t>(model_.context_tokens);
  if (!question_->answer.empty()) {
    AddMessage(question_->since, Role::kAssistant, BeginningOf(question_->answer, context / kAnswerShare));
  }
  AddMessage(question_->since, Role::kUser, complaint);
}

void LlmAgent::AskAgain(const std::string& complaint) {
  entry_.stats.Update([](ModelStats& stats) { ++stats.reasked; });
  question_->asked_again = true;
  ShowAgain("That answer cannot be used:\n" +
            BeginningOf(complaint, static_cast<std::size_t>(model_.context_tokens) / kComplaintShare) +
            "\nGive the whole answer again, corrected: one JSON object and nothing else.");
  Ask();
}

void LlmAgent::Choose(Choice choice) {
  choice.decision = question_->decision;
  question_->chosen =
      "You chose \"" + choice.action + "\"" + (choice.data.is_null() ? "" : " " + json::Write(choice.data));
  // Must be last: a refusal comes back as the next attempt, or the decision is over and was told so.
  const bool asked = question_->decision.has_value();
  if (!seat_->Choose(std::move(choice)) && !asked) question_.reset();
}

void LlmAgent::OnVerdict(const Choice& choice, const Verdict& verdict) {
  // A hosted game says what happened, also if a person chose.
  const bool hosted = verdict.accepted() && !verdict.result.is_null();
  if (hosted && !verdict.message.empty()) memory_.Add(Role::kUser, verdict.message);
  if (!choice.by.empty()) {
    // A person chose; the model did not, whatever it said before.
    if (question_ && verdict.accepted()) question_->chosen.clear();
    return;
  }
  if (!verdict.accepted()) entry_.stats.Update([](ModelStats& stats) { ++stats.illegal; });
  if (!question_ || question_->chosen.empty()) return;
  question_->result = verdict.message;
  if (choice.decision || question_->decision) return;  // the end of the decision says the rest
  memory_.Add(Role::kUser, question_->chosen + (verdict.accepted() ? ": done." : ": refused.") +
                               (verdict.message.empty() ? "" : " " + verdict.message));
  question_.reset();
}

void LlmAgent::OnDecisionEnded(DecisionId decision, DecisionEnd end) {
  if (question_ && question_->decision == decision) {
    call_->Cancel();
    // What happened in a hosted game, the verdict said.
    const bool hosted = question_->sight->game() != nullptr;
    if (end == DecisionEnd::kSettled && !question_->chosen.empty() && !hosted) {
      if (question_->ephemeral) {
        memory_.Add(Role::kUser, question_->chosen + "." + (question_->result.empty() ? "" : " " + question_->result));
      } else {
        memory_.Add(Role::kUser, std::move(question_->text));
        memory_.Add(Role::kAssistant, std::move(question_->answer));
        if (!question_->result.empty()) memory_.Add(Role::kUser, std::move(question_->result));
      }
    }
    question_.reset();
  }
  memory_.DropEphemeral();
}

void LlmAgent::GiveUp(const std::string& reason, json::Object details) {
  entry_.stats.Update([](ModelStats& stats) { ++stats.given_up; });
  Record(json::Object{{"step", "give-up"}, {"message", reason}});
  log::Warn("model {} at {}: {}", model_.name, seat_->table().str(), reason);
  const std::optional<DecisionId> decision = question_->decision;
  question_.reset();
  // Must be last: the table may end with it. If the decision is over, there is nothing to give up.
  if (decision) static_cast<void>(seat_->GiveUp(*decision, reason, std::move(details)));
}

void LlmAgent::Record(json::Object step) {
  step["model"] = model_.name;
  if (question_ && question_->decision) step["decision"] = question_->decision->value();
  seat_->RecordModel(std::move(step));
}

}  // namespace openseat::llm
