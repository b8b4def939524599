#include "agents/search/tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace openseat::search {
namespace {

constexpr double kUct = 0.6;              // of exploration without weights …
constexpr double kPuct = 1.2;             // … and with them
constexpr double kFirstTry = 0.1;         // what an untried branch is thought to be worse than its position
constexpr float kLeast = 0.001F;          // the weight of a branch that must be tried
constexpr std::size_t kLongest = 20'000;  // moves of one iteration
constexpr std::size_t kLongestLine = 24;
constexpr std::uint64_t kLookEvery = 8;  // at the clock, and whether more iterations matter

// Close to log2, and exactly the same on every machine.
double Log2(std::uint64_t number) {
  const auto bits = static_cast<int>(std::bit_width(number)) - 1;
  return bits + static_cast<double>(number) / static_cast<double>(std::uint64_t{1} << bits) - 1;
}

}  // namespace

Tree::Tree(const Game& game, const GameState& from, SeatIndex seat, const SearchOptions& options, std::uint64_t seed)
    : options_(options),
      heuristics_(options.heuristics ? game.heuristics() : nullptr),
      seat_(seat),
      hides_(game.info().hides),
      seats_(from.names().size()),
      rng_(seed),
      results_(seats_),
      moves_(game.info().max_moves),
      weights_(game.info().max_moves) {
  root_state_ = DrawSample([&](Rng& rng) { return from.Sample(seat, rng); }, rng_);
  if (root_state_ == nullptr) return;
  state_ = root_state_->Clone();
  OPENSEAT_CHECK(root_state_->Awaited().Contains(seat), "a search is for a seat that is awaited");
}

void Tree::Run(std::uint64_t iterations, const Clock& clock, std::optional<Instant> deadline,
               const std::stop_token& stop) {
  OPENSEAT_CHECK(iterations != 0 || deadline, "a search has a limit");
  if (root_state_ == nullptr) return;
  do {
    Iterate();
    ++iterations_;
    if (solves() && above_.low == above_.high && Satisfied()) return;
    if (iterations_ % kLookEvery == 0) {
      if (deadline && clock.Monotonic() >= *deadline) return;
      if (iterations > iterations_ && Decided(iterations - iterations_)) return;
    }
  } while ((iterations == 0 || iterations_ < iterations) && !stop.stop_requested());
}

bool Tree::Satisfied() const {
  if (options_.least_visits == 0 || root_ == kNone) return true;
  for (Index i = nodes_[root_].first; i != kNone; i = branches_[i].next) {
    const Branch& branch = branches_[i];
    if (branch.weight > 0 && branch.low != branch.high && branch.visits < options_.least_visits) return false;
  }
  return true;
}

bool Tree::Decided(std::uint64_t left) const {
  if (!options_.only_choice || solves() || options_.threads != 1 || root_ == kNone) return false;
  if (nodes_[root_].mixed != kNone || nodes_[root_].sibling != kNone) return false;
  std::uint64_t most = 0;
  std::uint64_t second = 0;
  std::size_t tried = 0;
  for (Index i = nodes_[root_].first; i != kNone; i = branches_[i].next) {
    const Branch& branch = branches_[i];
    if (branch.weight <= 0) continue;
    ++tried;
    second = std::max(second, std::min<std::uint64_t>(most, branch.visits));
    most = std::max<std::uint64_t>(most, branch.visits);
  }
  return tried == 1 || most - second > left;
}

void Tree::Iterate() {
  if (hides_) {
    state_ = root_state_->Sample(seat_, rng_);
    // Where the game has no other now, the first one is as good as any.
    if (state_ == nullptr) state_ = root_state_->Clone();
  } else {
    state_->Assign(*root_state_);
  }
  path_.clear();
  played_ = 0;
  Index node = ChildFor(root_);
  while (node != kNone) {
    ++nodes_[node].visits;
    const SeatSet awaited = nodes_[node].awaited;
    node = awaited.size() == 1 ? StepAlone(node, awaited.First()) : StepTogether(node);
  }
  PlayOn();
  BackUp();
}

