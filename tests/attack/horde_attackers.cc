#include "attack/horde_attackers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "attack/attackers.h"
#include "attack/attacks_by_requests.h"
#include "attack/attacks_of_games.h"
#include "attack/attacks_of_trainers.h"
#include "attack/attacks_on_models.h"
#include "attack/attacks_over_mcp.h"
#include "attack/attacks_over_relay.h"
#include "base/rng.h"

namespace openseat::tests {
namespace {

using Clients = std::vector<std::unique_ptr<net::TestClient>>;
using Wires = std::vector<std::unique_ptr<WireClient>>;

// Each attacker from elsewhere has an address of its own: the limits of an address, and what one that guesses has to
// wait for, stop nobody else.
constexpr std::string_view kGuesser = "X-Forwarded-For: 198.51.100.6\r\n";
constexpr std::string_view kUploader = "X-Forwarded-For: 198.51.100.1\r\n";
constexpr std::string_view kQuitter = "X-Forwarded-For: 198.51.100.2\r\n";
constexpr std::string_view kPretender = "X-Forwarded-For: 198.51.100.3\r\n";
constexpr std::string_view kGameMaker = "X-Forwarded-For: 198.51.100.4\r\n";
constexpr std::string_view kCodeBreaker = "X-Forwarded-For: 198.51.100.5\r\n";

// Keeps the rounds from sharing names: no round finds what another one began.
std::string NewName(const std::string& base) {
  static std::atomic<std::size_t> count = 0;
  return base + " " + std::to_string(++count);
}

std::size_t Strike(bool felt) {
  return felt ? 1 : 0;
}

std::size_t Answered(const std::vector<int>& statuses) {
  return static_cast<std::size_t>(std::ranges::count_if(statuses, [](int status) { return status != 0; }));
}

std::size_t Refused(const std::vector<int>& statuses) {
  return static_cast<std::size_t>(std::ranges::count_if(statuses, [](int status) { return status >= 400; }));
}

std::size_t Closed(const net::TestClient::Frame& end) {
  return Strike(end.opcode == 8);
}

const std::string& KeyOf(const Targets& at, Holder holder) {
  return at.keys.at(static_cast<std::size_t>(holder));
}

// The header.
std::string Key(const Targets& at, Holder holder) {
  return mcp::Bearing(KeyOf(at, holder));
}

// --- Schemas, actions and texts of Neuro games ---

// Accepts what a game gets until the action `rest` comes; how many actions came.
std::size_t PlayToRest(WireGame& game) {
  game.Register("rest", nullptr);
  game.Force("rest");
  std::size_t actions = 0;
  for (json::Value action = game.NextAction(); action.is_object(); action = game.NextAction()) {
    ++actions;
    game.Accept(action);
    if (action.at("name") == json::Value("rest")) break;
  }
  return actions;
}

// The same; 1 if the server closed the connection before, because so much came too fast.
std::size_t PlayedOrClosed(WireGame& game) {
  return std::max<std::size_t>(PlayToRest(game), 1);
}

std::size_t ForceWith(const RealServer& server, const std::vector<json::Value>& schemas) {
  WireGame game(server, NewName("Schema"));
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    const std::string name = "go_" + std::to_string(i);
    game.Register(name, schemas[i]);
    for (int force = 0; force < 10; ++force) game.Force(name);
  }
  return PlayToRest(game);
}

std::size_t Actions(const Targets& at) {
  constexpr std::size_t kActions = 30'000;
  WireGame game(at.server, NewName("Hoarder"));
  RegisterActions(game, kActions);
  ForceOneOf(game, kActions);
  const json::Value action = game.NextAction();
  game.Accept(action);
  UnregisterActions(game, kActions);
  return Strike(action.is_object());
}

std::size_t SendTexts(const RealServer& server, const std::vector<std::string>& texts) {
  WireGame game(server, NewName("Attacker"));
  for (const std::string& text : texts) game.client().Send(text);
  return PlayedOrClosed(game);
}

std::size_t LargeJsonInTexts(const Targets& at) {
  WireGame game(at.server, NewName("Attacker"));
  const json::Object context{{"message", TextThatIsLargeJson()}, {"silent", true}};
  for (int i = 0; i < 4; ++i) game.Send("context", context);
  return PlayedOrClosed(game);
}

std::size_t PatternsInMemory(const Targets& at) {
  std::vector<std::unique_ptr<WireGame>> games;
  std::size_t actions = 0;
  for (int i = 0; i < 6; ++i) {
    games.push_back(std::make_unique<WireGame>(at.server, NewName("Patterns")));
    RegisterPatternsThatTakeMuchMemory(*games.back());
    actions += PlayToRest(*games.back());
  }
  return actions;
}

// How many of the games' connections the server still reads, or closes.
std::size_t ReadOrClosed(const std::vector<std::unique_ptr<WireGame>>& games) {
  std::size_t strikes = 0;
  for (const auto& game : games) strikes += Strike(WaitUntilRead(game->client().raw()) != -1);
  return strikes;
}

std::size_t TheDisk(const Targets& at) {
  WireGame game(at.server, NewName("Flood"));
  game.Register("go", nullptr);
  Talk(game, 300, 100 * kKiB);
  game.Force("go");
  const json::Value action = game.NextAction();
  game.Accept(action);
  return Strike(action.is_object());
}

// --- What is unfinished, unread, or too much ---

std::size_t UnfinishedBodies(const Targets& at) {
  Clients clients;
  std::size_t answers = 0;
  for (int i = 0; i < 30; ++i) {
    clients.push_back(BeginBody(at.server, "/api/v1/matches", 4 * kMiB));
    // To a path that is not there: the answer comes before the body's end.
    clients.push_back(BeginBody(at.server, "/nothing", 4 * kMiB));
    answers += Strike(clients.back()->ReadAnswer().status != 0);
  }
  return answers;
}

std::size_t UnfinishedMessages(const Targets& at) {
  Wires clients;
  for (int i = 0; i < 60; ++i) clients.push_back(BeginMessage(at.server, i % 2 == 0 ? "/" : "/chimera", 3 * kMiB));
  std::size_t strikes = 0;
  for (const auto& client : clients) strikes += Strike(WaitUntilRead(client->raw()) != -1);
  return strikes;
}

std::size_t Greed(const Targets& at) {
  GreedyReaders readers(at.server, 30);
  return readers.AskUntilCutOff() ? readers.size() : 0;
}

std::size_t Messages(const Targets& at) {
  std::string flood;
  for (int i = 0; i < 30'000; ++i) flood += net::ClientFrame(0x81, "{}");
  WireClient client(at.server, "/");
  client.raw().Send(flood);
  return Strike(WaitUntilRead(client.raw()) != -1);
}

std::size_t TheLog(const Targets& at) {
  WireClient client(at.server, "/");
  for (int i = 0; i < 100; ++i) client.raw().Send(net::ClientFrame(0x81, "this is not JSON at all"));
  return Strike(WaitUntilRead(client.raw()) != -1);
}

// --- Requests ---

std::size_t Lists(const Targets& at) {
  std::vector<int> told;
  for (const char* path : {"/api/v1/tables?limit=1000", "/api/v1/tables?recorded=true&limit=1000", "/api/games"}) {
    told.push_back(AskOnce(at.server, "GET " + std::string(path)).status);
  }
  return Answered(told);
}

std::size_t Values(const Targets& at) {
  const std::string list = ListOfNumbers();
  WireClient eve(at.server);
  eve.Send(R"({"type":"request","id":1,"operation":"list-games","params":{"more":)" + list + "}}");
  const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"more":)" + list + "}}";
  return Strike(eve.Next().is_object()) +
         Refused(
             {AskOnce(at.server, "POST /api/v1/matches", {}, R"({"game":"tictactoe","options":)" + list + "}").status,
              AskOnce(at.server, "POST /api/games", {}, R"({"scenario":)" + list + "}").status,
              AskOnce(at.server, "POST /mcp", Key(at, Holder::kValues) + "Content-Type: application/json\r\n", call)
                  .status});
}

