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
constexpr int kMostRoom = 4;  // times the usual token limit
// Of what happened in a hosted game: its question says how things stand, so the rest is of little use.
constexpr std::size_t kHistoryTokens = 350;
// When a model is asked again, its own answer and the list of errors may take one part in this many of the tokens of a
// request.
constexpr std::size_t kAnswerShare = 4;
constexpr std::size_t kComplaintShare = 16;

// What may be too long.
constexpr std::string_view kActions = "the actions alone have too many tokens";
constexpr std::string_view kQuestion = "the question alone has too many tokens";
constexpr std::size_t kMostBytesPerToken = 4;

// Whether what a game elsewhere says has more than so many tokens, told from its size alone: it may be megabytes.
bool IsFarTooLong(const Decision& decision, std::size_t tokens) {
  if (decision.sight->game() != nullptr) return false;  // it may have a shorter text
  const std::size_t bytes = decision.sight->text().size() + decision.query.size() + decision.refusal.size();
  return bytes / kMostBytesPerToken > tokens;
}

double Milliseconds(Duration time) {
  return static_cast<double>(time.count()) / 1000;
}

// "0.4", rounded up, for people.
std::string Seconds(Duration time) {
  const auto tenths = std::chrono::ceil<std::chrono::duration<std::int64_t, std::deci>>(time).count();
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
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

const char* CodeOf(const CallFailure& failure) {
  if (failure.too_large) return "too-large";
  return failure.error.code == ErrorCode::kTimeout ? "timeout" : "provider";
}

json::Object ToJson(const Usage& usage) {
  return {{"input", usage.input},
          {"cached", usage.cached},
          {"created", usage.created},
          {"output", usage.output},
          {"reasoning", usage.reasoning}};
}

const char* OutcomeOf(const Judgement& judgement) {
  if (judgement.ok()) return judgement.strict ? "strict" : "mended";
  return judgement.issues.empty() ? "unreadable" : "invalid";
}

}  // namespace

LlmAgent::LlmAgent(ModelEntry& model, net::HttpCaller& http, CallPolicy policy, LlmAgentOptions options)
    : entry_(model),
      model_(model.model),
      http_(http),
      policy_(policy),
      options_(std::move(options)),
      memory_(model.model.request_tokens()) {}

void LlmAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  purse_.emplace(model_, entry_.SpendingAt(seat.table()), entry_.daily, entry_.stats, seat.scheduler().clock());
  call_.emplace(model_, entry_.gate, *purse_, http_, seat.scheduler(), policy_.patience, options_.seed);
}

void LlmAgent::OnContext(const Context& context) {
  memory_.Add(Role::kUser, context.message, context.ephemeral);
  if (!context.silent && options_.voluntary) ActUnasked();
}

void LlmAgent::OnInvited() {
  if (options_.voluntary) ActUnasked();
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
  if (question_->form.thinking() == Thinking::kFree) {
    return out +
           "\n\nEnd every answer with exactly one JSON object, as the request describes it, and nothing after it. What "
           "you write before it is for yourself: nobody reads it.";
  }
  return out +
         "\n\nAnswer every request with exactly one JSON object and nothing else: no Markdown, no code fence, no "
         "comment, no text before or after it. Keep to the form that is given with the request.";
}

// --- Asking ---

FormOptions LlmAgent::FormNow(bool may_pass) const {
  return {.may_pass = may_pass, .thinking = ThinkingOf(model_, entry_.quirks.For(seat_->payer_address()))};
}

std::string LlmAgent::QueryOf(const Decision& decision, const AnswerForm& form) {
  std::string query = decision.query.empty() ? "" : decision.query + "\n\n";
  if (!decision.refusal.empty()) query += "An earlier choice was refused: " + decision.refusal + "\n\n";
  return query + form.Describe();
}

std::string LlmAgent::UnaskedQuery(const AnswerForm& form) {
  return "Nothing is asked of you just now, but you may act if it makes sense.\n\n" + form.Describe();
}

