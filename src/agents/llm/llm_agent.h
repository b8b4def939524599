// LlmAgent: a language model at a seat. Each decision becomes a question to the model, within its token budget. The
// answer goes through the answer pipeline (answer.h): it is used as received, repaired, requested once more with its
// errors, or given up with reasons. Every step is in the table's transcript.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/llm/answer.h"
#include "agents/llm/memory.h"
#include "agents/llm/model_call.h"
#include "agents/llm/models.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat::llm {

struct LlmAgentOptions {
  std::string instructions;  // added after the rules: a character, a strategy
  bool voluntary = false;    // also acts unasked: after context that is not silent, or when invited
  Duration voluntary_every = std::chrono::seconds(30);  // at most this often
  std::uint64_t seed = 0;                               // for the pauses between tries
};

class LlmAgent final : public Agent {
 public:
  // `model` and `http` outlive it.
  LlmAgent(ModelEntry& model, net::HttpCaller& http, CallPolicy policy, LlmAgentOptions options);

  std::string_view kind() const override { return "llm"; }
  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;
  void OnContext(const Context& context) override;
  void OnInvited() override;
  void OnVerdict(const Choice& choice, const Verdict& verdict) override;
  void OnEnd() override;

 private:
  // What the model is being asked: a decision or, without one, whether it wants to act.
  struct Question {
    std::optional<DecisionId> decision;
    bool ephemeral = false;
    AnswerForm form;
    std::shared_ptr<const Sight> sight;
    std::string state;             // its text, or a note about it if it is too long
    std::string query;             // with the requirements for the answer
    std::string text;              // what is kept of it in the history; "" if nothing is
    std::vector<Message> since{};  // answers and complaints
    json::Array prompt{};          // of the call in progress, if prompts are recorded
    std::string answer;            // the last one
    std::string chosen;            // what was chosen, in words
    std::string result;            // what the game replied
    bool asked_again = false;      // within this attempt
    int room = 1;                  // times the usual token limit
    std::uint64_t allowed = 0;     // tokens of the call in progress
    std::uint64_t too_little = 0;  // tokens that an answer did not fit into
    Refusals refusals{};           // what it was made with
    std::string adapted{};         // in what other way the provider wants to be asked, if that is why it refused
    std::optional<std::uint64_t> most_tokens{};  // of an answer: with more, this question is too long for the model
    // Why it is given up if it cannot be asked again.
    std::string reason{};
    json::Object details{};
  };

  // Whether nothing is left to choose: a choice that somebody made awaits its verdict, which ends the decision.
  // REQUIRES question_.
  bool IsEmptied() const;
  // Not where it is emptied.
  void Ask();
  // What the model is asked now, without the history. Its state is shortened if it is too long.
  Prompt QuestionWithin(std::size_t tokens);
  // What the model is shown of its last answer and of its errors.
  void ShowAgain(const std::string& complaint);
  void OnFailedTry(const CallFailure& failure, std::optional<Duration> wait);
  // How the question is asked instead, in words; "" if that would not help.
  std::string Adapted(const CallFailure& failure);
  void OnFailedCall(const CallFailure& failure);
  // Puts the question in another form, if the model is found to think elsewhere.
  void Reform();
  void OnAnswer(const Answered& answered);
  // `label`: what the choice is called; "" if it has no name.
  void Choose(Choice choice, const std::string& label);
  // What is left to choose if nothing else can be; nullopt if the model has to be asked.
  static std::optional<Choice> OnlyChoice(const Decision& decision);
  // Ends the question. The table's host gets `details` in addition to the reason.
  void GiveUp(const std::string& reason, json::Object details);
  // REQUIRES that there is no question. nullopt: there is no decision either.
  void GiveUpOn(std::optional<DecisionId> decision, const std::string& reason, json::Object details);
  // `what` has more than `tokens`, the most that is sent.
  void GiveUpTooLong(std::optional<DecisionId> decision, std::string_view what, std::size_t tokens);
  void AskAgain(const std::string& complaint);
  // The answer did not fit: asks with more room, or gives up.
  void AskWithMoreRoom();
  void GiveUpCutOff();
  void Count(const Answered& answered, const Judgement& judgement);
  void RecordAnswer(const Answered& answered, const Judgement& judgement, bool cut);
  FormOptions FormNow(bool may_pass) const;
  // What the model is asked of this decision, with the requirements for the answer.
  static std::string QueryOf(const Decision& decision, const AnswerForm& form);
  static std::string UnaskedQuery(const AnswerForm& form);
  void ActUnasked();
  void Record(json::Object step, std::optional<DecisionId> decision);
  // A text from the provider, for the transcript.
  std::string Recordable(const std::string& text) const;
  json::Array Recorded(const Prompt& prompt) const;
  std::string SystemPrompt() const;

  ModelEntry& entry_;
  const Model& model_;
  net::HttpCaller& http_;
  const CallPolicy policy_;
  const LlmAgentOptions options_;
  Seat* seat_ = nullptr;
  std::optional<Purse> purse_;
  std::optional<ModelCall> call_;
  Memory memory_;
  std::optional<Question> question_;
  std::optional<Instant> acted_;  // when it was last asked whether it wants to act
  ScopedTimer voluntary_timer_;
};

}  // namespace openseat::llm
