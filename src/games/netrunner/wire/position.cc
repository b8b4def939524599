#include "games/netrunner/wire/position.h"

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/game_base.h"
#include "games/netrunner/cards/card_table.h"

namespace openseat::games::netrunner {
namespace {

// What goes over a state: `Number` gets every value in it, `Card` every reference to one of its cards. Both may change
// what they get. `Goes` says whether there is more, where that is as the state says.
template <typename Io>
class Walk {
 public:
  explicit Walk(Io& io) : io_(io) {}

  void Over(State& s) {
    All(s.rules, s.card_count, s.points_to_win, s.all_windows, s.ending, s.winner);
    for (std::size_t i = 0; i < s.card_count && i < kMaxCards; ++i) One(s.cards[i]);
    for (PlayerState& player : s.players) One(player);
    All(s.tags, s.bad_publicity, s.core_damage, s.next_remote, s.next_id, s.next_since);
    std::array<std::uint64_t, 4> chance = s.rng.state();
    for (std::uint64_t& word : chance) io_.Number(word);
    s.rng = Rng::FromState(chance);
    All(s.turn, s.active, s.in_turn, s.main_phase, s.corp_skips_windows, s.ran_last_turn);
    All(s.undo.what, s.undo.card, s.undo.new_remote, s.undo.cost, s.undo.this_turn);
    for (std::uint8_t& count : s.log_of_turn.events) io_.Number(count);
    All(s.log_of_turn.centrals_run, s.log_of_turn.made_run, s.log_of_turn.successful_run, s.log_of_turn.points_scored);
    One(s.run);
    Each(s.stack);
    Each(s.waiting);
    Cards(s.targets);
    Each(s.lingering);
    One(s.prompt);
    io_.Number(s.answer);
    One(s.answered);
    Cards(s.selected);
    io_.Number(s.dirty);
    // Later than the layout, and missing where nothing is known.
    if (!io_.Goes(s.undo.known != InstSet{})) return;
    Set(s.undo.known);
    All(s.undo.id);
  }

  void One(LogEntry& e) {
    All(e.kind, e.side, e.card, e.other, e.server, e.seen_by, e.m, e.ice, e.n, e.by, e.clicks, e.cost);
  }

 private:
  template <typename... T>
  void All(T&... values) {
    (Value(values), ...);
  }
  template <typename T>
  void Value(T& value) {
    io_.Number(value);
  }
  void Value(Inst& inst) { io_.Card(inst); }

  template <typename T, std::size_t kCapacity>
  std::size_t Size(FixedVector<T, kCapacity>& list) {
    std::size_t size = list.size();
    io_.Number(size);
    if (size > kCapacity) io_.Wrong(size);
    list.resize(size);
    return size;
  }
  void Cards(CardList& list) {
    Size(list);
    for (Inst& inst : list) io_.Card(inst);
  }
  template <typename T>
  void Each(T& list) {
    Size(list);
    for (auto& item : list) One(item);
  }
  void Set(InstSet& set) {
    FixedVector<Inst, kMaxCards> members;
    for (std::size_t i = 0; i < kMaxCards; ++i) {
      if (set.Contains(static_cast<Inst>(i))) members.push_back(static_cast<Inst>(i));
    }
    Size(members);
    set = {};
    for (Inst& inst : members) {
      io_.Card(inst);
      if (At(inst) < kMaxCards) set.Insert(inst);
    }
  }

  void One(CardState& c) {
    All(c.card, c.side, c.zone, c.server, c.host);
    bool is_new = c.new_this_turn;
    bool rezzed = c.rezzed_this_turn;
    bool known = c.known;
    All(c.faceup, is_new, rezzed, known, c.used, c.virus, c.advancement, c.credits, c.id, c.since);
    c.new_this_turn = is_new;
    c.rezzed_this_turn = rezzed;
    c.known = known;
  }

  void One(PlayerState& p) {
    All(p.identity, p.credits, p.clicks, p.kept, p.mulliganed);
    for (CardList* list : {&p.deck, &p.hand, &p.discard, &p.score, &p.play, &p.removed, &p.installed}) Cards(*list);
  }

