// Redactor: keeps secrets out of everything that is shown, logged or journalled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/llm/model.h"
#include "base/json.h"

namespace openseat::llm {

class Redactor {
 public:
  Redactor() = default;
  // The model's key, the values of its headers and its proxy's password.
  explicit Redactor(const Model& model);

  // `text` with every secret, as it is, as URLs write it, or with any of its characters escaped as JSON does (also
  // within a text within a text), replaced by "[redacted]"; and whatever else looks like a key of one of the providers.
  std::string operator()(std::string_view text) const;
  // The same for every text and every member's name within.
  void RedactAll(json::Value& value) const;

 private:
  void Add(std::string_view secret);
  // `text` with what is replaced, where there is any, undecoded.
  std::string Plain(std::string_view text) const;

  std::vector<std::string> secrets_;  // longest first
};

}  // namespace openseat::llm