// Only the administrator reads records by this API, forks them, and has searches take this long; MCP has another
// transcript (Transcripts), and its searches have a level (SearchesOfKey).

std::size_t Compression(const Targets& at) {
  const std::string match = PlayRandomMatch(at.server, "netrunner");
  return match.empty() ? 0 : AskForTranscripts(at.server, match, 60, 6).compressed;
}

std::size_t Replays(const Targets& at) {
  const std::string match = PlayRandomMatch(at.server, "netrunner");
  return match.empty() ? 0 : Answered(AskForReplays(at.server, match, 40));
}

std::size_t Uploads(const Targets& at) {
  std::vector<int> told;
  for (int i = 0; i < 20; ++i) told.push_back(UploadThroughAProxy(at.server, kUploader));
  return Answered(told);
}

std::size_t GamesThatAreNone(const Targets& at) {
  std::vector<std::string> bodies = BodiesThatAreNoFiles();
  for (std::string& body : FilesThatAreNoGames()) bodies.push_back(std::move(body));
  std::vector<int> told;
  for (const std::string& body : bodies) told.push_back(AskOnce(at.server, "POST /api/v1/games", {}, body).status);
  return Refused(told);
}

std::size_t Checks(const Targets& at) {
  std::vector<int> told;
  for (const auto& client : AskForChecks(at.server, 12)) told.push_back(client->ReadAnswer().status);
  return Answered(told);
}

