// The pure part of the answer pipeline: what to make of an answer. The same for every game and every provider.
//
//   raw text ─ without its thoughts ─ strictly one JSON value? ─ yes ────────────────► validate ─► choice, or issues
//                                                              └ no ─ repair ─ JSON? ─► validate ─► choice, or issues
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/llm/answer_form.h"
#include "base/json.h"
#include "core/decision.h"
#include "schema/repair/repair.h"
#include "schema/schema.h"

namespace openseat::llm {

struct Judgement {
  // If set, the answer is good: a choice without its decision, or an inner nullopt for doing nothing.
  std::optional<std::optional<Choice>> choice;
  std::string label;                      // the choice's, if it was one of a list
  std::string reasoning;                  // what the model thought, in the answer itself; never counted as a repair
  bool strict = false;                    // it was one JSON value as received
  std::string parse_error;                // why not; "" if `strict`
  bool mended = false;                    // it is one object after repair
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
