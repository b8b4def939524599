// Explores every order in which claims, appends, answers, time-outs, restarts and reads of a shard's stream can happen,
// with the classes that the journal uses (store/fenced_log.h), up to a number of each. docs/cluster.md has the
// protocol.
//
// The network may deliver a message at any time later or never, in any order; answers get lost; a time-out may come
// before the answer; a read may miss the newest messages; a node may forget everything and claim again.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/fenced_log.h"

namespace openseat {
namespace {

using store::BasicLogWriter;
using store::LogReader;
using store::LogStamp;

// What a reader would do who trusts the server alone: everything in the stream counts.
class TrustingReader {
 public:
  bool Take(const LogStamp& stamp) {
    last_ = stamp;
    return true;
  }
  const LogStamp& last() const { return last_; }
  auto operator<=>(const TrustingReader&) const = default;

 private:
  LogStamp last_;
};

struct Bounds {
  std::size_t nodes = 2;
  std::uint64_t claims = 2;
  std::uint64_t events = 2;    // in all
  std::uint64_t attempts = 1;  // how often a writer sends again
};

template <typename Reader>
class Model {
 public:
  Model(Bounds bounds, bool server_compares) : bounds_(bounds), server_compares_(server_compares) {}

  // Explores all; returns the steps that lead to the first violation, or "".
  std::string Explore() {
    Visit(State(bounds_.nodes), 0, "the beginning");
    for (std::size_t next = 0; next < order_.size() && wrong_.empty(); ++next) Steps(next);
    return wrong_;
  }
  std::size_t states() const { return order_.size(); }
  // The most owners of one stream whose events clients were told of: shows that the bounds let something happen.
  std::size_t owners() const { return owners_; }

 private:
  using Writer = BasicLogWriter<Reader>;
  using Events = std::vector<LogStamp>;
  struct Message {
    LogStamp stamp;
    std::uint64_t expected = 0;
    std::uint64_t attempt = 0;
    Events before;  // what its writer believed to have happened before it
    auto operator<=>(const Message&) const = default;
  };
  struct Answer {
    std::uint64_t claim = 0;
    std::uint64_t attempt = 0;
    std::uint64_t number = 0;
    std::uint64_t position = 0;  // 0: refused
    auto operator<=>(const Answer&) const = default;
  };
  struct Node {
    std::optional<Writer> writer;
    std::uint64_t claim = 0;
    Events before;  // what happened before its claim
    auto operator<=>(const Node&) const = default;
  };
  struct State {
    explicit State(std::size_t count) : nodes(count) {}
    std::vector<Node> nodes;
    std::vector<Message> stream;
    std::vector<Message> network;  // sorted
    std::vector<Answer> answers;   // sorted
    Events told;                   // what clients were told has happened; sorted
    std::uint64_t claims = 0;
    std::uint64_t events = 0;
    auto operator<=>(const State&) const = default;
  };
  struct Found {
    const State* state;
    std::size_t from;
    std::string step;
  };

  static bool IsEvent(const LogStamp& stamp) { return stamp.number > 0; }
  static std::string Name(const LogStamp& stamp) {
    return (IsEvent(stamp) ? "event " + std::to_string(stamp.number) : std::string("the claim")) + " of writer " +
           std::to_string(stamp.claim);
  }
  template <typename T>
  static void Insert(std::vector<T>& sorted, T value) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (at == sorted.end() || *at != value) sorted.insert(at, std::move(value));
  }

  // Whether this attempt's answer would still matter to anybody.
  static bool IsAwaited(const State& state, std::uint64_t claim, std::uint64_t attempt) {
    return std::any_of(state.nodes.begin(), state.nodes.end(), [&](const Node& node) {
      return node.writer && node.claim == claim && node.writer->attempt() == attempt && !node.writer->doubt() &&
             !node.writer->lost();
    });
  }
  // Drops what cannot change anything any more, so that fewer states differ.
  void Tidy(State& state) const {
    std::erase_if(state.answers, [&](const Answer& answer) { return !IsAwaited(state, answer.claim, answer.attempt); });
    std::erase_if(state.network, [&](const Message& message) {
      return server_compares_ && message.expected < state.stream.size() &&
             !IsAwaited(state, message.stamp.claim, message.attempt);
    });
    for (Node& node : state.nodes) {
      if (node.writer && node.writer->lost()) node = {};
    }
    std::sort(state.nodes.begin(), state.nodes.end());  // nodes are alike
  }

