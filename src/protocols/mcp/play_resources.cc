#include "protocols/mcp/play_resources.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "agents/external/seat_token.h"
#include "base/text.h"
#include "base/time.h"
#include "match/match_events.h"
#include "match/replay.h"

namespace openseat::mcp {
namespace {

constexpr std::int64_t kRulesTtlMs = 3'600'000;
constexpr std::size_t kMaxSteps = 500;
constexpr std::size_t kMaxTranscriptBytes = 512u << 10;

using Variables = std::map<std::string, std::string>;

json::Object EventLine(const StoredEvent& stored) {
  json::Object line{{"seq", stored.seq}, {"time", FormatIso8601(stored.event.time)}};
  if (const auto name = EventKindName(stored.event.kind)) line["kind"] = *name;
  // What a game sent may have more values than the limit: then it is returned as text.
  Result<json::Value> payload = json::Parse(stored.event.payload, {.max_values = 100'000});
  line["payload"] = payload ? std::move(*payload) : json::Value(SanitizeUtf8(stored.event.payload));
  return line;
}

// The last lines, within the limits.
class Lines {
 public:
  void Add(const json::Object& line) {
    std::string text = json::Write(line) + "\n";
    bytes_ += text.size();
    lines_.push_back(std::move(text));
    while (lines_.size() > kMaxSteps || (bytes_ > kMaxTranscriptBytes && lines_.size() > 1)) {
      bytes_ -= lines_.front().size();
      lines_.pop_front();
    }
  }
  std::string Text() const {
    std::string out;
    for (const std::string& line : lines_) out += line;
    return out;
  }

 private:
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace

void PlayResources::AddTo(Server& server) {
  for (const Game* game : lobby_.games()) {
    AddRules(server, *game);
    AddGuide(server, *game);
    AddPrompt(server, *game);
  }
  const auto add = [&](std::string uri, std::string variable, std::string name, std::string title,
                       std::string description, std::string mime_type,
                       void (PlayResources::*read)(const CallPtr&, const std::string&, const std::string&)) {
    server.AddResource({std::move(uri), std::move(name), std::move(title), std::move(description), std::move(mime_type),
                        [this, variable = std::move(variable), read](const CallPtr& call, const std::string& at,
                                                                     const Variables& variables) {
                          (this->*read)(call, at, variables.at(variable));
                        }});
  };
  add("openseat://tables/{table}/state", "table", "table_state", "A table", "What spectators see of a table now.",
      "application/json", &PlayResources::ReadTable);
  add("openseat://tables/{table}/transcript", "table", "table_transcript", "A transcript",
      "What happened at a table, as spectators saw it: the last 500 steps, one JSON object a line.",
      "application/jsonl", &PlayResources::ReadTranscript);
  add("openseat://seats/{token}/state", "token", "seat_state", "A seat", "What the seat of a token sees now.",
      "text/markdown", &PlayResources::ReadSeat);
  server.AddPrompt(
      {"play_table",
       "Play at a table",
       "Take a seat at a table that is there already, and play.",
       {{"table", "The table's id, as list_tables has it", true, {}}},
       [](const CallPtr& call, const Variables& arguments) {
         const std::string text = "Take a seat at the table \"" + arguments.at("table") +
                                  "\" with join_table, read the rules with get_rules if there are any, and "
                                  "play until the game is over: act when it is your turn, wait_for_turn "
                                  "when it is not.";
         call->Answer({{"messages", json::Array{json::Object{{"role", "user"}, {"content", TextBlock(text)}}}}});
       }});
}

void PlayResources::AddRules(Server& server, const Game& game) {
  const GameInfo& info = game.info();
  const std::string at = "openseat://games/" + info.id + "/rules";
  server.AddResource({at, info.id + "_rules", "Rules of " + info.title, info.description, "text/markdown",
                      [&info](const CallPtr& call, const std::string& uri, const Variables&) {
                        call->Answer(ResourceText(uri, "text/markdown", info.rules),
                                     {.ttl_ms = kRulesTtlMs, .shared = true});
                      }});
}

void PlayResources::AddGuide(Server& server, const Game& game) {
  const GameInfo& info = game.info();
  if (info.guide.empty()) return;
  std::string name = "play-" + info.id;
  std::ranges::replace(name, '_', '-');
  server.AddSkill({name,
                   "How to play " + info.title + " well. Read it before you play " + info.title + " with these tools.",
                   "# " + info.title + "\n\n" + info.guide + "\n\nThe rules: openseat://games/" + info.id + "/rules"});
}

void PlayResources::AddPrompt(Server& server, const Game& game) {
  const GameInfo& info = game.info();
  std::vector<std::string> opponents;
  for (const AgentKind& kind : kinds_.all()) {
    const bool plays = kind.named_by == Namer::kPlayer && (kind.game.empty() || kind.game == info.id);
    // Anything that needs more than its name is in the description.
    if (plays && kind.bare.empty()) opponents.push_back(kind.kind);
  }
  opponents.emplace_back("open");
  server.AddPrompt(
      {"play_" + info.id,
       "Play a game of " + info.title,
       "Play a game of " + info.title + " from its first move to its end.",
       {{"opponent", "Who plays against you: " + kinds_.Names(Namer::kPlayer) + " or open", false, opponents},
        {"role", "Which seat you want", false, info.roles}},
       [&info](const CallPtr& call, const Variables& arguments) {
         std::string text = "Play a game of " + info.title + ". Read its rules with get_rules (game " + Quote(info.id) +
                            "), begin with create_match (game \"" + info.id + "\"";
         if (const auto role = arguments.find("role"); role != arguments.end()) {
           text += ", role " + Quote(role->second);
         }
         if (const auto opponent = arguments.find("opponent"); opponent != arguments.end()) {
           text += ", opponents [" + Quote(opponent->second) + "]";
         }
         text +=
             "), and play to win until the game is over: act when it is your turn, wait_for_turn when it "
             "is not. Then say how it went.";
         call->Answer({{"description", "Play a game of " + info.title},
                       {"messages", json::Array{json::Object{{"role", "user"}, {"content", TextBlock(text)}}}}});
       }});
}

bool PlayResources::MayTry(const Call& call) const {
  return guesses_ == nullptr || call.caller().from.empty() || guesses_->MayTry(call.caller().from).has_value();
}

void PlayResources::Missing(const CallPtr& call, const std::string& uri, std::string_view what) {
  const Caller& caller = call->caller();
  if (guesses_ != nullptr && !caller.from.empty()) (void)guesses_->Wrong(what, caller.from, caller.who);
  home_.Post([call, uri] { call->Refuse(ResourceMissing(*call, uri)); });
}

void PlayResources::ReadTable(const CallPtr& call, const std::string& uri, const std::string& table) {
  const MatchName name = ParseMatchName(table);
  const auto missing = [this, call, uri] { Missing(call, uri, "match"); };
  if (!MayTry(*call)) return missing();
  directory_.With(
      home_, name.id,
      [this, call, uri, name, missing](Table& found) {
        if (!Opens(name, found.invite())) return missing();
        json::Object info = found.InfoWithoutState();
        info.erase("invite");
        // What a game elsewhere has told its player is private to that player.
        for (const char* secret : {"seats", "peer"}) {
          if (FindText(info, "kind") == "remote") info.erase(secret);
        }
        const std::size_t bytes = Reads::SizeOf(found);
        home_.Post([this, call, uri, bytes, info = std::move(info), sight = found.SightOf(Viewer::Spectator())] {
          reads_.Answer(call, bytes, [uri, info, sight] {
            std::string text = json::Write(info);
            if (sight->game() != nullptr) {
              text.back() = ',';
              text += "\"state\":" + sight->observation_text() + "}";
            }
            return ResourceText(uri, "application/json", text);
          });
        });
      },
      missing);
}

void PlayResources::ReadSeat(const CallPtr& call, const std::string& uri, const std::string& token) {
  const auto missing = [this, call, uri] { Missing(call, uri, "seat token"); };
  if (!MayTry(*call)) return missing();
  WithSeat(
      directory_, home_, token,
      [this, call, uri](Table& table, ExternalAgent& agent) {
        const Seat& seat = *agent.seat();
        std::string text = table.SightOf(Viewer::Seat(seat.index()))->text();
        if (text.empty() && seat.decision() != nullptr) text = seat.decision()->sight->text();
        if (text.empty()) text = "There is nothing to see yet.";
        home_.Post([call, uri, text = SanitizeUtf8(text)] { call->Answer(ResourceText(uri, "text/markdown", text)); });
      },
      [missing](const Error&) { missing(); });
}

void PlayResources::ReadTranscript(const CallPtr& call, const std::string& uri, const std::string& table) {
  if (!MayTry(*call)) return Missing(call, uri, "match");
  std::shared_ptr<void> place = reads_.Enter(call);
  if (place == nullptr) return;
  const auto over = std::make_shared<std::atomic<bool>>(false);
  call->OnCancelled([over] { *over = true; });
  reader_.Post(
      [this, kept = CallPtr(call), over, uri, place = std::move(place), name = ParseMatchName(table)]() mutable {
        Result<std::string> text = Transcript(name, kept->caller().operates, *over);
        // Calls live on the server's scheduler, and are destroyed there.
        home_.Post([this, kept = std::move(kept), uri, place = std::move(place), text = std::move(text)] {
          if (text) return kept->Answer(ResourceText(uri, "application/jsonl", *text));
          if (text.error().code == ErrorCode::kDenied) {
            return kept->Refuse({code::kInvalidParams, text.error().message});
          }
          if (text.error().code != ErrorCode::kClosed) Missing(kept, uri, "match");
        });
      },
      Reads::OwnerOf(*call));
}

Result<std::string> PlayResources::Transcript(const MatchName& name, bool operates, const std::atomic<bool>& over) {
  const auto gone = [] { return Fail(ErrorCode::kClosed, "nobody waits for the transcript any more"); };
  if (over) return gone();
  const TableId& id = name.id;
  const Result<std::vector<StoredEvent>> first = journal_.Read(id, 0, 1);
  if (!first) return Fail(first.error());
  if (first->empty() || !Opens(name, InviteOf(first->front().event.payload))) {
    return Fail(ErrorCode::kNotFound, "there is no record of such a table");
  }
  Lines lines;
  const std::optional<std::string> hosted = HostedGameOf(first->front().event.payload);
  if (!hosted) {
    // What a game elsewhere has told its player is private to that player.
    if (!operates) {
      return Fail(ErrorCode::kDenied, "only the server's operator may read the record of a game elsewhere");
    }
    Seq after = 0;
    while (true) {
      if (over) return gone();
      const Result<std::vector<StoredEvent>> events = journal_.Read(id, after, 1000);
      if (!events) return Fail(events.error());
      if (events->empty()) return lines.Text();
      for (const StoredEvent& event : *events) lines.Add(EventLine(event));
      after = events->back().seq;
    }
  }
  const Game* game = lobby_.FindGame(*hosted);
  if (game == nullptr) return Fail(ErrorCode::kUnsupported, "the game is not offered here");
  Result<Replay> replay = Replay::Open(journal_, *game, id, kSpectatorViewer);
  if (!replay) return Fail(std::move(replay).error());
  const Result<void> done = replay->Run(0, [&](const json::Object& step) {
    lines.Add(step);
    return !over;
  });
  if (!done) return Fail(done.error());
  if (over) return gone();
  return lines.Text();
}

}  // namespace openseat::mcp