std::size_t Forks(const Targets& at) {
  const std::string match = PlayRandomMatch(at.server, "slow");
  if (match.empty()) return 0;
  const std::vector<json::Value> forks = ForkLate(at.server, match, 2);
  return static_cast<std::size_t>(
      std::ranges::count_if(forks, [](const json::Value& fork) { return fork.is_object(); }));
}

std::size_t Searches(const Targets& at) {
  const std::vector<std::string> matches = FillWithSearches(at.server, 40);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // they think
  EndSearches(at.server, matches);
  return matches.size();
}

std::size_t Guesses(const Targets& at) {
  const std::string from(kGuesser);
  std::vector<int> told;
  for (int i = 0; i < 100; ++i) {
    const std::string guess = std::to_string(i);
    told.push_back(
        AskOnce(at.server, "GET /api/v1/tables", from + "Authorization: Bearer guess" + guess + "\r\n").status);
    told.push_back(AskOnce(at.server, "GET /game/state", "X-JNet-API: osk_guess" + guess + "\r\n").status);
    told.push_back(net::TestClient(at.server.port()).Request(UpgradeHead("/chimera?token=guess" + guess, from)).status);
  }
  WireClient eve(at.server);
  std::size_t answers = 0;
  for (int i = 0; i < 100; ++i) {
    const json::Object join{{"game", "tictactoe"}, {"match-id", "guess-" + std::to_string(i)}, {"player-name", "Eve"}};
    answers += Strike(eve.Ask("join-match", join).is_object());
  }
  return answers + Answered(told);
}

std::size_t SignIns(const Targets& at) {
  return Refused(GuessSignIns(at.server, kPretender, 60)) + Refused(BeginSignIns(at.server, kPretender, 60));
}

std::size_t Codes(const Targets& at) {
  WireClient client(at.server, "/chimera", kCodeBreaker);
  return static_cast<std::size_t>(
      std::ranges::count_if(GuessSeatCodes(client, 60), [](const std::string& answer) { return answer != "null"; }));
}

// --- Stories ---

// As many as one address may have connections, the story's own two aside.
std::size_t Spectators(const Targets& at) {
  const SpectatorsSaw saw = WatchAStoryOfStrangers(at.server, 120, 10);
  return saw.spectators + saw.turns;
}

std::size_t NamesInStories(const Targets& at) {
  Storytellers story(at.server);
  if (!story.Ready()) return Strike(story.refused());
  std::size_t answers = 0;
  for (std::size_t round = 0; round < 20; ++round) answers += story.NarrateThousandsOfNames(round).size();
  return answers;
}

// Tells a story of this many turns, does `then` with it, and ends it. What `then` says, or a strike if the story is
// refused: all attackers together may have used up max_table_bytes.
template <typename Then>
std::size_t TellALongStory(const Targets& at, int turns, Then then) {
  Storytellers story(at.server);
  if (!story.Ready()) return Strike(story.refused());
  const std::size_t strikes = story.TellLongTurns(turns) ? then(story) : Strike(story.refused());
  story.End();
  return strikes;
}

std::size_t SeatsOfLongStories(const Targets& at) {
  return TellALongStory(at, 30, [](const Storytellers& story) {
    std::size_t answers = 0;
    for (int i = 0; i < 200; ++i) answers += Strike(story.TakeTheSeatAgain().is_object());
    return answers;
  });
}

std::size_t LargeMatches(const Targets& at) {
  WireClient client(at.server, "/chimera", kQuitter);
  std::size_t matches = 0;
  while (matches < 40 && GiveUpALargeMatch(client)) ++matches;
  return matches;
}

