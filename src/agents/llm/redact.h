// Redactor: keeps secrets out of everything that is shown, logged or journalled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/llm/model.h"

namespace openseat::llm {

class Redactor {
 public:
  Redactor() = default;
  // The model's key, the values of its headers and its proxy's password.
  explicit Redactor(const Model& model);

  // `text` with every secret, as it is or as JSON and URLs write it, replaced by "[redacted]"; and whatever else looks
  // like a key of one of the providers.
  std::string operator()(std::string_view text) const;

 private:
  void Add(std::string_view secret);

  std::vector<std::string> secrets_;  // longest first
};

}  // namespace openseat::llm
