// SeatCalls: the way from a call to the seat that its token names, and back: it looks at the seat where it lives, waits
// there for its turn, and answers with what the seat sees. Internal to play.cc; on the server's scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/external/external_agent.h"
#include "base/guesses.h"
#include "core/table.h"
#include "protocols/mcp/call.h"
#include "protocols/mcp/seat_view.h"

namespace openseat::mcp {

class SeatCalls {
 public:
  // All outlive it; `home` is the server's scheduler. `guesses` may be null (play.h).
  SeatCalls(TableDirectory& directory, Scheduler& home, Guesses* guesses);

  // Whether the caller's tokens and names of tables are looked at; where not, it is told why.
  bool MayTry(const CallPtr& call) const;
  // It was wrong about `what`: says so in these words, or that it was so too often. Any thread.
  void Wrong(const CallPtr& call, std::string_view what, std::string text);

  // Back to the server's scheduler, from anywhere.
  void Home(Task task) { home_.Post(std::move(task)); }

  // `seen` runs at the table; a token that leads nowhere is told the model.
  using Seen = std::function<void(Table&, ExternalAgent&)>;
  void AtSeat(const CallPtr& call, const std::string& token, Seen seen);

  Presentation Show(const SeatView& view) const { return {view, epoch_}; }
  // The answer: `before`, then what the seat sees; `more` beside it.
  void Present(const CallPtr& call, const SeatView& view, const std::string& before = {},
               const json::Object& more = {}) const;
  void Complain(const CallPtr& call, const std::string& what, const SeatView& view) const;

  // A wait for the seat's turn. It ends with an answer that presents the seat: when there is something to choose, the
  // game is over, or somebody wants an answer; at `deadline` as things stand.
  struct Wait {
    std::string token;
    std::uint64_t since = 0;  // what was told until that version is not told again
    Instant deadline;
    std::string before;  // said first
    json::Object more;   // and beside the view
    // The seat is just being taken: it may take a moment until it is there, and what it sees is told soon.
    bool just_seated = false;

    // The wait's own.
    ExternalAgent::WaitId id;  // at the table
    ScopedTimer progress;
    int ticks = 0;
  };
  void Begin(const CallPtr& call, std::shared_ptr<Wait> wait);

 private:
  void Step(const CallPtr& call, const std::shared_ptr<Wait>& wait);
  void Tick(const CallPtr& call, const std::shared_ptr<Wait>& wait);

  TableDirectory& directory_;
  Scheduler& home_;
  Guesses* const guesses_;
  const std::string epoch_;  // of this process: no decision's id of another one is taken for ours
};

// An error as a sentence for a model.
std::string Sentence(const Error& error);

}  // namespace openseat::mcp