  void Visit(State state, std::size_t from, std::string step) {
    Tidy(state);
    const auto [at, fresh] = seen_.insert(std::move(state));
    if (!fresh || !wrong_.empty()) return;
    order_.push_back({&*at, from, std::move(step)});
    if (const std::string problem = Problem(*at); !problem.empty()) wrong_ = problem + Path();
  }
  std::string Path() const {
    std::string out;
    for (std::size_t at = order_.size() - 1; at != 0; at = order_[at].from) out = "\n  " + order_[at].step + out;
    return out;
  }

  // What must hold in every state.
  std::string Problem(const State& state) {
    Reader reader;
    Events counted;
    for (const Message& message : state.stream) {
      if (!reader.Take(message.stamp) || !IsEvent(message.stamp)) continue;
      if (message.before != counted) return Name(message.stamp) + " counts, but its writer believed in another past:";
      counted.push_back(message.stamp);
    }
    std::set<std::uint64_t> owners;
    for (const LogStamp& stamp : state.told) {
      if (std::find(counted.begin(), counted.end(), stamp) == counted.end()) {
        return "a client was told of " + Name(stamp) + ", which does not count:";
      }
      owners.insert(stamp.claim);
    }
    owners_ = std::max(owners_, owners.size());
    return "";
  }

  static void Put(State& state, const Node& node, const typename Writer::Send& send) {
    Message message{send.stamp, send.expected, send.attempt, {}};
    if (IsEvent(send.stamp)) {
      message.before = node.before;
      for (std::uint64_t number = 1; number < send.stamp.number; ++number) {
        message.before.push_back({send.stamp.epoch, send.stamp.claim, number});
      }
    }
    Insert(state.network, std::move(message));
  }
  // Clients are told of what is confirmed.
  static void Tell(State& state, const Node& node) {
    for (std::uint64_t number = 1; number < node.writer->confirmed(); ++number) {
      Insert(state.told, LogStamp{node.writer->epoch(), node.claim, number});
    }
  }

  void Steps(std::size_t from) {
    const State& state = *order_[from].state;
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
      const std::string who = "node " + std::to_string(i);
      if (state.claims < bounds_.claims) {
        for (std::size_t read = 0; read <= state.stream.size(); ++read) Claim(state, i, read, from, who);
      }
      const Node& node = state.nodes[i];
      if (!node.writer || node.writer->lost()) continue;
      if (node.writer->owns() && state.events < bounds_.events) Append(state, i, from, who);
      const bool may_resend = node.writer->attempt() < bounds_.attempts;
      if (node.writer->doubt() && may_resend) {
        for (std::size_t read = node.writer->position(); read <= state.stream.size(); ++read) {
          ReadOn(state, i, read, from, who);
        }
      } else if (!node.writer->doubt() && may_resend && node.writer->confirmed() < node.writer->made()) {
        State next = state;
        next.nodes[i].writer->Doubt();
        Visit(std::move(next), from, who + " waited long enough");
      }
    }
    for (std::size_t i = 0; i < state.network.size(); ++i) Deliver(state, i, from);
    for (std::size_t i = 0; i < state.answers.size(); ++i) Hear(state, i, from);
  }

  void Claim(const State& state, std::size_t i, std::size_t read, std::size_t from, const std::string& who) {
    State next = state;
    Node& node = next.nodes[i];
    Reader reader;
    node = {};
    for (std::size_t at = 0; at < read; ++at) {
      const LogStamp& stamp = state.stream[at].stamp;
      if (reader.Take(stamp) && IsEvent(stamp)) node.before.push_back(stamp);
    }
    node.claim = ++next.claims;
    node.writer.emplace(reader, read, node.claim);
    Put(next, node, *node.writer->Append());
    const std::string what = who + " starts, reads " + std::to_string(read) + " messages, and claims as writer " +
                             std::to_string(next.claims);
    Visit(std::move(next), from, what);
  }

  void Append(const State& state, std::size_t i, std::size_t from, const std::string& who) {
    State next = state;
    Node& node = next.nodes[i];
    if (const auto send = node.writer->Append()) Put(next, node, *send);
    ++next.events;
    Visit(std::move(next), from, who + " appends event " + std::to_string(node.writer->made() - 1));
  }

