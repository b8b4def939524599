// The pure part of the answer pipeline: what an answer to a decision must look like, and what to make of a given
// answer. The same for every game and every provider.
//
//   raw text ─ strictly one JSON value? ─ yes ────────────────► validate ─► choice, or issues
//                                       └ no ─ repair ─ JSON? ─► validate ─► choice, or issues
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/decision.h"
#include "schema/repair/repair.h"
#include "schema/schema.h"

namespace openseat::llm {

// Bare: the answer is the data of the only action. Otherwise it is {"action": NAME, "data": …}.
class AnswerForm {
 public:
  // REQUIRES at least one action. With `may_pass` the answer may also be to do nothing.
  explicit AnswerForm(ActionSet actions, bool may_pass = false);

  bool bare() const { return bare_; }
  const ActionSet& actions() const { return actions_; }
  // The schema of the whole answer, which is an object.
  const json::Value& schema() const { return schema_; }
  // The action name that means doing nothing; "" if that is not allowed.
  const std::string& pass() const { return pass_; }
  // What the model is told about its choices and the form of its answer.
  std::string Describe() const;

 private:
  friend struct Judge;
  ActionSet actions_;
  bool bare_ = false;
  std::string pass_;
  json::Value schema_;
  std::shared_ptr<const schema::Schema> envelope_;  // for an answer that is not bare, except its data
};

struct Judgement {
  // If set, the answer is good: a choice without its decision, or an inner nullopt for doing nothing.
  std::optional<std::optional<Choice>> choice;
  bool strict = false;                    // it was one JSON value as received
  std::string parse_error;                // why not; "" if `strict`
  bool mended = false;                    // it is one object after repair
  std::string mend_error;                 // why not
  std::vector<schema::Fix> fixes;         // what was repaired
  std::vector<schema::Violation> issues;  // why what was read is unusable
  std::optional<json::Value> read;        // what was read, if it is unusable

  bool ok() const { return choice.has_value(); }
  // Whether the answer contained the JSON: as received, or among other text (a fence, prose, comments, a trailing
  // comma). False if the repair had to guess what was meant.
  bool readable() const;
};

struct JudgeRules {
  // The answer was requested in a form where null stands for a member that is left out (LeavesOutByNull).
  bool null_leaves_out = false;
  // Called with what was read, before it is interpreted.
  std::function<void(json::Value&)> clean{};
};
Judgement JudgeAnswer(const AnswerForm& form, std::string_view text, const JudgeRules& rules = {});

// What the model is told about an unusable answer, so that it can correct it.
std::string Complaint(const Judgement& judgement);

}  // namespace openseat::llm