std::optional<Choice> LlmAgent::OnlyChoice(const Decision& decision) {
  Choice choice;
  choice.decision = decision.id;
  if (HasListedChoices(decision)) {
    if (decision.sight->choices().size() > 1) return std::nullopt;
    const PlayedChoice& only = decision.sight->choices().front().choice;
    choice.action = only.action;
    choice.data = only.data;
    return choice;
  }
  const Action& first = *decision.actions.all().front();
  if (decision.actions.size() > 1 || first.schema) return std::nullopt;
  choice.action = first.name;
  return choice;
}

void LlmAgent::OnDecision(const Decision& decision) {
  call_->Cancel();
  if (std::optional<Choice> only = OnlyChoice(decision)) {
    question_.reset();
    static_cast<void>(seat_->Choose(std::move(*only)));
    return;
  }
  if (AnswerForm::TooLong(decision, model_.action_tokens())) {
    question_.reset();
    return GiveUpTooLong(decision.id, kActions, model_.action_tokens());
  }
  if (IsFarTooLong(decision, model_.request_tokens())) {
    question_.reset();
    return GiveUpTooLong(decision.id, kQuestion, model_.request_tokens());
  }
  AnswerForm form = AnswerForm::For(decision, FormNow(false));
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
  std::string text;
  if (!decision.ephemeral && decision.sight->game() == nullptr) {
    text = decision.sight->text();
    if (!text.empty() && !decision.query.empty()) text += "\n\n";
    text += decision.query;
  }
  std::string query = QueryOf(decision, form);
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
  if (!seat_->reachable()) return;
  const Instant now = seat_->scheduler().clock().Monotonic();
  if (acted_ && now - *acted_ < options_.voluntary_every) {
    voluntary_timer_.Set(seat_->scheduler(), options_.voluntary_every - (now - *acted_), [this] { ActUnasked(); });
    return;
  }
  acted_ = now;
  if (AnswerForm::TooLong(seat_->actions(), model_.action_tokens())) {
    return GiveUpTooLong(std::nullopt, kActions, model_.action_tokens());
  }
  AnswerForm form(seat_->actions(), FormNow(true));
  std::string query = UnaskedQuery(form);
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
    AddMessages(prompt.messages, question_->since);
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

bool LlmAgent::IsEmptied() const {
  const Decision* const decision = seat_->decision();
  return decision != nullptr && question_->decision == decision->id && decision->actions.empty();
}

void LlmAgent::Ask() {
  if (IsEmptied()) return;
  const std::size_t context = model_.request_tokens();
  Prompt prompt = QuestionWithin(context);
  const std::size_t needed = EstimateTokens(prompt);
  if (needed > context) {
    if (const std::string reason = question_->reason; !reason.empty()) {
      return GiveUp(reason, json::Object(std::move(question_->details)));
    }
    const std::optional<DecisionId> decision = question_->decision;
    question_.reset();
    return GiveUpTooLong(decision, "the question alone has about " + std::to_string(needed) + " tokens", context);
  }
  const std::size_t history = question_->sight->game() != nullptr ? kHistoryTokens : context;
  const std::vector<Message> question =
      std::exchange(prompt.messages, memory_.Recall(std::min(history, context - needed)));
  if (!prompt.messages.empty()) {
    prompt.stable_end = {prompt.messages.size() - 1, prompt.messages.back().parts.size() - 1};
  }
  AddMessages(prompt.messages, question);
  question_->refusals = entry_.quirks.For(seat_->payer_address());
  std::uint64_t wanted = model_.max_tokens * static_cast<std::uint64_t>(question_->room);
  for (const std::optional<std::uint64_t>& most : {question_->refusals.most_tokens, question_->most_tokens}) {
    wanted = std::min(wanted, most.value_or(wanted));
  }
  net::HttpCall call = MakeCall(model_, question_->refusals, prompt, question_->form, wanted);
  // All that is sent may cost something, also the form that the answer must have.
  const Result<std::uint64_t> allowed = purse_->SetAside(MostTokens(call.body), wanted);
  if (!allowed) return GiveUp(allowed.error().message, json::Object{{"code", "cap"}});
  if (*allowed <= question_->too_little) {
    purse_->Settle({});
    return GiveUpCutOff();
  }
  question_->allowed = *allowed;
  if (policy_.record_prompts) question_->prompt = Recorded(prompt);
  if (*allowed < wanted) call = MakeCall(model_, question_->refusals, prompt, question_->form, *allowed);
  call_->Start(
      std::move(call), EstimateTokens(prompt), seat_->payer_address(),
      [this](const CallFailure& failure, std::optional<Duration> wait) { OnFailedTry(failure, wait); },
      [this](const tl::expected<Answered, CallFailure>& answered) {
        if (!answered) return OnFailedCall(answered.error());
        OnAnswer(*answered);
      });
}

void LlmAgent::OnFailedCall(const CallFailure& failure) {
  if (!std::exchange(question_->adapted, {}).empty()) {
    if (IsEmptied()) return;
    Reform();
    return Ask();
  }
  json::Object details{{"code", CodeOf(failure)}, {"status", failure.status}};
  if (failure.permanent) details["permanent"] = true;
  if (failure.wait) details["wait_ms"] = Milliseconds(*failure.wait);
  GiveUp(entry_.redact(failure.error.message), std::move(details));
}

void LlmAgent::Reform() {
  const bool unasked = !question_->decision;
  const FormOptions now = FormNow(unasked);
  if (now.thinking == question_->form.thinking()) return;
  const Decision* decision = seat_->decision();
  if (unasked) {
    question_->form = AnswerForm(question_->form.actions(), now);
    question_->query = UnaskedQuery(question_->form);
  } else if (decision != nullptr && decision->id == *question_->decision) {
    question_->form = AnswerForm::For(*decision, now);
    question_->query = QueryOf(*decision, question_->form);
  }
}

std::string LlmAgent::Adapted(const CallFailure& failure) {
  if (const std::optional<std::uint64_t> fewer = FewerTokens(failure, question_->allowed)) {
    question_->most_tokens = fewer;
    return "for an answer of at most " + std::to_string(*fewer) + " tokens this time";
  }
  const std::string what =
      entry_.quirks.Learn(model_, failure, question_->refusals, question_->allowed, seat_->payer_address());
  return what.empty() ? what : what + " from now on";
}

void LlmAgent::OnFailedTry(const CallFailure& failure, std::optional<Duration> wait) {
  entry_.stats.Update([](ModelStats& stats) { ++stats.failures; });
  const std::string message = entry_.redact(failure.error.message);
  if (!wait) question_->adapted = Adapted(failure);
  const std::string& adapted = question_->adapted;
  log::From(seat_->payer_address())
      .Warn("model {}: {}{}", model_.name, message,
            !adapted.empty() ? "; asking " + adapted
            : wait           ? "; trying again in " + Seconds(*wait) + " s"
                             : "");
  json::Object step{{"step", "failure"}, {"message", message}};
  if (failure.status != 0) step["status"] = failure.status;
  if (wait) step["wait_ms"] = Milliseconds(*wait);
  if (!adapted.empty()) {
    step["adapted"] = "asked " + adapted;
  } else if (failure.permanent) {
    step["permanent"] = true;
  }
  Record(std::move(step), question_->decision);
}

// --- Answers ---

void LlmAgent::OnAnswer(const Answered& answered) {
  const Reply& reply = answered.reply;
  Judgement judgement;
  if (reply.refusal) {
    judgement.parse_error = "the model declined to answer: " + *reply.refusal;
  } else {
    // A provider that repeats a key must not bring it into the game, and so into the journal.
    judgement = JudgeAnswer(question_->form, entry_.redact(reply.text),
                            {.null_leaves_out = LeavesOutByNull(model_, question_->refusals, question_->form),
                             .clean = [this](json::Value& read) { entry_.redact.RedactAll(read); }});
  }
  // What was cut may have been a number, a text or a list: it is never completed by guessing.
  const bool cut = reply.cut_off && !reply.refusal && !(judgement.ok() && judgement.strict);
  Count(answered, judgement);
  RecordAnswer(answered, judgement, cut);
  if (cut) return AskWithMoreRoom();

  question_->answer = reply.text;
  if (judgement.ok()) {
    if (*judgement.choice) return Choose(std::move(**judgement.choice), judgement.label);
    question_.reset();  // it prefers to do nothing
    return;
  }
  std::string wrong = judgement.issues.empty() ? judgement.parse_error : schema::Explain(judgement.issues);
  json::Object details{{"code", reply.refusal          ? "declined"
                                : judgement.readable() ? "schema"
                                                       : "parse"},
                       {"raw", Recordable(reply.text)}};
  if (!judgement.strict) details["parse_error"] = entry_.redact(judgement.parse_error);
  if (!judgement.issues.empty()) details["issues"] = IssuesOf(judgement, entry_.redact);
  if (judgement.read) details["data"] = std::move(*judgement.read);
  if (!question_->asked_again) {
    question_->reason = entry_.redact("no valid answer, and too much to ask again: " + wrong);
    question_->details = std::move(details);
    return AskAgain(reply.refusal ? "- You declined to answer: " + *reply.refusal : Complaint(judgement));
  }
  GiveUp(entry_.redact("no valid answer, also when asked again: " + wrong), std::move(details));
}

void LlmAgent::Count(const Answered& answered, const Judgement& judgement) {
  const Reply& reply = answered.reply;
  entry_.stats.Update([&](ModelStats& stats) {
    ++stats.calls;
    ++stats.answers;
    stats.mended += judgement.ok() && judgement.mended && !reply.cut_off ? 1 : 0;
    stats.illegal += judgement.issues.empty() || reply.cut_off ? 0 : 1;
    stats.cut_off += reply.cut_off ? 1 : 0;
    stats.declined += reply.refusal ? 1 : 0;
    stats.usage += *reply.usage;
    stats.cost += model_.Cost(*reply.usage);
    if (stats.latencies.size() < kMaxLatencies) {
      stats.latencies.push_back(static_cast<float>(Milliseconds(answered.latency)));
    }
  });
}

void LlmAgent::RecordAnswer(const Answered& answered, const Judgement& judgement, bool cut) {
  const Reply& reply = answered.reply;
  json::Object step{{"step", "answer"},
                    {"text", Recordable(reply.text)},
                    {"outcome", reply.refusal ? "declined"
                                : cut         ? "cut-off"
                                              : OutcomeOf(judgement)},
                    {"usage", ToJson(*reply.usage)},
                    {"tokens_in", reply.usage->tokens_in()},
                    {"tokens_out", reply.usage->output},
                    {"ms", Milliseconds(answered.latency)}};
  if (model_.priced()) step["cost"] = model_.Cost(*reply.usage);
  if (answered.tries > 1) step["tries"] = answered.tries;
  if (!reply.request_id.empty()) step["request_id"] = entry_.redact(reply.request_id);
  if (policy_.record_prompts) step["prompt"] = std::move(question_->prompt);
  if (!reply.stop.empty()) step["stop"] = entry_.redact(SanitizeUtf8(reply.stop));
  if (const std::string thoughts = reply.reasoning + judgement.reasoning; !thoughts.empty()) {
    step["reasoning"] = Recordable(thoughts);
  }
  if (!judgement.strict) step["parse_error"] = entry_.redact(judgement.parse_error);
  if (!judgement.fixes.empty()) {
    json::Array fixes;
    for (const schema::Fix fix : judgement.fixes) fixes.emplace_back(schema::FixName(fix));
    step["fixes"] = std::move(fixes);
  }
  if (!judgement.issues.empty()) step["issues"] = IssuesOf(judgement, entry_.redact);
  Record(std::move(step), question_->decision);
}

void LlmAgent::AskWithMoreRoom() {
  if (question_->room >= kMostRoom) return GiveUpCutOff();
  if (question_->room == 1) {
    AddMessage(question_->since, Role::kUser, "Your last answer was too long and was cut off. Be brief.");
  }
  question_->room *= 2;
  question_->too_little = question_->allowed;
  entry_.stats.Update([](ModelStats& stats) { ++stats.reasked; });
  Ask();
}

void LlmAgent::GiveUpCutOff() {
  GiveUp("the answer did not fit into " + std::to_string(question_->allowed) + " tokens",
         json::Object{{"code", "cut-off"}});
}

void LlmAgent::ShowAgain(const std::string& complaint) {
  const std::size_t context = model_.request_tokens();
  if (question_->answer.find_first_not_of(" \t\r\n") != std::string::npos) {
    AddMessage(question_->since, Role::kAssistant, BeginningOf(question_->answer, context / kAnswerShare));
  }
  AddMessage(question_->since, Role::kUser, complaint);
}

void LlmAgent::AskAgain(const std::string& complaint) {
  entry_.stats.Update([](ModelStats& stats) { ++stats.reasked; });
  question_->asked_again = true;
  ShowAgain("That answer cannot be used:\n" + BeginningOf(complaint, model_.request_tokens() / kComplaintShare) +
            "\nAnswer again, corrected, in the form that was asked for.");
  Ask();
}

void LlmAgent::Choose(Choice choice, const std::string& label) {
  choice.decision = question_->decision;
  question_->chosen = label.empty() ? "You chose \"" + choice.action + "\"" +
                                          (choice.data.is_null() ? "" : " " + json::Write(choice.data))
                                    : "You chose: " + label;
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
  if (verdict.kind == Verdict::Kind::kRefused) entry_.stats.Update([](ModelStats& stats) { ++stats.illegal; });
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
  const std::optional<DecisionId> decision = question_->decision;
  question_.reset();
  GiveUpOn(decision, reason, std::move(details));
}

void LlmAgent::GiveUpTooLong(std::optional<DecisionId> decision, std::string_view what, std::size_t tokens) {
  std::string reason(what);
  reason += tokens == model_.context_tokens ? ", and context_tokens is " : ", and no model is sent more than ";
  GiveUpOn(decision, reason + std::to_string(tokens), json::Object{{"code", "too-large"}});
}

void LlmAgent::GiveUpOn(std::optional<DecisionId> decision, const std::string& reason, json::Object details) {
  entry_.stats.Update([](ModelStats& stats) { ++stats.given_up; });
  Record(json::Object{{"step", "give-up"}, {"message", reason}}, decision);
  log::From(seat_->payer_address()).Warn("model {} at {}: {}", model_.name, seat_->table().str(), reason);
  // Must be last: the table may end with it. If the decision is over, there is nothing to give up.
  if (decision) static_cast<void>(seat_->GiveUp(*decision, reason, std::move(details)));
}

json::Array LlmAgent::Recorded(const Prompt& prompt) const {
  // A model may have repeated its key, which then is in the history.
  json::Array messages{json::Object{{"role", "system"}, {"content", entry_.redact(prompt.system)}}};
  for (const Message& message : prompt.messages) {
    messages.push_back(json::Object{{"role", message.role == Role::kUser ? "user" : "assistant"},
                                    {"content", entry_.redact(message.text())}});
  }
  return messages;
}

std::string LlmAgent::Recordable(const std::string& text) const {
  // Cut before it is examined, behind a secret that begins within what is recorded.
  const std::string_view all = text;
  return Ellipsize(entry_.redact(SanitizeUtf8(all.substr(0, 2 * kMaxRecordedText))), kMaxRecordedText);
}

void LlmAgent::Record(json::Object step, std::optional<DecisionId> decision) {
  step["model"] = model_.name;
  if (decision) step["decision"] = decision->value();
  seat_->RecordModel(std::move(step));
}

}  // namespace openseat::llm
