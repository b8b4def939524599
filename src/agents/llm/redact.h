// Redactor: keeps secrets out of everything that is shown, logged or journaled.
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

  // `text` with "[redacted]" for every secret: as it is, as URLs write it, or with any of its characters escaped as in
  // JSON (also in a string within a string); and for everything else that looks like a key of one of the providers.
  std::string operator()(std::string_view text) const;
  // The same for every string and every member name in it.
  void RedactAll(json::Value& value) const;

 private:
  void Add(std::string_view secret);
  // `text` with the replacements, if there are any, and not decoded.
  std::string Plain(std::string_view text) const;

  std::vector<std::string> secrets_;  // longest first
};

}  // namespace openseat::llm