// --- OpenEnv ---

// Opens this many sockets of a trainer elsewhere with the message; how many are answered, or closed with a reason.
std::size_t Environments(const RealServer& server, std::string_view path, int sockets, const std::string& message) {
  Wires clients;
  for (int i = 0; i < sockets; ++i) clients.push_back(SendToAnEnvironment(server, path, message));
  std::size_t strikes = 0;
  for (const auto& client : clients) {
    const net::TestClient::Frame end = client->NextFrame();
    strikes += Strike(end.opcode == 1 || (end.opcode == 8 && !end.payload.empty()));
  }
  return strikes;
}

// Does `leave`, which reads nothing, again and again; a new environment begins after each.
template <typename Leave>
std::size_t LeaveAgain(const RealServer& server, Leave leave) {
  std::size_t answers = 0;
  for (int i = 0; i < 50; ++i) {
    leave(server);
    answers += Strike(SayInAnEnvironment(server, EnvironmentMessage("state", "{}")).is_object());
  }
  return answers;
}

std::size_t SayInEnvironments(const Targets& at, const std::vector<std::string>& texts) {
  std::size_t answers = 0;
  for (const std::string& text : texts) {
    answers += Strike(SayInAnEnvironment(at.server, text).is_object());
  }
  return answers;
}

std::size_t IncompressibleEpisodes(const Targets& at) {
  static std::atomic<std::uint64_t> count = 0;
  Rng rng(++count);
  return Environments(at.server, kStoryEnvironmentPath, 1, EpisodesThatCannotBeCompressed(rng));
}

// --- MCP ---

std::size_t Declarations(const Targets& at) {
  net::TestClient client(at.server.port());
  std::size_t sessions = 0;
  const std::string key = Key(at, Holder::kDeclarations);
  while (sessions < 150 && !DeclareMuch(client, key).empty()) ++sessions;
  return sessions;
}

std::size_t Tasks(const Targets& at) {
  const LargeTasks tasks(at.server, Key(at, Holder::kTasks));
  net::TestClient client(at.server.port());
  tasks.End(client);
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks.answers(), [](const std::string& answer) { return !answer.empty(); }));
}

std::size_t WaitsHungUp(const Targets& at) {
  net::TestClient client(at.server.port());
  const WaitsToLeave waits(at.server, Key(at, Holder::kWaits));
  std::size_t answers = 0;
  while (answers < 30 && waits.WaitAndHangUp(client)) ++answers;
  waits.End(client);
  return answers;
}

std::size_t CallsOfOneKey(const Targets& at) {
  net::TestClient client(at.server.port());
  const std::string& key = KeyOf(at, Holder::kCalls);
  const std::string session = mcp::Session(client, "{}", mcp::From(1, key));
  const Clients waiting = WaitFromManyAddresses(at.server, session, key, 32, 8);
  return Answered({client.Request(mcp::Legacy(session, "ping", "", mcp::From(33, key))).status});
}

std::size_t Matches(const Targets& at) {
  const std::string key = Key(at, Holder::kMatches);
  const MatchesBegun begun =
      BeginMatches(at.server, R"({"game":"tictactoe","opponents":["open"],"private":true})", 100, key);
  net::TestClient client(at.server.port());
  mcp::Resign(client, begun.tokens, key);
  return begun.answers;
}

// The opponent has the first move; a player may name no more than a level.
std::size_t SearchesOfKey(const Targets& at) {
  const std::string key = Key(at, Holder::kSearches);
  const MatchesBegun begun = BeginMatches(
      at.server, R"({"game":"connectm","role":"1","opponents":["search:level=8"],"private":true})", 40, key);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // they think
  net::TestClient client(at.server.port());
  mcp::Resign(client, begun.tokens, key);
  return begun.answers;
}

// What spectators of a long story were told; half a megabyte of it is sent, and compressed.
std::size_t Transcripts(const Targets& at) {
  return TellALongStory(at, 20, [&at](const Storytellers& story) {
    const LargeAnswers answers = ReadTranscripts(at.server, story.match(), 60, 6, Key(at, Holder::kTranscripts));
    return answers.whole + answers.refused;
  });
}

std::size_t TranscriptsHungUp(const Targets& at) {
  return TellALongStory(at, 20, [&at](const Storytellers& story) {
    return Answered(LeaveTranscripts(at.server, story.match(), 100, Key(at, Holder::kLeavers)));
  });
}

