// The table of proposed commands: what the log says when a game sends one. A JSON file: proposals.json in this folder
// is built in, and --proposals takes another:
//   [{"command": "shutdown/ready", "warnings": ["…", "…"]}]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace openseat::checker {

struct Proposal {
  std::string command;
  std::vector<std::string> warnings;  // each is one line of the log, verbatim; at least one
};

class Proposals {
 public:
  // kParse or kInvalid with a sentence, and the location as path.
  static Result<Proposals> Parse(std::string_view text);
  static const Proposals& BuiltIn();

  const Proposal* Find(std::string_view command) const;
  const std::vector<Proposal>& all() const { return proposals_; }

 private:
  std::vector<Proposal> proposals_;
};

}  // namespace openseat::checker