Tree::Index Tree::ChildFor(Index& slot) {
  const SeatSet awaited = state_->Awaited();
  if (awaited.empty()) return kNone;
  Index* last = &slot;
  while (*last != kNone && nodes_[*last].awaited != awaited) last = &nodes_[*last].sibling;
  if (*last != kNone) return *last;
  if (full()) return kNone;
  const auto made = static_cast<Index>(nodes_.size());
  *last = made;
  nodes_.push_back({.awaited = awaited});
  return made;
}

// --- Where one seat chooses ---

Tree::Index Tree::StepAlone(Index node, SeatIndex seat) {
  Expand(node, seat);
  const Index chosen = Select(seat);
  state_->ApplyMove(seat, branches_[chosen].move);
  ++steps_;
  path_.push_back({node, chosen, seat});
  if (branches_[chosen].visits == 0 || path_.size() >= kLongest) return kNone;
  return ChildFor(branches_[chosen].child);
}

void Tree::Expand(Index node, SeatIndex seat) {
  legal_.clear();
  if (!hides_ && nodes_[node].first != kNone) {
    for (Index i = nodes_[node].first; i != kNone; i = branches_[i].next) legal_.push_back(i);
    return;
  }
  const std::span<const Move> moves(moves_.data(), state_->Moves(seat, moves_));
  if (!FindBranches(node, moves)) {
    AddBranches(node, seat, moves);
    FindBranches(node, moves);
  }
  for (const Index i : legal_) ++branches_[i].available;
}

bool Tree::FindBranches(Index node, std::span<const Move> moves) {
  legal_.clear();
  Index at = nodes_[node].first;
  for (const Move move : moves) {
    while (at != kNone && branches_[at].move < move) at = branches_[at].next;
    if (at == kNone || branches_[at].move != move) return false;
    legal_.push_back(at);
  }
  return true;
}

void Tree::AddBranches(Index node, SeatIndex seat, std::span<const Move> moves) {
  const std::span<float> weights(weights_.data(), moves.size());
  std::ranges::fill(weights, 1.0F);
  if (heuristics_ != nullptr) heuristics_->Weigh(*state_, seat, moves, weights);
  const bool at_root = path_.empty();
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const bool must = at_root && std::ranges::find(options_.also, moves[i]) != options_.also.end();
    if (!must && !state_->IsOffered(seat, moves[i])) {
      weights[i] = -1;
    } else if (must || (at_root && options_.least_visits != 0)) {
      weights[i] = std::max(weights[i], kLeast);
    }
  }
  if (std::ranges::none_of(weights, [](float weight) { return weight > 0; })) {
    for (float& weight : weights) weight = weight == 0 ? 1.0F : weight;
  }
  if (std::ranges::none_of(weights, [](float weight) { return weight > 0; })) std::ranges::fill(weights, 1.0F);

  Index before = kNone;
  Index at = nodes_[node].first;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    while (at != kNone && branches_[at].move < moves[i]) before = std::exchange(at, branches_[at].next);
    if (at != kNone && branches_[at].move == moves[i]) continue;
    const auto made = static_cast<Index>(branches_.size());
    branches_.push_back({.move = moves[i], .next = at, .weight = weights[i]});
    (before == kNone ? nodes_[node].first : branches_[before].next) = made;
    before = made;
  }
}

Tree::Index Tree::Select(SeatIndex seat) {
  // What cannot be better than what is proven already is not tried.
  const Branch& above = Above(path_.size());
  const auto is_settled = [&](const Branch& branch) {
    if (!solves()) return false;
    if (above.low == above.high) return branch.low == branch.high;
    return seat == 0 ? branch.high <= above.low : branch.low >= above.high;
  };
  const bool at_root = path_.empty();
  std::uint64_t visits = 0;
  double sum = 0;
  double total_weight = 0;
  Index least = kNone;
  for (const Index i : legal_) {
    const Branch& branch = branches_[i];
    visits += branch.visits;
    sum += branch.sum;
    if (branch.weight <= 0) continue;
    total_weight += branch.weight;
    if (at_root && branch.visits < options_.least_visits && branch.low != branch.high &&
        (least == kNone || branch.visits < branches_[least].visits)) {
      least = i;
    }
  }
  if (least != kNone) return least;
  const double value = visits == 0 ? 0.5 : sum / static_cast<double>(visits);
  Index best = kNone;
  double best_score = 0;
  std::uint64_t ties = 0;
  for (const Index i : legal_) {
    const Branch& branch = branches_[i];
    if (total_weight > 0 && (branch.weight <= 0 || is_settled(branch))) continue;
    const double score = ScoreOf(branch, visits, total_weight, value);
    if (best == kNone || score > best_score) {
      best = i;
      best_score = score;
      ties = 1;
    } else if (score == best_score && rng_.Below(++ties) == 0) {
      best = i;
    }
  }
  return best == kNone ? legal_.front() : best;
}

