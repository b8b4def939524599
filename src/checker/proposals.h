// The table of proposed commands: what the log says when a game sends one. A JSON file, proposals.json beside this file
// as it is built in, or another given with --proposals:
//   [{"command": "shutdown/ready", "warnings": ["…", "…"]}]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace openseat::checker {

struct Proposal {
  std::string command;
  std::vector<std::string> warnings;  // each a line of the log, as it stands here; at least one
};

class Proposals {
 public:
  // kParse or kInvalid with a sentence and the place as path.
  static Result<Proposals> Parse(std::string_view text);
  static const Proposals& BuiltIn();

  const Proposal* Find(std::string_view command) const;
  const std::vector<Proposal>& all() const { return proposals_; }

 private:
  std::vector<Proposal> proposals_;
};

}  // namespace openseat::checker