  void One(RunState& r) {
    All(r.active, r.ended, r.successful, r.vanished, r.cannot_steal_or_trash, r.jacked_out, r.server, r.phase,
        r.position, r.accesses, r.stolen, r.passed, r.source, r.bad_publicity_credits, r.ice, r.ice_id, r.broken,
        r.fired, r.breaching, r.accesses_left, r.accessing);
    Set(r.accessed);
  }

  template <std::size_t kKind = 0>
  static Step OfKind(std::size_t kind) {
    if constexpr (kKind + 1 < std::variant_size_v<Step>) {
      if (kind != kKind) return OfKind<kKind + 1>(kind);
    }
    return std::variant_alternative_t<kKind, Step>{};
  }
  void One(Step& step) {
    std::size_t kind = step.index();
    io_.Number(kind);
    if (kind >= std::variant_size_v<Step>) io_.Wrong(kind);
    if (kind != step.index()) step = OfKind(kind);
    std::visit([this](auto& one) { this->One(one); }, step);
  }
  void One(GameStep& step) { All(step.phase); }
  void One(TurnStep& step) { All(step.side, step.phase); }
  void One(DiscardHandStep& step) { All(step.side, step.asked); }
  void One(WindowStep& step) { All(step.window, step.priority, step.other_passed); }
  void One(PlayCardStep& step) { All(step.card, step.phase); }
  void One(TrashResourceStep& step) { All(step.asked); }
  void One(InstallRunnerStep& step) { All(step.card, step.host, step.is_action, step.has_room, step.phase, step.cost); }
  void One(InstallCorpStep& step) {
    All(step.card, step.inward_of, step.server, step.is_action, step.must_trash, step.phase);
  }
  void One(PayStep& step) { All(step.credits, step.from_card, step.phase); }
  void One(TrimMemoryStep& step) { All(step.asked); }
  void One(ProgramStep& step) {
    One(step.program);
    All(step.source, step.it, step.first_target, step.event, step.next, step.asked, step.noted);
  }
  void One(TriggersStep& step) { All(step.first, step.asked); }
  void One(BreakStep& step) { All(step.card, step.by_clicks, step.ability, step.chosen, step.done, step.phase); }
  void One(AutoBreakStep& step) { All(step.card); }
  void One(RunStep& step) { All(step.phase); }
  void One(EncounterStep& step) { All(step.ice, step.next, step.phase); }
  void One(BreachStep& step) { All(step.phase); }
  void One(AccessStep& step) { All(step.card, step.id, step.phase); }
  void One(ProgramRef& program) { All(program.list, program.index); }

  void One(Waiting& w) { All(w.source, w.trigger, w.card, w.event, w.n); }

  void One(Lingering& l) {
    All(l.delayed, l.modifier, l.until, l.server, l.amount, l.source, l.trigger, l.target, l.id);
  }

  void One(PromptOption& option) {
    All(option.text);
    Inst card = option.card();
    if (option.names_card()) {
      All(card);
      option.n = static_cast<std::uint8_t>(card);
    } else {
      All(option.n);
    }
  }

  void One(Prompt& p) {
    All(p.kind, p.side, p.message, p.card);
    One(p.program);
    All(p.instruction, p.n);
    Each(p.options);
    Set(p.candidates);
    All(p.min, p.max);
    Cards(p.selected);
  }