double Tree::ScoreOf(const Branch& branch, std::uint64_t visits, double total_weight, double value) const {
  const auto tried = static_cast<double>(branch.visits);
  const double mean = branch.visits == 0 ? value - kFirstTry : branch.sum / tried;
  if (heuristics_ != nullptr && total_weight > 0) {
    const double share = branch.weight / total_weight;
    return mean + kPuct * options_.exploration * share * std::sqrt(static_cast<double>(visits + 1)) / (1 + tried);
  }
  if (branch.visits == 0) return 2 * (1 + options_.exploration);  // before any other
  const std::uint64_t reach = hides_ ? branch.available : visits;
  return mean + kUct * options_.exploration * std::sqrt(Log2(reach) / tried);
}

// --- Where several choose ---

Tree::Index Tree::StepTogether(Index node) {
  if (nodes_[node].mixed == kNone) {
    nodes_[node].mixed = static_cast<Index>(matrices_.size());
    matrices_.emplace_back();
  }
  Matrix& matrix = matrices_[nodes_[node].mixed];
  if (played_ == plays_.size()) plays_.emplace_back();
  Matrix::Play& play = plays_[played_++];
  play.choices.clear();
  for (const SeatIndex seat : nodes_[node].awaited) {
    const std::size_t count = state_->Moves(seat, moves_);
    play.choices.push_back(matrix.Draw(seat, {moves_.data(), count}, rng_));
  }
  for (const Matrix::Choice& choice : play.choices) {
    // What one chose may take the others' turn away.
    if (choice.seat != play.choices.front().seat && !IsLegal(choice)) continue;
    state_->ApplyMove(choice.seat, choice.move);
    ++steps_;
  }
  play.cell = matrix.CellOf(play.choices, seats_);
  path_.push_back({node, kNone, play.choices.front().seat});
  Matrix::Cell& cell = matrix.cell(play.cell);
  if (cell.visits == 0 || path_.size() >= kLongest) return kNone;
  return ChildFor(cell.child);
}

bool Tree::IsLegal(const Matrix::Choice& choice) {
  const std::size_t count = state_->Moves(choice.seat, moves_);
  return std::binary_search(moves_.begin(), moves_.begin() + static_cast<std::ptrdiff_t>(count), choice.move);
}

// --- The rest of the game ---

void Tree::PlayOn() {
  std::size_t left = heuristics_ == nullptr ? kLongest : std::min(kLongest, heuristics_->Horizon());
  bool at_once = true;
  for (SeatSet awaited = state_->Awaited(); !awaited.empty(); awaited = state_->Awaited()) {
    if (left-- == 0) return Judge();
    for (const SeatIndex seat : awaited) {
      const std::size_t count = state_->Moves(seat, moves_);
      if (count == 0) continue;  // what another chose took its turn away
      const std::span<const Move> moves(moves_.data(), count);
      const Move move =
          heuristics_ == nullptr ? moves[rng_.Below(count)] : heuristics_->Rollout(*state_, seat, moves, rng_);
      state_->ApplyMove(seat, move);
      ++steps_;
    }
    at_once = false;
  }
  const std::optional<Outcome> outcome = state_->GetOutcome();
  for (SeatIndex seat = 0; seat < seats_; ++seat) results_[seat] = ResultOf(*outcome, seat);
  if (at_once && solves() && !path_.empty() && path_.back().branch != kNone) {
    Branch& last = branches_[path_.back().branch];
    last.low = last.high = static_cast<float>(results_[0]);
  }
}

