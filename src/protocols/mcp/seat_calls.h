// SeatCalls: the way from a call to the seat that its token names, and back: it looks at the seat on its table's
// scheduler, waits there for its turn, and answers with what the seat sees. Internal to play.cc; on the server's
// scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/external/external_agent.h"
#include "base/guesses.h"
#include "core/table.h"
#include "protocols/mcp/call.h"
#include "protocols/mcp/choice_memory.h"
#include "protocols/mcp/presentation.h"

namespace openseat::mcp {

class SeatCalls {
 public:
  // All outlive it; `home` is the server's scheduler. `guesses` may be null (play.h).
  SeatCalls(TableDirectory& directory, Scheduler& home, Guesses* guesses);

  // Whether the caller's tokens and names of tables are checked at all; if not, the caller is told why.
  bool MayTry(const CallPtr& call) const;
  // The caller was wrong about `what`: answers with these words, or that it was wrong too often. Any thread.
  void Wrong(const CallPtr& call, std::string_view what, std::string text);

  // Back to the server's scheduler, from any thread.
  void Home(Task task) { home_.Post(std::move(task)); }

  // `seen` runs at the table; if the token leads nowhere, the model is told.
  using Seen = std::function<void(Table&, ExternalAgent&)>;
  void AtSeat(const CallPtr& call, const std::string& token, Seen seen);

  // An agent from outside takes this seat of the table, on whose scheduler this is called. `taken` gets its token
  // there. REQUIRES what Table::SeatAgent requires.
  static void Take(Table& table, SeatIndex seat, std::string name,
                   std::function<void(Result<std::string> token)> taken);

  // What came of a choice that was accepted.
  struct Chosen {
    std::string action;  // cut
    std::string data;    // its JSON, cut; "" for none
    Verdict verdict;
    bool repeated = false;    // it was made by an earlier call
    std::uint64_t since = 0;  // the version that the seat had seen before
  };
  // Makes the choice that these arguments of act mean. `chosen` runs on the server's scheduler if it was accepted;
  // otherwise the caller is told why, and what is legal. `caller`: a person does not get what the model is to be told.
  enum class Caller : std::uint8_t { kModel, kPerson };
  void Choose(const CallPtr& call, Caller caller, const std::string& token, const json::Object& arguments,
              std::function<void(Chosen)> chosen);

  // What a model is told before each of its answers about a seat; "" for nothing.
  void BeforeAnswers(std::function<std::string(const std::string& token)> news) { news_ = std::move(news); }

  std::string News(const std::string& token) const { return news_ ? news_(token) : std::string(); }

  // Any thread.
  Presentation Show(const SeatView& view, Detail detail = Detail::kNone) const { return {view, epoch_, detail}; }
  // The answer: `before`, then what the seat of the token sees; `more`: other members.
  void Present(const CallPtr& call, const std::string& token, Presentation shown, const std::string& before = {},
               const json::Object& more = {}) const;

  // A wait for the seat's turn. It ends with an answer that presents the seat: when there is something to choose, the
  // game is over, or somebody wants an answer; or at `deadline`, with the current state.
  struct Wait {
    std::string token;
    std::uint64_t since = 0;  // messages up to that version are not repeated
    Instant deadline;
    std::string before;  // the first part of the answer
    json::Object more;   // added to the view
    // The seat is just being taken: it may take a moment to appear, and what it sees arrives soon after.
    bool just_seated = false;

    // Used by the wait itself.
    ExternalAgent::WaitId id;  // at the table
    ScopedTimer progress;
    int ticks = 0;
  };
  void Begin(const CallPtr& call, std::shared_ptr<Wait> wait);

 private:
  void Complain(const CallPtr& call, Caller caller, const std::string& token, const std::string& what,
                const SeatView& view) const;
  void ActNow(const CallPtr& call, Caller caller, const std::string& token, ChoiceMemory::Meant meant,
              std::uint64_t since, std::function<void(Chosen)> chosen);
  void Step(const CallPtr& call, const std::shared_ptr<Wait>& wait);
  void Tick(const CallPtr& call, const std::shared_ptr<Wait>& wait);

  TableDirectory& directory_;
  Scheduler& home_;
  Guesses* const guesses_;
  ChoiceMemory choices_;
  std::function<std::string(const std::string& token)> news_;
  const std::string epoch_;  // marks this process: a decision's id from another process never matches ours
};

// An error as a sentence for a model.
std::string Sentence(const Error& error);

}  // namespace openseat::mcp