  Io& io_;
};

// What a value is written as.
template <typename T>
std::uint64_t Bits(T value) {
  if constexpr (std::is_enum_v<T>) {
    return Bits(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

class Writer {
 public:
  template <typename T>
  void Number(T& value) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      row_.emplace_back(value);
    } else {
      row_.emplace_back(static_cast<std::int64_t>(Bits(value)));
    }
  }
  void Card(Inst& inst) { Number(inst); }
  void Wrong(std::size_t&) {}
  bool Goes(bool on) const { return on; }
  json::Array Take() { return std::move(row_); }

 private:
  json::Array row_;
};

class Reader {
 public:
  explicit Reader(const json::Array& row) : row_(row) {}

  template <typename T>
  void Number(T& value) {
    value = T{};
    const json::Value* next = at_ < row_.size() ? &row_[at_++] : nullptr;
    if (next == nullptr || (!next->is_int64() && !next->is_uint64())) {
      wrong_ = true;
      return;
    }
    const std::uint64_t bits = next->is_uint64() ? next->get_uint64() : static_cast<std::uint64_t>(next->get_int64());
    const T read = static_cast<T>(bits);
    wrong_ = wrong_ || Bits(read) != bits;
    value = read;
  }
  void Card(Inst& inst) {
    Number(inst);
    if (At(inst) >= kMaxCards && inst != kNoInst) wrong_ = true;
  }
  void Wrong(std::size_t& size) {
    wrong_ = true;
    size = 0;
  }
  bool Goes(bool) const { return !done(); }
  bool wrong() const { return wrong_; }
  bool done() const { return at_ == row_.size(); }

 private:
  const json::Array& row_;
  std::size_t at_ = 0;
  bool wrong_ = false;
};

class Renumber {
 public:
  explicit Renumber(const std::array<Inst, kMaxCards>& to) : to_(to) {}
  template <typename T>
  void Number(T&) {}
  void Card(Inst& inst) {
    if (At(inst) < kMaxCards) inst = to_[At(inst)];
  }
  void Wrong(std::size_t&) {}
  bool Goes(bool on) const { return on; }

 private:
  const std::array<Inst, kMaxCards>& to_;
};

tl::unexpected<Error> BadPosition() {
  return Fail(ErrorCode::kInvalid, "a position is a row of numbers as this program writes them", "position");
}

}  // namespace

json::Array WritePosition(const State& state) {
  State copy = state;
  Writer writer;
  Walk(writer).Over(copy);
  return writer.Take();
}

Result<State> ReadPosition(const json::Value& row) {
  if (!row.is_array()) return BadPosition();
  State state;
  Reader reader(row.get_array());
  Walk(reader).Over(state);
  if (reader.wrong() || !reader.done() || state.card_count > kMaxCards) return BadPosition();
  for (std::size_t i = 0; i < state.card_count; ++i) {
    if (state.cards[i].card >= AllCards().size()) return BadPosition();
  }
  return state;
}

json::Array WriteLog(const std::vector<LogEntry>& log) {
  json::Array rows;
  for (LogEntry entry : log) {
    Writer writer;
    Walk(writer).One(entry);
    rows.push_back(writer.Take());
  }
  return rows;
}

Result<std::vector<LogEntry>> ReadLog(const json::Value& rows) {
  const tl::unexpected<Error> bad =
      Fail(ErrorCode::kInvalid, "a log is rows of numbers as this program writes them", "log");
  if (!rows.is_array()) return bad;
  std::vector<LogEntry> log;
  for (const json::Value& row : rows.get_array()) {
    if (!row.is_array()) return bad;
    Reader reader(row.get_array());
    Walk(reader).One(log.emplace_back());
    if (reader.wrong() || !reader.done()) return bad;
  }
  return log;
}

State Renumbered(const State& state) {
  std::array<Inst, kMaxCards> to{};
  to.fill(kNoInst);
  std::uint8_t count = 0;
  const auto next = [&] { return Inst{count++}; };
  for (const PlayerState& player : state.players) {
    to[At(player.identity)] = next();
    for (const CardList* list : {&player.installed, &player.score, &player.play, &player.removed, &player.discard,
                                 &player.hand, &player.deck}) {
      for (const Inst inst : *list) to[At(inst)] = next();
    }
  }
  for (std::size_t i = 0; i < state.card_count; ++i) {
    if (to[i] == kNoInst) to[i] = next();
  }
  State other = state;
  Renumber renumber(to);
  Walk(renumber).Over(other);
  const std::array<CardState, kMaxCards> cards = other.cards;
  for (std::size_t i = 0; i < state.card_count; ++i) other[to[i]] = cards[i];
  return other;
}

}  // namespace openseat::games::netrunner