// --- Models ---

std::size_t NamesForAModel(const Targets& at) {
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t i = 0; i < 3; ++i) {
    games.push_back(std::make_unique<WireGame>(at.server, ModelStandIn::Game(i)));
    ForceLargeNames(*games.back());
  }
  return ReadOrClosed(games);
}

std::size_t QuestionsForAModel(const Targets& at) {
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t i = 3; i < 6; ++i) {
    WireGame& game = *games.emplace_back(std::make_unique<WireGame>(at.server, ModelStandIn::Game(i)));
    const std::vector<std::string> names = i == 5 ? RegisterRest(game) : RegisterLargeSchemas(game);
    for (const std::size_t bytes : kLargeStates) ForceWithState(game, names, bytes);
  }
  return ReadOrClosed(games);
}

// --- Voice ---

std::size_t TooMuchVoice(const Targets& at) {
  std::size_t strikes = 0;
  for (const net::TestClient::Frame& end : SpeakTooMuch(at.server)) strikes += Closed(end);
  return strikes;
}

std::size_t VoiceNonsense(const Targets& at) {
  net::TestClient game(at.server.port());
  BeginVoice(game);
  SpeakNonsense(game);
  return Strike(WaitUntilRead(game) != -1);
}

std::size_t VoiceFlood(const Targets& at) {
  net::TestClient game(at.server.port());
  BeginVoice(game);
  for (int i = 0; i < 500; ++i) game.Send(Spoken(7, 960));
  return Strike(WaitUntilRead(game) != -1);
}

// --- The relay ---

// Has a game of another machine do something at the relay.
template <typename Do>
std::size_t AtRelay(const Targets& at, Do act) {
  const std::unique_ptr<WireClient> game = BeginAtRelay(at.relay, kGameMaker);
  act(*game);
  return Strike(WaitUntilRead(game->raw()) != -1);
}

void ManyNames(WireClient& game) {
  int name = 0;
  for (int i = 0; i < 12; ++i) RegisterNamesThatAreHardToTellApart(game, name);
}

std::size_t LargeActionsAtRelay(const Targets& at) {
  Wires games;
  std::size_t strikes = 0;
  for (int i = 0; i < 40; ++i) {
    games.push_back(std::make_unique<WireClient>(at.relay, "/"));
    HoldALargeActionAndForce(*games.back(), NewName("Relayed"));
    strikes += Strike(WaitUntilRead(games.back()->raw()) != -1);
  }
  return strikes;
}

}  // namespace