  void ReadOn(const State& state, std::size_t i, std::size_t read, std::size_t from, const std::string& who) {
    State next = state;
    Node& node = next.nodes[i];
    for (std::size_t at = node.writer->position(); at < read; ++at) {
      const LogStamp& stamp = state.stream[at].stamp;
      // What counts before its claim has happened before it.
      if (node.writer->OnRead(at + 1, stamp) && IsEvent(stamp) && stamp.claim != node.claim)
        node.before.push_back(stamp);
    }
    for (const auto& send : node.writer->Resend(read)) Put(next, node, send);
    Tell(next, node);
    Visit(std::move(next), from, who + " reads up to message " + std::to_string(read) + ", and sends the rest again");
  }

  void Deliver(const State& state, std::size_t i, std::size_t from) {
    State next = state;
    const Message message = state.network[i];
    next.network.erase(next.network.begin() + static_cast<std::ptrdiff_t>(i));
    const bool taken = !server_compares_ || message.expected == state.stream.size();
    if (taken) next.stream.push_back(message);
    State unanswered = next;
    Insert(next.answers, Answer{message.stamp.claim, message.attempt, message.stamp.number,
                                taken ? next.stream.size() : std::uint64_t{0}});
    const std::string what = Name(message.stamp) + (taken ? " arrives, and is taken" : " arrives, and is refused");
    if (taken) Visit(std::move(unanswered), from, what + "; the answer is lost");
    Visit(std::move(next), from, what);
  }

  void Hear(const State& state, std::size_t i, std::size_t from) {
    State next = state;
    const Answer answer = state.answers[i];
    next.answers.erase(next.answers.begin() + static_cast<std::ptrdiff_t>(i));
    for (Node& node : next.nodes) {
      if (!node.writer || node.claim != answer.claim) continue;
      if (answer.position > 0) {
        node.writer->OnAccepted(answer.attempt, answer.number, answer.position);
      } else {
        node.writer->OnRefused(answer.attempt);
      }
      Tell(next, node);
    }
    Visit(std::move(next), from,
          "writer " + std::to_string(answer.claim) + " hears about message " + std::to_string(answer.number));
  }

  const Bounds bounds_;
  const bool server_compares_;
  std::set<State> seen_;
  std::deque<Found> order_;
  std::size_t owners_ = 0;
  std::string wrong_;
};

constexpr Bounds kManyClaims{.nodes = 2, .claims = 3, .events = 2, .attempts = 1};
constexpr Bounds kManyEvents{.nodes = 2, .claims = 2, .events = 3, .attempts = 2};
constexpr Bounds kFew{.nodes = 2, .claims = 2, .events = 2, .attempts = 1};

// Explores all, and expects that writers followed each other.
template <typename Reader>
void ExpectNoViolation(Bounds bounds, bool server_compares, std::size_t owners) {
  Model<Reader> model(bounds, server_compares);
  EXPECT_EQ(model.Explore(), "");
  EXPECT_EQ(model.owners(), owners);
  std::printf("%zu states\n", model.states());
}

template <typename Reader>
void ExpectViolation(Bounds bounds, bool server_compares) {
  Model<Reader> model(bounds, server_compares);
  const std::string wrong = model.Explore();
  EXPECT_NE(wrong, "");
  std::printf("%s\n", wrong.c_str());
}

TEST(FencedLogModel, NoOrderOfManyClaimsBreaksThePromise) {
  ExpectNoViolation<LogReader>(kManyClaims, true, 2);
}
TEST(FencedLogModel, NoOrderOfManyEventsBreaksThePromise) {
  ExpectNoViolation<LogReader>(kManyEvents, true, 2);
}
TEST(FencedLogModel, TheReadersRuleHoldsEvenIfTheServerComparesNothing) {
  ExpectNoViolation<LogReader>(kFew, false, 2);
}
TEST(FencedLogModel, WithoutAFenceTheBugIsFound) {
  ExpectViolation<TrustingReader>(kFew, false);
}
// One event of a pipeline is late, another node claims in its place, and the next event fits behind the claim.
TEST(FencedLogModel, TheServersComparisonAloneIsNotEnough) {
  ExpectViolation<TrustingReader>(kFew, true);
}

}  // namespace
}  // namespace openseat