void Tree::Judge() {
  if (heuristics_ == nullptr) {
    std::ranges::fill(results_, 0.5);
    return;
  }
  for (SeatIndex seat = 0; seat < seats_; ++seat) {
    results_[seat] = seats_ == 2 && seat == 1 ? 1 - results_[0] : heuristics_->Worth(*state_, seat);
  }
}

void Tree::BackUp() {
  for (std::size_t i = path_.size(); i-- > 0;) {
    const Step& step = path_[i];
    if (step.branch == kNone) {
      matrices_[nodes_[step.node].mixed].Learn(plays_[--played_], results_);
      continue;
    }
    Branch& branch = branches_[step.branch];
    if (solves()) {
      results_[0] = std::clamp(results_[0], static_cast<double>(branch.low), static_cast<double>(branch.high));
      results_[1] = 1 - results_[0];
      Tighten(step, Above(i));
    }
    const double result = results_[step.seat];
    ++branch.visits;
    branch.sum += result;
    branch.squares += result * result;
  }
}

Tree::Branch& Tree::Above(std::size_t step) {
  if (step == 0) return above_;
  if (const Index branch = path_[step - 1].branch; branch != kNone) return branches_[branch];
  unbound_ = {};
  return unbound_;
}

void Tree::Tighten(const Step& step, Branch& above) {
  const Branch& changed = branches_[step.branch];
  if (changed.low == 0 && changed.high == 1) return;
  float low = step.seat == 0 ? 0 : 1;
  float high = low;
  for (Index i = nodes_[step.node].first; i != kNone; i = branches_[i].next) {
    const Branch& branch = branches_[i];
    if (branch.weight <= 0) continue;
    low = step.seat == 0 ? std::max(low, branch.low) : std::min(low, branch.low);
    high = step.seat == 0 ? std::max(high, branch.high) : std::min(high, branch.high);
  }
  above.low = std::max(above.low, low);
  above.high = std::min(above.high, high);
}

// --- What was found ---

std::vector<RootMove> Tree::RootMoves() const {
  std::vector<RootMove> found;
  const auto of = [&found](Move move) -> RootMove& {
    const auto known = std::ranges::find(found, move, &RootMove::move);
    if (known != found.end()) return *known;
    return found.emplace_back(RootMove{.move = move});
  };
  for (Index node = root_; node != kNone; node = nodes_[node].sibling) {
    if (!nodes_[node].awaited.Contains(seat_)) continue;
    if (nodes_[node].mixed != kNone) {
      for (const Matrix::Option& option : matrices_[nodes_[node].mixed].OptionsOf(seat_)) {
        RootMove& move = of(option.move);
        move.visits += option.visits;
        move.sum += option.sum;
        move.squares += option.squares;
        move.strategy += option.strategy;
      }
    }
    for (Index i = nodes_[node].first; i != kNone; i = branches_[i].next) {
      const Branch& branch = branches_[i];
      if (branch.weight <= 0) continue;
      RootMove& move = of(branch.move);
      move.visits += branch.visits;
      move.sum += branch.sum;
      move.squares += branch.squares;
      move.low = seat_ == 0 ? branch.low : 1 - branch.high;
      move.high = seat_ == 0 ? branch.high : 1 - branch.low;
    }
  }
  return found;
}

Tree::Index Tree::MostVisited(Index slot) const {
  Index most = slot;
  for (Index node = slot; node != kNone; node = nodes_[node].sibling) {
    if (nodes_[node].visits > nodes_[most].visits) most = node;
  }
  return most;
}

std::vector<LineStep> Tree::LineAfter(Move first) const {
  std::vector<LineStep> line;
  Index node = MostVisited(root_);
  while (node != kNone && nodes_[node].mixed == kNone && line.size() < kLongestLine) {
    Index best = kNone;
    for (Index i = nodes_[node].first; i != kNone; i = branches_[i].next) {
      const bool fits = !line.empty() || branches_[i].move == first;
      if (fits && (best == kNone || branches_[i].visits > branches_[best].visits)) best = i;
    }
    if (best == kNone || branches_[best].visits == 0) break;
    line.push_back({nodes_[node].awaited.First(), branches_[best].move});
    node = MostVisited(branches_[best].child);
  }
  if (line.empty()) line.push_back({seat_, first});
  return line;
}

}  // namespace openseat::search
