#include "games/netrunner/netrunner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "core/game_base.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/engine.h"
#include "games/netrunner/engine/whole_log.h"
#include "games/netrunner/mind/mind.h"
#include "games/netrunner/options.h"
#include "games/netrunner/sample.h"
#include "games/netrunner/setup.h"
#include "games/netrunner/text/command_text.h"
#include "games/netrunner/text/describe.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"
#include "games/netrunner/text/rules_text.h"
#include "games/netrunner/wire/observe.h"
#include "games/netrunner/wire/position.h"
#include "games/netrunner/wire/wire.h"

namespace openseat::games {
namespace {

// Mostly of what both sides are shown, as JSON: measured, 75 KB at the beginning and up to 207 KB later.
constexpr std::size_t kMatchMemory = 224u << 10;

using netrunner::Command;
using netrunner::CommandKind;
using netrunner::CommandList;
using netrunner::Engine;
using netrunner::LogEntry;
using netrunner::Side;
using netrunner::State;

GameInfo InfoOf(std::uint8_t version) {
  GameInfo info = {.id = "netrunner",
                   .title = "Netrunner",
                   .description = "A Corp advances agendas behind ice, and a Runner steals them",
                   .rules = std::string(netrunner::kRulesText),
                   .guide = std::string(netrunner::kGuideText),
                   .roles = {"Corp", "Runner"},
                   .options_schema = netrunner::OptionsSchema(),
                   .actions = netrunner::Catalog(),
                   .rules_version = version,
                   .hides = true,
                   .max_moves = netrunner::kMaxCommands,
                   .match_memory = kMatchMemory};
  // Actions that came later.
  if (version < 2) {
    std::erase_if(info.actions,
                  [](const ActionSpec& spec) { return spec.name == "auto-break" || spec.name == "undo"; });
  }
  return info;
}
const GameInfo& Info(std::uint8_t version) {
  static const std::array<GameInfo, 2> infos = {InfoOf(1), InfoOf(2)};
  return infos[version - 1u];
}

// Where the choices of a state begin: with them, that is the whole of it. A game begins with its seed, a sample with a
// position and what its seat has read.
struct Sampled {
  State state;
  std::vector<LogEntry> log;
};
struct Origin {
  json::Value options;
  std::uint64_t seed = 0;
  std::array<std::string, 2> deck_names;
  std::optional<Sampled> sampled{};
};

// A state that came before, in which the same side was asked.
struct Before {
  State state;
  std::shared_ptr<const Before> before;
};

struct PlayedMove {
  Move move = 0;
  Side side = Side::kCorp;
};

// Whether both play decks that everybody knows.
bool HasKnownDecks(const json::Value& options) {
  const json::Value* format = json::Find(options, "format");
  if (format == nullptr) return json::Find(options, "decks") == nullptr;
  return *format != json::Value(netrunner::kOwnDecksFormat);
}

// A position cannot be checked by playing up to it; that it is one is known by the digest of what was saved.
std::string DigestOf(const json::Object& saved) {
  json::Object rest = saved;
  rest.erase("digest");
  return Sha256Hex(json::Write(rest));
}

json::Object SavedSample(const Origin& origin) {
  json::Object saved{{"layout", netrunner::kPositionLayout},
                     {"deck_names", json::Array(origin.deck_names.begin(), origin.deck_names.end())},
                     {"state", netrunner::WritePosition(origin.sampled->state)},
                     {"log", netrunner::WriteLog(origin.sampled->log)}};
  saved["digest"] = DigestOf(saved);
  return saved;
}

Result<Origin> ReadSample(const json::Value& saved) {
  const tl::unexpected<Error> wrong =
      Fail(ErrorCode::kInvalid, "a position is kept as this program wrote it, with its digest", "position");
  const json::Value* names = json::Find(saved, "deck_names");
  const json::Value* row = json::Find(saved, "state");
  const json::Value* lines = json::Find(saved, "log");
  const json::Value* layout = json::Find(saved, "layout");
  if (layout == nullptr || *layout != json::Value(netrunner::kPositionLayout) || names == nullptr || row == nullptr ||
      lines == nullptr || !names->is_array() || names->get_array().size() != 2 ||
      json::TextOf(saved, "digest") != DigestOf(saved.get_object())) {
    return wrong;
  }
  Origin origin;
  for (std::size_t side = 0; side < 2; ++side) {
    const json::Value& name = names->get_array()[side];
    if (!name.is_string()) return wrong;
    origin.deck_names[side] = json::View(name.get_string());
  }
  Result<State> state = netrunner::ReadPosition(*row);
  if (!state) return Fail(std::move(state).error());
  Result<std::vector<LogEntry>> log = netrunner::ReadLog(*lines);
  if (!log) return Fail(std::move(log).error());
  origin.sampled = Sampled{*state, std::move(*log)};
  return origin;
}

class NetrunnerState final : public GameState {
 public:
  NetrunnerState(PlayerNames names, std::shared_ptr<const Origin> origin, const State& state)
      : names_(std::move(names)), origin_(std::move(origin)), state_(state) {
    if (!origin_->sampled) return;
    for (const LogEntry& entry : origin_->sampled->log) {
      state_.log.Add(entry);
      log_.Keep(state_.log);
    }
  }

