// Lobby: the hosted matches of the process: makes them, finds them, recovers them, and removes them when they are over.
// The index of names is an actor on the first scheduler; a match lives on the scheduler it was made for.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/clock.h"
#include "base/rate_limit.h"
#include "core/agent.h"
#include "core/game.h"
#include "core/journal.h"
#include "core/table.h"
#include "match/game_list.h"
#include "match/invite.h"
#include "match/journal_on_terms.h"
#include "match/match.h"
#include "match/match_fold.h"
#include "match/seat_codes.h"

namespace openseat {

struct MatchPlace {
  TableId id;
  Match* match = nullptr;  // while it is there; read and written on its scheduler
};

// Where a match is. The match itself is accessed only through Lobby::OnMatch, because it may be gone meanwhile.
struct MatchRef {
  TableId id;
  Scheduler* home = nullptr;
  std::string_view game;  // GameInfo::id
  std::string invite;     // "" if the match is public
  std::shared_ptr<MatchPlace> place = std::make_shared<MatchPlace>(id);

  // The name by which invited players know it.
  std::string Name() const { return MatchName{id, invite}.Text(); }
};

// A place in the budget of `payer` (null: nobody's) for one more match. Taken before anything is made or tried, so that
// nobody makes the server work beyond their quota. `recorded`: in the journal. Errors: kBusy.
Result<Lease> PlaceForMatch(Payer* payer, Instant now, bool recorded = true);

// Who may find a match by its id alone.
enum class Privacy : std::uint8_t { kPublic, kPrivate };
// Who makes a match. A player on another machine is a stranger (MatchSpec::of_stranger).
enum class Maker : std::uint8_t { kPlayer, kAdministrator };

class Lobby {
 public:
  // `games`, `directory`, `journal` and the schedulers outlive it; the schedulers have stopped when it is destroyed.
  Lobby(std::span<const Game* const> games, MatchRules rules, Duration linger, TableDirectory& directory,
        Journal& journal, AgentFactory make_agent);
  ~Lobby();

  // Those of which matches can be made. Any thread.
  std::vector<const Game*> games() const { return games_.Offered(); }
  // nullptr if there is no game with that id; a game that is not offered any more is found (GameList). Any thread.
  const Game* FindGame(std::string_view id) const { return games_.Find(id); }
  const Game* FindOffered(std::string_view id) const { return games_.FindOffered(id); }
  // kNotFound: there is no game with that id, but these.
  Error NoGame(std::string_view id) const;
  // Of which matches can be made from now on, or no longer: GameList's functions. The games outlive the lobby.
  GameList& game_list() { return games_; }

  // Called before a match is made: whether this server accepts these options and agents. Set before the schedulers run.
  using Gate =
      std::function<Result<void>(const Game& game, const json::Value& options, const std::vector<PlannedSeat>& seats)>;
  void SetGate(Gate gate) { gate_ = std::move(gate); }
  // Also makes matches with a given seed, whose maker knows what is to come. Set before the schedulers run.
  void AllowSeeds() { seeds_ = true; }

