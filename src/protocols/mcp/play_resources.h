// The resources and prompts that go with the play tools: rules, what spectators see of a table, transcripts, a seat's
// state; "play a game of …". Internal to play.cc; on the server's scheduler.
#pragma once

#include <atomic>

#include "agents/kinds.h"
#include "base/guesses.h"
#include "base/worker.h"
#include "core/journal.h"
#include "core/table.h"
#include "match/lobby.h"
#include "protocols/mcp/reads.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

class PlayResources {
 public:
  // All outlive it.
  PlayResources(Lobby& lobby, TableDirectory& directory, Journal& journal, Scheduler& home, const AgentKinds& kinds,
                Guesses* guesses, Reads& reads)
      : lobby_(lobby),
        directory_(directory),
        journal_(journal),
        home_(home),
        kinds_(kinds),
        guesses_(guesses),
        reads_(reads) {}

  void AddTo(Server& server);

 private:
  void AddRules(Server& server, const Game& game);
  void AddGuide(Server& server, const Game& game);
  void AddPrompt(Server& server, const Game& game);
  void ReadTable(const CallPtr& call, const std::string& uri, const std::string& table);
  void ReadSeat(const CallPtr& call, const std::string& uri, const std::string& token);
  // Whether the caller's names and tokens are checked at all.
  bool MayTry(const Call& call) const;
  // There is nothing with that name, or not for this caller. Any thread.
  void Missing(const CallPtr& call, const std::string& uri, std::string_view what);
  void ReadTranscript(const CallPtr& call, const std::string& uri, const std::string& table);
  // On reader_: one JSON object a line, as spectators saw it; for a game elsewhere, the whole record, which only the
  // operator may read (kDenied). It ends early (kClosed) once `over`: nobody waits for it any more.
  Result<std::string> Transcript(const MatchName& name, bool operates, const std::atomic<bool>& over);

  Lobby& lobby_;
  TableDirectory& directory_;
  Journal& journal_;
  Scheduler& home_;
  const AgentKinds& kinds_;
  Guesses* const guesses_;  // may be null
  Reads& reads_;
  Worker reader_;  // of the journal
};

}  // namespace openseat::mcp