  std::unique_ptr<GameState> Clone() const override { return std::make_unique<NetrunnerState>(*this); }
  void Assign(const GameState& other) override { *this = dynamic_cast<const NetrunnerState&>(other); }
  bool Equals(const GameState& other) const override {
    const auto* same = dynamic_cast<const NetrunnerState*>(&other);
    return same != nullptr && names_ == same->names_ && state_ == same->state_;
  }
  const std::vector<std::string>& names() const override { return names_.all(); }
  const State& state() const { return state_; }
  // In steps, so that few choices change it.
  std::size_t Memory() const override {
    constexpr std::size_t kStep = 4u << 10;
    const std::size_t grown = state_.log.count * sizeof(LogEntry) + history_.capacity() * sizeof(PlayedMove);
    return sizeof(*this) + (grown + kStep - 1) / kStep * kStep;
  }

  SeatSet Awaited() const override {
    if (state_.over()) return {};
    return {static_cast<SeatIndex>(state_.prompt.side)};
  }

  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    if (!Awaited().Contains(seat)) return {};
    return netrunner::ActionsNow(state_);
  }

  Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const override {
    const Result<const ActionSpec*> spec = CheckAction(Info(state_.rules), *this, seat, action);
    if (!spec) return Fail(spec.error());
    const Result<Command> command = netrunner::ReadCommand(state_, action, data);
    if (!command) return Fail(command.error());
    return {};
  }

  json::Value Apply(SeatIndex seat, std::string_view action, const json::Value& data) override {
    const Result<Command> command = netrunner::ReadCommand(state_, action, data);
    OPENSEAT_CHECK(command, "Apply follows Validate");
    Play(seat, *command);
    return json::Object();
  }

  json::Value Observe(Viewer viewer) const override {
    std::optional<Side> side;
    if (viewer.seat()) side = static_cast<Side>(*viewer.seat());
    return netrunner::ObserveState(state_, side, names_.all(), origin_->deck_names);
  }

  std::vector<std::string> Log(Viewer viewer) const override {
    std::optional<Side> side;
    if (viewer.seat()) side = static_cast<Side>(*viewer.seat());
    return netrunner::LogSentences(log_.All(state_.log), side);
  }

  std::vector<std::string> News(const GameState& before, Viewer viewer) const override {
    std::optional<Side> side;
    if (viewer.seat()) side = static_cast<Side>(*viewer.seat());
    const netrunner::GameLog& log = state_.log;
    const std::uint32_t known = dynamic_cast<const NetrunnerState&>(before).state_.log.count;
    const std::size_t from = std::max(known, log.first()) - log.first();
    std::vector<std::string> lines = netrunner::LogSentences(log.Kept(), side, from);
    for (std::string& line : lines) line = netrunner::PlainWords(line);
    return lines;
  }

  std::string Describe(SeatIndex seat) const override {
    return netrunner::DescribeState(state_, static_cast<Side>(seat));
  }

  std::optional<Outcome> GetOutcome() const override {
    if (!state_.over()) return std::nullopt;
    static constexpr std::array<std::string_view, 6> kReasons = {"",
                                                                 "agenda points",
                                                                 "the Runner was flatlined",
                                                                 "R&D ran out",
                                                                 "the opponent conceded",
                                                                 "both reached the agenda points"};
    Outcome outcome{{}, {0.5, 0.5}, std::string(kReasons[static_cast<std::size_t>(state_.ending)])};
    if (state_.winner < 2) {
      outcome.winners.Insert(state_.winner);
      outcome.scores = {state_.winner == 0 ? 1.0 : 0.0, state_.winner == 1 ? 1.0 : 0.0};
    }
    return outcome;
  }