  using Created = std::function<void(Result<MatchRef>)>;
  // Whether such a match can be made; agents without a name get one. Errors: kNotFound (no such game), kInvalid
  // (options, agents, names, too many seats), and the gate's. Any thread.
  Result<const Game*> Check(const std::string& game, const json::Value& options, std::vector<PlannedSeat>& seats) const;
  // A new match on `asker`'s scheduler; `seats` says who sits where (empty: all open; an agent without a name gets
  // one). `created` runs on `asker` when the match is durable. A private match has an invitation. Errors: Check's, the
  // journal's, and kBusy if `payer`, whose budget it counts against until it is over (null: none), has too many open.
  // `seed`: of everything random in the match; nullopt: a fresh one. kInvalid where seeds are not allowed.
  void Create(Scheduler& asker, const std::string& game, const json::Value& options, std::vector<PlannedSeat> seats,
              Created created, const std::shared_ptr<Payer>& payer = nullptr, Privacy privacy = Privacy::kPublic,
              std::optional<std::uint64_t> seed = std::nullopt, const MatchTerms& terms = {},
              Maker maker = Maker::kPlayer);
  // A match that goes on from a point of another one: `spec` is that of ForkAfter (match/past.h), with agents where
  // seats are not to be open. Its seed is that of the other match, whose maker need not know it. Only the administrator
  // makes such matches. Otherwise like Create.
  void CreateFork(Scheduler& asker, MatchSpec spec, Created created, const std::shared_ptr<Payer>& payer = nullptr,
                  Privacy privacy = Privacy::kPublic);
  // The match that all players of this one want next, on its scheduler; its players are told. `maker`: the player who
  // agreed last. `created` runs on `asker`. Errors: Match::BeginRematch's, and those of Create.
  void Rematch(Scheduler& asker, const MatchRef& match, Created created, const std::shared_ptr<Payer>& payer = nullptr,
               Maker maker = Maker::kPlayer);
  using Found = std::function<void(std::optional<MatchRef>)>;
  // `found` runs on `asker`, with nullopt if no such match is live, or if the name does not open it: without its
  // invitation, a private match seems not to exist.
  void Find(Scheduler& asker, MatchName name, Found found);
  // The same for the operator, who needs no invitation.
  void FindForOwner(Scheduler& asker, MatchName name, Found found);
  // "Continue on another device" (match/seat_codes.h); the answers come on `asker`.
  void PassOn(Scheduler& asker, SeatPass pass, std::string owner, std::function<void(std::string code)> done);
  void TakeOn(Scheduler& asker, std::string code, std::function<void(std::optional<SeatPass>)> done);
  // Whether the matches of this account may be looked up now: that visits all matches. Any thread.
  bool MayListOf(std::string_view account) { return lookups_.Take(account, clock_.Monotonic()) == Duration(0); }
  // Whether this text lets its holder in: an invitation (NAME.INVITE), a seat's token (NAME.TOKEN), or a seat's code.
  void Admits(Scheduler& asker, std::string text, std::function<void(bool)> done);
  // Runs `visit` for every live match, each on its own scheduler, then `done` on `asker`.
  void Visit(Scheduler& asker, std::function<void(Match&)> visit, Task done);
  // Calls `show` for the newest live matches of the game with that id, a page of them: TableDirectory::List.
  void List(Scheduler& asker, std::string game, std::optional<TableMark> after, std::size_t limit,
            std::function<json::Object(const Match&)> show, TableDirectory::Listed done);
  // Runs `run`, which takes a Match&, on the match's scheduler; `missing` there if it is gone.
  template <typename Run, typename Missing>
  void OnMatch(const MatchRef& ref, Run run, Missing missing) {
    ref.home->Post(
        [this, &home = *ref.home, place = ref.place, run = std::move(run), missing = std::move(missing)]() mutable {
          Match* const match = place->match != nullptr ? place->match : Local(home, place->id);
          if (match == nullptr) {
            missing();
          } else {
            run(*match);
          }
        });
  }

  struct Recovered {
    std::size_t matches = 0;
    // The agents that sit, or will sit, at the matches that are not closed, including those that could not be
    // recovered; nullopt if that is not known for all of them.
    std::optional<std::vector<AgentSpec>> agents;
    // Open tables of another kind, oldest first: the process that had them has ended, and so have they.
    std::vector<TableRecord> left_open;
    // Matches whose game is not offered here, or not their rules, that stay as they are.
    std::vector<TableId> unplayable{};
  };
  enum class Unplayable : std::uint8_t { kClose, kLeave };  // a match under rules that are not here
  // Recovers every match in the journal that is not closed, and is ours (Journal::Owns), and keeps for a while those
  // that ended before anyone could be told. Call it before the schedulers run. A match under rules that no longer exist
  // here is closed with a sentence that says so, and can still be viewed (match/replay.h), or is left unchanged; one
  // that ends with the server is closed. Any other that cannot be recovered is logged and left unchanged. The others
  // count against `payer`, however many they are. kIo and kTimeout if one cannot be read now: some may be here then.
  // `progress`: called before each table, with how many matches are here.
  Result<Recovered> Recover(const std::shared_ptr<Payer>& payer = nullptr, Unplayable unplayable = Unplayable::kClose,
                            const std::function<void(std::size_t matches)>& progress = {});
  // The same for tables that another process had, while the schedulers run: those that are open, oldest first. Returns
  // what stays as it is; on an error, nothing is here. A table that could not be read in five calls is logged
  // and left unchanged, and the others are here. `done` runs once the matches are here, also if none came. Any
  // thread but the schedulers'; reads the journal.
  struct NotTaken {
    std::vector<TableRecord> left_open;  // as in Recovered
    std::vector<TableId> unplayable;
  };
  Result<NotTaken> TakeOver(const std::vector<TableRecord>& tables, const std::shared_ptr<Payer>& payer, Task done);
  // Another process goes on with the matches of such names, or soon will: they are gone here, and their connections are
  // told so. `done` runs afterwards, on any of the schedulers. Any thread.
  void Leave(std::function<bool(const TableId&)> which, Task done);

