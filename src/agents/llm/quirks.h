// Quirks: what a model turned out not to take, learned from its provider's 400s, and remembered. Models differ by
// version in what they refuse, and new ones appear every month, so no list of names could say it.
//
// What a refusal says may come from what was asked: a text that leaves no room for an answer, a schema, a name that the
// provider quotes. So what is learned at a stranger's table holds for the tables of that address alone.
//
// Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "agents/llm/failure.h"
#include "agents/llm/model.h"

namespace openseat::llm {

struct Refusals {
  bool tokens_member = false;    // the usual name of the token limit: the other one is used
  bool schema_details = false;   // bounds and patterns in the schema
  bool schema = false;           // any schema
  bool json_object = false;      // "any JSON object"
  bool output_format = false;    // Anthropic's output_config.format: a tool is forced
  bool forced_tool = false;      // … which newer models refuse
  bool thinking = false;         // to be asked for its own thinking: it thinks in a field
  bool thinking_budget = false;  // a number of tokens for it
  bool effort = false;
  bool summary = false;  // to show what it thought
  bool temperature = false;
  bool top_p = false;
  bool seed = false;
  bool stream_usage = false;
  bool cache = false;
  std::optional<std::uint64_t> most_tokens{};  // of an answer

  bool operator==(const Refusals&) const = default;
};

// Where this model thinks, given what it refuses.
Thinking ThinkingOf(const Model& model, const Refusals& refusals);
// What its answers are constrained by.
Structured StructuredOf(const Model& model, const Refusals& refusals);

// How many tokens an answer may have at most, if the model has no room for `max_tokens` after this question; nullopt if
// the failure is about something else.
std::optional<std::uint64_t> FewerTokens(const CallFailure& failure, std::uint64_t max_tokens);

class Quirks {
 public:
  static constexpr std::size_t kMostStrangers = 1000;  // that something is kept for

  // `address`: who pays for the table (AddressOf); that of this machine, or "", is no stranger's.
  Refusals For(const std::string& address) const;
  // What a refused request should do without; "" if nothing in it is known to cause the refusal. `asked` and
  // `max_tokens` are what the request was made with. If the result is not empty, the request may be made again.
  std::string Learn(const Model& model, const CallFailure& failure, const Refusals& asked, std::uint64_t max_tokens,
                    const std::string& address);

 private:
  mutable std::mutex mutex_;
  Refusals refusals_;
  std::map<std::string, Refusals> of_strangers_;  // by address: all that is known there
};

}  // namespace openseat::llm
