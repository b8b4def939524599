// ChoiceMemory: what the arguments of `act` mean: a choice, by its id or by an action and data, of the decision that is
// open or of the previous one, so that a repeated act is recognized after its decision has ended. What was chosen is
// remembered as a digest: it may be large, and is not judged yet. Internal to play.cc; one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "protocols/mcp/presentation.h"
#include "protocols/mcp/recent.h"

namespace openseat::mcp {

class ChoiceMemory {
 public:
  struct Meant {
    Choice choice;                      // its action alone if `repeats`
    std::optional<DecisionId> repeats;  // the choice was made before, for this decision
  };
  // `arguments` are those of act, `shown` is the view as its caller would get it now. Errors, as sentences: kInvalid
  // for arguments that name no choice, kNotYourTurn if the decision is not open, kNoSuchAction for an id that it does
  // not have.
  Result<Meant> Resolve(const std::string& token, const json::Object& arguments, const Presentation& shown,
                        const SeatView& view);

  std::size_t size() const { return by_token_.size(); }
  static constexpr std::size_t kMaxRemembered = 10'000;  // seats; the one that acted longest ago is forgotten first

 private:
  struct Remembered {
    std::string decision;  // as it was shown
    DecisionId id;
    std::string digest;  // of the choice
    std::string action;  // its name, cut
  };

  Recent<Remembered> by_token_{kMaxRemembered};
};

}  // namespace openseat::mcp