std::vector<Attacker> AllAttackers() {
  const auto schemas = [](std::vector<json::Value> (*make)()) {
    return [make](const Targets& at) { return ForceWith(at.server, make()); };
  };
  return {
      {"patterns", schemas([] {
         return std::vector<json::Value>{TwoPatternsThatNoTextMatches(), FiftyPatterns(), APatternAndItsNegation()};
       }),
       From::kHere},
      {"long strings", schemas([] { return std::vector<json::Value>{ManyLongStrings()}; }), From::kHere},
      {"patterns to compile", schemas(PatternsThatAreHardToCompile), From::kHere},
      {"large schemas", schemas([] { return std::vector<json::Value>{SchemaAsLargeAsItMayBe()}; }), From::kHere},
      {"patterns in memory", PatternsInMemory},
      {"actions", Actions, From::kHere},
      {"values, Neuro", [](const Targets& at) { return SendTexts(at.server, NeuroTextsOfNothingButValues()); }},
      {"values, requests", Values},
      {"texts to repair", [](const Targets& at) { return SendTexts(at.server, TextsThatAreHardToRepair()); }},
      {"JSON in texts", LargeJsonInTexts},
      {"tables dropped", [](const Targets& at) { return Swarm(at.server, 8'000).ids().size(); }, From::kHere},
      {"large forces",
       [](const Targets& at) { return ReadOrClosed(SendLargeForces(at.server, NewName("Large"), 40)); }},
      {"contexts that wait",
       [](const Targets& at) { return ReadOrClosed(SendContextsThatWait(at.server, NewName("Waiting"), 8)); }},
      {"empty frames, Chimera",
       [](const Targets& at) {
         return Closed(FloodWithEmptyFrames(at.server, "/chimera", CreateMatchFrame(), 1'000'000));
       },
       From::kHere},
      {"empty frames, Neuro",
       [](const Targets& at) {
         return Closed(FloodWithEmptyFrames(at.server, "/", StartupFrame(NewName("Empty")), 1'000'000));
       },
       From::kHere},
      {"empty frames, OpenEnv", [](const Targets& at) { return Closed(FloodAnEnvironment(at.server, 1'000'000)); }},
      {"drips", [](const Targets& at) { return Closed(SendByDrips(at.server, "/")); }},
      {"unfinished bodies", UnfinishedBodies, From::kHere},
      {"unfinished messages", UnfinishedMessages, From::kHere},
      {"buffers that grow together",
       [](const Targets& at) { return Strike(SendTogether(at.server, 60, 3 * kMiB).answered > 0); }, From::kHere},
      {"answers unread", Greed, From::kHere},
      {"messages", Messages, From::kHere},
      {"the disk", TheDisk, From::kHere},
      {"the log", TheLog, From::kHere},
      {"lists", Lists, From::kHere},
      {"compression", Compression, From::kAdmin},
      {"replays", Replays, From::kAdmin},
      {"bodies through a proxy", Uploads},
      {"matches", Matches},
      {"large matches", LargeMatches},
      {"spectators", Spectators},
      {"names in stories", NamesInStories},
      {"seats of stories", SeatsOfLongStories},
      {"searches", SearchesOfKey},
      {"searches without a limit", Searches, From::kAdmin},
      {"no games", GamesThatAreNone},
      {"uploads of strangers", [](const Targets& at) { return Refused(TryToUpload(at.server, kGameMaker)); }},
      {"checks of games", Checks},
      {"forks", Forks, From::kAdmin},
      {"environments",
       [](const Targets& at) { return Environments(at.server, kEnvironmentPath, 4, ManyEnvironments()); }},
      {"options of environments",
       [](const Targets& at) {
         return Environments(at.server, "/openenv/tictactoe/ws", 5, ManyEnvironmentsWithOptions());
       }},
      {"episodes",
       [](const Targets& at) {
         return Environments(at.server, kStoryEnvironmentPath, 1, EpisodesThatBeginWithMuch());
       }},
      {"long options of episodes",
       [](const Targets& at) { return Environments(at.server, kStoryEnvironmentPath, 1, EpisodesWithLongOptions()); }},
      {"incompressible episodes", IncompressibleEpisodes},
      {"steps that pile up", [](const Targets& at) { return PileUpSteps(at.server); }},
      {"environments left", [](const Targets& at) { return LeaveAgain(at.server, LeaveInTheMiddle); }},
      {"choices to judge", [](const Targets& at) { return LeaveAgain(at.server, HaveChoicesJudgedAndLeave); }},
      {"costly messages", [](const Targets& at) { return SayInEnvironments(at, CostlyEnvironmentMessages()); }},
      {"messages to quote", [](const Targets& at) { return SayInEnvironments(at, MessagesThatErrorsWouldQuote()); }},
      {"answers to read",
       [](const Targets& at) { return AnswerInAnEnvironment(at.server, AnswersThatAreHardToRead(), 2).size(); }},
      {"tasks", Tasks},
      {"declarations", Declarations},
      {"waits hung up", WaitsHungUp},
      {"calls of one key", CallsOfOneKey, From::kHere},
      {"transcripts", Transcripts},
      {"transcripts hung up", TranscriptsHungUp},
      {"names for a model", NamesForAModel},
      {"questions for a model", QuestionsForAModel},
      {"too much voice", TooMuchVoice},
      {"nonsense as voice", VoiceNonsense},
      {"a flood of voice", VoiceFlood},
      {"guesses", Guesses, From::kHere},
      {"sign-ins", SignIns},
      {"codes", Codes},
      {"foreign pages", [](const Targets& at) { return Refused(ActAsForeignPage(at.server)); }, From::kHere},
      {"relay, names", [](const Targets& at) { return AtRelay(at, ManyNames); }},
      {"relay, schemas", [](const Targets& at) { return AtRelay(at, RegisterSchemasThatAreHardToFit); }},
      {"relay, actions",
       [](const Targets& at) { return AtRelay(at, [](WireClient& game) { RegisterVeryManyActions(game, 220); }); }},
      {"relay, large actions", LargeActionsAtRelay},
      {"relay, connections", [](const Targets& at) { return CrowdTheRelay(at.relay, kUploader, 140).size(); }},
  };
}

}  // namespace openseat::tests