  // The start and the choices; everything else follows from them.
  json::Value Serialize() const override {
    json::Array moves;
    for (const PlayedMove& move : history_) {
      moves.push_back(json::Array{static_cast<int>(move.side), move.move});
    }
    json::Object saved{{"names", ToJson(names_)}, {"options", origin_->options}};
    if (origin_->sampled) {
      saved["position"] = SavedSample(*origin_);
    } else {
      saved["seed"] = origin_->seed;
    }
    saved["moves"] = std::move(moves);
    return saved;
  }

  std::unique_ptr<GameState> Sample(SeatIndex seat, Rng& rng) const override {
    const auto viewer = static_cast<Side>(seat);
    const std::vector<LogEntry> log = log_.All(state_.log);
    State sample = netrunner::SampleState(FirstOfItsLook(viewer), log,
                                          {.viewer = viewer, .known_decks = HasKnownDecks(origin_->options)}, rng);
    Origin origin{
        netrunner::OptionsSeenBy(origin_->options, viewer), 0, {}, Sampled{sample, netrunner::LogSeenBy(log, viewer)}};
    origin.deck_names[seat] = origin_->deck_names[seat];
    return std::make_unique<NetrunnerState>(names_, std::make_shared<const Origin>(std::move(origin)), sample);
  }

  std::string MoveLabel(SeatIndex, Move move) const override {
    return netrunner::CommandLabel(state_, netrunner::FromMove(state_, move));
  }

  bool IsOffered(SeatIndex, Move move) const override {
    return netrunner::IsOffered(state_, netrunner::FromMove(state_, move));
  }

  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    CommandList list;
    netrunner::ListCommands(state_, list);
    const std::span<const Command> commands = list.all();
    std::array<Move, netrunner::kMaxCommands> moves;  // not initialized: only written entries are read
    for (std::size_t i = 0; i < commands.size(); ++i) moves[i] = netrunner::ToMove(state_, commands[i]);
    std::sort(moves.begin(), moves.begin() + commands.size());
    std::copy_n(moves.begin(), std::min(commands.size(), out.size()), out.begin());
    return commands.size();
  }

  void ApplyMove(SeatIndex seat, Move move) override { Play(seat, netrunner::FromMove(state_, move)); }

  PlayedChoice ToChoice(SeatIndex, Move move) const override {
    return netrunner::ToChoice(state_, netrunner::FromMove(state_, move));
  }

  // Whether the move is legal for the seat now; for saved games.
  bool Replay(SeatIndex seat, Move move) {
    const Move concede = static_cast<Move>(CommandKind::kConcede) << 24;
    const Move undo = static_cast<Move>(CommandKind::kUndo) << 24;
    if (!Awaited().Contains(seat)) return false;
    if (move == undo && !netrunner::CanUndo(state_)) return false;
    const auto is_move = [&](const Command& command) { return netrunner::ToMove(state_, command) == move; };
    if (move != concede && move != undo && !netrunner::AnyLegal(state_, is_move)) return false;
    ApplyMove(seat, move);
    return true;
  }

 private:
  void Play(SeatIndex seat, const Command& command) {
    history_.push_back({netrunner::ToMove(state_, command), static_cast<Side>(seat)});
    const State before = state_;
    Engine(state_).Apply(command, static_cast<Side>(seat));
    log_.Keep(state_.log);
    // Nothing was said of it, and the same side goes on: the other may not have seen that anything was chosen.
    const bool silent = state_.prompt.side == before.prompt.side && state_.log.count == before.log.count;
    before_ = silent ? std::make_shared<const Before>(Before{before, before_}) : nullptr;
  }

  // The first of the states before that look to the viewer as the present one does: what the other side has chosen
  // since, the viewer does not know.
  const State& FirstOfItsLook(Side viewer) const {
    const State* first = &state_;
    if (state_.over() || state_.prompt.side == viewer) return *first;
    const auto look = [&](const State& state) { return netrunner::ObserveState(state, viewer, names_.all()); };
    const json::Object now = look(state_);
    for (const Before* before = before_.get(); before != nullptr; before = before->before.get()) {
      if (look(before->state) != now) break;
      first = &before->state;
    }
    return *first;
  }

  PlayerNames names_;
  std::shared_ptr<const Origin> origin_;
  State state_;
  std::vector<PlayedMove> history_;
  std::shared_ptr<const Before> before_;  // null where the last choice was seen by all
  netrunner::WholeLog log_;
};

class Netrunner final : public Game {
 public:
  explicit Netrunner(std::uint8_t version = netrunner::kRulesVersion)
      : version_(version),
        old_(version > 1 ? std::make_unique<Netrunner>(static_cast<std::uint8_t>(version - 1)) : nullptr) {}

