// The answer pipeline's pure part: what an answer to a decision must look like, and what an answer that came is worth.
// The same for every game and every provider.
//
//   raw text ─ strictly one JSON value? ─ yes ──────────────► validate ─► choice, or issues
//                                       └ no ─ mend ─ JSON? ─► validate ─► choice, or issues
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/decision.h"
#include "schema/repair.h"
#include "schema/schema.h"

namespace openseat::llm {

// Bare: the answer is the data of the only action. Otherwise it is {"action": NAME, "data": …}.
class AnswerForm {
 public:
  // REQUIRES actions. With `may_pass` the answer may also be to do nothing.
  explicit AnswerForm(ActionSet actions, bool may_pass = false);

  bool bare() const { return bare_; }
  const ActionSet& actions() const { return actions_; }
  // Of the whole answer: of an object.
  const json::Value& schema() const { return schema_; }
  // The action name that means doing nothing; "" where that is no answer.
  const std::string& pass() const { return pass_; }
  // What the model is told of its choices and the form of its answer.
  std::string Describe() const;

 private:
  friend struct Judge;
  ActionSet actions_;
  bool bare_ = false;
  std::string pass_;
  json::Value schema_;
  std::shared_ptr<const schema::Schema> envelope_;  // of an answer that is not bare, its data excepted
};

struct Judgement {
  // Where it is set, the answer is good: a choice without its decision, or nullopt within for doing nothing.
  std::optional<std::optional<Choice>> choice;
  bool strict = false;                    // it was one JSON value as it came
  std::string parse_error;                // why not; "" where `strict`
  bool mended = false;                    // it is one object after mending
  std::string mend_error;                 // why not
  std::vector<schema::Fix> fixes;         // what was mended
  std::vector<schema::Violation> issues;  // why what was read is no good
  std::optional<json::Value> read;        // what was read, where it is no good

  bool ok() const { return choice.has_value(); }
  // Whether the JSON was there to be read: as it came, or among other things (a fence, prose, comments, a comma too
  // many). Not so where mending had to guess what was meant.
  bool readable() const;
};

struct JudgeRules {
  // The answer was asked for in a form where null stands for a member that is left out (LeavesOutByNull).
  bool null_leaves_out = false;
  // Called with what was read, before anything is made of it.
  std::function<void(json::Value&)> clean{};
};
Judgement JudgeAnswer(const AnswerForm& form, std::string_view text, const JudgeRules& rules = {});

// What the model is told of an answer that was no good, so that it can do better.
std::string Complaint(const Judgement& judgement);

}  // namespace openseat::llm
