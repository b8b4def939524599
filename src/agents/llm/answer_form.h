// AnswerForm: what an answer to a decision must look like, and what the model is told about it. The same for every game
// and every provider. Three shapes:
//
//   a choice   {"choice": "3"}                 where the choices can be listed: then any answer that fits is legal
//   bare       the data of the only action     where it is an object
//   an action  {"action": NAME, "data": …}     everywhere else
//
// With Thinking::kField, a member "reasoning" comes first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/llm/model.h"
#include "base/json.h"
#include "core/decision.h"
#include "core/sight.h"
#include "schema/schema.h"

namespace openseat::llm {

struct FormOptions {
  bool may_pass = false;                // the answer may also be to do nothing
  Thinking thinking = Thinking::kNone;  // where the model thinks; kNative and kNone make the same form
};

class AnswerForm {
 public:
  enum class Shape { kChoice, kBare, kAction };

  // A choice if the decision's choices can be listed; else as below.
  static AnswerForm For(const Decision& decision, FormOptions options = {});
  // Whether to tell a model of the decision's actions takes more than so many tokens, by our estimate: then there is no
  // use in a form. Its time does not depend on how much more. False where choices are listed instead.
  static bool TooLong(const Decision& decision, std::size_t tokens);
  static bool TooLong(const ActionSet& actions, std::size_t tokens);
  // Bare or an action. REQUIRES at least one action.
  explicit AnswerForm(ActionSet actions, FormOptions options = {});

  Shape shape() const { return shape_; }
  Thinking thinking() const { return thinking_; }
  const ActionSet& actions() const { return actions_; }
  // The schema of the whole answer, which is an object.
  const json::Value& schema() const { return schema_; }
  // The action name that means doing nothing; "" if that is not allowed.
  const std::string& pass() const { return pass_; }
  // What the model is told about its choices and the form of its answer.
  std::string Describe() const;

  // Without "reasoning" and, for an action, without its data: what an answer is checked against. Null for kBare.
  const schema::Schema* envelope() const { return envelope_.get(); }
  // The choice that `id` stands for: its place from "1", or its label. nullptr if there is none.
  const LegalChoice* FindChoice(std::string_view id) const;
  // Whether the answer's schema has the member "reasoning".
  bool has_reasoning() const { return has_reasoning_; }

 private:
  AnswerForm(ActionSet actions, std::shared_ptr<const Sight> sight, FormOptions options);
  void AddReasoning();
  std::string AnswerText(const std::string& members) const;

  ActionSet actions_;
  Shape shape_ = Shape::kAction;
  Thinking thinking_ = Thinking::kNone;
  bool has_reasoning_ = false;
  std::string pass_;
  std::shared_ptr<const Sight> sight_;  // for kChoice
  json::Value schema_;
  std::shared_ptr<const schema::Schema> envelope_;
};

// Whether every choice of the decision is among Sight::choices(), and they are few enough to be listed.
bool HasListedChoices(const Decision& decision);

}  // namespace openseat::llm