  const GameInfo& info() const override { return Info(version_); }
  const Game* OfVersion(int version) const override {
    if (version == version_) return this;
    return old_ == nullptr ? nullptr : old_->OfVersion(version);
  }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t seed,
                                             std::vector<std::string> names) const override {
    Result<PlayerNames> players = CheckNames(info(), std::move(names));
    if (!players) return Fail(players.error());
    return Begin(options, seed, *std::move(players));
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(info(), saved);
    if (!players) return Fail(players.error());
    const json::Value* options = json::Find(saved, "options");
    const json::Value* seed = json::Find(saved, "seed");
    const json::Value* position = json::Find(saved, "position");
    const json::Value* moves = json::Find(saved, "moves");
    const std::optional<std::uint64_t> seed_number = seed == nullptr ? std::nullopt : Unsigned(*seed);
    if (options == nullptr || (seed_number.has_value() == (position != nullptr)) || moves == nullptr ||
        !moves->is_array() || saved.get_object().size() != 4) {
      return Fail(ErrorCode::kInvalid,
                  "a saved game must have names, options, a seed or position, and an array of moves");
    }
    auto state = position == nullptr ? Begin(*options, *seed_number, *std::move(players))
                                     : RestoreSample(*options, *position, *std::move(players));
    if (!state) return Fail(state.error());
    for (const json::Value& item : moves->get_array()) {
      const auto refuse = [&] {
        return Fail(ErrorCode::kInvalid, "a move must be a legal [seat, number]; got " + json::Excerpt(item), "moves");
      };
      if (!item.is_array() || item.get_array().size() != 2) return refuse();
      const std::optional<std::uint64_t> seat = Unsigned(item.get_array()[0]);
      const std::optional<std::uint64_t> move = Unsigned(item.get_array()[1]);
      if (!seat || *seat > 1 || !move || *move > ~Move{0}) return refuse();
      auto& played = dynamic_cast<NetrunnerState&>(**state);
      if (!played.Replay(static_cast<SeatIndex>(*seat), static_cast<Move>(*move))) return refuse();
    }
    return state;
  }

  json::Value PublicOptions(const json::Value& options, Viewer viewer) const override {
    std::optional<Side> side;
    if (viewer.seat()) side = static_cast<Side>(*viewer.seat());
    return netrunner::OptionsSeenBy(options, side);
  }

  const Heuristics* heuristics() const override { return &heuristics_; }

 private:
  static std::optional<std::uint64_t> Unsigned(const json::Value& value) {
    if (value.is_uint64()) return value.get_uint64();
    if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
    return std::nullopt;
  }

  Result<std::unique_ptr<GameState>> RestoreSample(const json::Value& options, const json::Value& position,
                                                   PlayerNames players) const {
    Result<Origin> origin = ReadSample(position);
    if (!origin) return Fail(std::move(origin).error());
    origin->options = options;
    const State state = origin->sampled->state;
    if (state.rules != version_) return Fail(ErrorCode::kInvalid, "the position is of other rules", "position");
    return std::make_unique<NetrunnerState>(std::move(players), std::make_shared<const Origin>(*std::move(origin)),
                                            state);
  }

  Result<std::unique_ptr<GameState>> Begin(const json::Value& options, std::uint64_t seed, PlayerNames players) const {
    Result<netrunner::GameSetup> setup = netrunner::ReadOptions(options);
    if (!setup) return Fail(setup.error());
    setup->rules = version_;
    auto origin = std::make_shared<const Origin>(Origin{options, seed, setup->deck_names});
    return std::make_unique<NetrunnerState>(std::move(players), std::move(origin), netrunner::MakeState(*setup, seed));
  }

  std::uint8_t version_;
  std::unique_ptr<Netrunner> old_;
  netrunner::NetrunnerHeuristics heuristics_;
};

}  // namespace

const State& netrunner::StateOf(const GameState& state) {
  return static_cast<const NetrunnerState&>(state).state();
}

std::unique_ptr<Game> MakeNetrunner() {
  return std::make_unique<Netrunner>();
}

bool IsNetrunnerFixture(const json::Value& options) {
  const json::Value* shuffle = json::Find(options, "shuffle");
  const json::Value* validate = json::Find(options, "validate");
  return json::Find(options, "points") != nullptr || (shuffle != nullptr && *shuffle == false) ||
         (validate != nullptr && *validate == false);
}

}  // namespace openseat::games