 private:
  struct Order;  // a match that is about to be made
  struct Placed {
    std::unique_ptr<Match> match;
    std::shared_ptr<MatchPlace> place;
  };
  struct Ended {
    Instant due;  // when it is removed
    TableId id;
    std::string owner;      // AddressOf its payer
    std::size_t bytes = 0;  // that its payer holds for it; at least 1
    // A program elsewhere plays a seat: until then, it may still have to hear how the match ended.
    std::optional<Instant> awaited_until;
  };
  struct Shelf {
    std::unordered_map<TableId, Placed> matches;
    std::unordered_map<TableId, Lease> open;                 // of those that are not over
    std::deque<Ended> ended;                                 // soonest due first
    std::unordered_map<std::string, std::size_t> lingering;  // bytes of those, by owner
    ScopedTimer sweep;                                       // set while there is a finished match
  };
  Shelf& ShelfOf(const Scheduler& scheduler);
  // The match of that id, also for those who knew it before a restart; null where none is.
  Match* Local(const Scheduler& home, const TableId& id);
  // The match that this table is; nullptr if it is not one of the lobby's.
  Match* MatchAt(const Table& table, const Scheduler& home);
  void Place(const MatchRef& ref, std::unique_ptr<Match> match);
  void WatchForTheEnd(Match& match);
  // The match is over: it can be viewed for a while, and its players can come back to hear how it ended. Where memory
  // is short, those of the address go that has most of them.
  void Linger(Scheduler& home, const TableId& id);
  // REQUIRES one that lingers.
  static std::string MostLingering(const Shelf& shelf);
  // Removes the match of that owner (of any, without one) that is over and would be removed next, those last that are
  // played from outside; false if there is none, or all of them may still have to be heard of.
  bool Evict(Scheduler& home, const std::optional<std::string>& owner);
  void Sweep(Scheduler& home);
  // Removes a match that is over, if it is still there.
  void TakeAway(Scheduler& home, const std::deque<Ended>::const_iterator& which);
  void OpenUnder(const std::shared_ptr<Order>& order);
  void Remove(Scheduler& home, const TableId& id);
  using Opener = bool (*)(const MatchName& name, std::string_view invite);
  void FindIf(Opener opens, Scheduler& asker, MatchName name, Found found);
  // Check, for a game that was found, and the way in which it begins.
  Result<void> CheckSpec(const Game& game, const json::Value& options, std::vector<PlannedSeat>& seats,
                         std::uint64_t seed, const Fork* fork) const;
  // Makes a match of what was checked.
  void Make(Scheduler& asker, MatchSpec spec, Created created, const std::shared_ptr<Payer>& payer,
            Result<Lease> place);
  Journal& JournalFor(const MatchSpec& spec) { return spec.of_stranger ? strangers_journal_ : journal_; }
  Result<std::vector<StoredEvent>> ReadAll(const TableId& id);
  // The payload of its first event; "" if that is damaged. kIo and kTimeout if the journal cannot be read now.
  Result<std::string> OpeningOf(const TableRecord& table);
  // What the journal says of an open table.
  struct Past {
    TableRecord table;
    bool hosted = false;         // else there is nothing more
    const Game* game = nullptr;  // null if it is not offered here
    bool ends_with_server = false;
    std::vector<StoredEvent> events{};
    Seq last_seq = 0;                 // of its events; 0 if they cannot be read
    std::vector<AgentSpec> agents{};  // that sit, or will sit, at it
    Result<MatchFold> fold = Fail(ErrorCode::kNotFound, "its game is not offered here");

    // Whether a process with other games or rules may play it on.
    bool unplayable() const {
      return hosted && last_seq > 0 && !ends_with_server &&
             (game == nullptr || (!fold && fold.error().code == ErrorCode::kUnsupported));
    }
  };
  // Without its fold; nullopt if its opening is damaged. kIo and kTimeout if the journal cannot be read now.
  Result<std::optional<Past>> PastOf(const TableRecord& table);
  // Plays a match up to its latest event, which may take long.
  static void PlayUp(Past& past);
  // Those of TakeOver, played up, without their events. An error as long as one cannot be read, and is not given up.
  Result<std::vector<Past>> PastsOf(const std::vector<TableRecord>& tables);
  // Counts a failure; REQUIRES taking_.
  bool GivesUp(const TableId& id, const Error& error);
  // Its agents are dismissed once it is closed.
  void CloseUnplayed(const Past& past, const std::string& reason, Scheduler& home);
  enum class Revived : std::uint8_t { kHere, kClosed, kLeft };
  // Recovers it on this scheduler, or closes it, or leaves it as it is, with the reason in the log.
  Revived Revive(const Past& past, Scheduler& home, const std::shared_ptr<Payer>& payer, Unplayable unplayable);
  Scheduler& NextHome();  // for the next one of them

  GameList games_;
  const std::shared_ptr<const MatchSetup> setup_;  // of all its matches
  const Duration linger_;
  TableDirectory& directory_;
  Journal& journal_;
  JournalOnTerms strangers_journal_{journal_, {.of_stranger = true}};  // the same, for matches that strangers made
  Gate gate_;
  std::atomic<std::size_t> homes_ = 0;
  std::mutex taking_;
  std::unordered_map<TableId, int> unread_;  // how often each could not be read, under taking_
  bool seeds_ = false;
  Scheduler& index_home_;
  std::unordered_map<TableId, MatchRef> index_;  // on index_home_
  SeatCodes codes_;                              // likewise
  const SystemClock clock_;
  RateLimiter lookups_{{.per_second = 0.5, .burst = 5}};
  std::vector<std::unique_ptr<Shelf>> shelves_;
};

}  // namespace openseat
