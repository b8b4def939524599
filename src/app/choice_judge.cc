#include "app/choice_judge.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "arena/analysis.h"
#include "base/budget.h"
#include "base/loop_bill.h"
#include "base/turns.h"

namespace openseat::app {
namespace {

constexpr std::uint64_t kJudgeIterations = 400;  // docs/protocols/openenv.md has the number

// Counts the refusal.
Error TooMany(const Payer* payer) {
  Error error = RefuseFor(payer, Limit::kJudgedChoices, kMaxToJudge).ToError();
  error.message += "; try again, or use another reward";
  return error;
}

class JudgeQueue : public std::enable_shared_from_this<JudgeQueue> {
 public:
  explicit JudgeQueue(WorkerPool& pool) : pool_(pool), most_running_(std::max<std::size_t>(1, pool.size() / 2)) {}

  struct Entry {
    openenv::ChoiceJudge::Question asked;
    Scheduler* scheduler = nullptr;
    Billed<std::function<void(Result<double> loss)>> judged;
  };

  Result<void> Add(Entry entry) {
    std::vector<Entry> stopped;  // states of games, which take long to delete, go without the lock
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= kMaxToJudge) {
        stopped = waiting_.TakeIf([](const Entry& each) { return each.asked.stop.stop_requested(); });
      }
      const std::string address = AddressOf(entry.asked.payer.get());
      if (waiting_.size() >= kMaxToJudge) {
        // It is full of those who ask much: who asks less takes the place of one of theirs.
        const std::string largest = waiting_.Largest();
        if (waiting_.SizeOf(largest) <= waiting_.SizeOf(address) + 1) return Fail(TooMany(entry.asked.payer.get()));
        Entry& dropped = stopped.emplace_back(waiting_.TakeNewest(largest));
        const LoopSharePtr payer = dropped.judged.payer();
        const LoopBill bill(payer);
        dropped.scheduler->Post([judged = std::move(dropped.judged),
                                 why = TooMany(dropped.asked.payer.get())]() mutable { judged(Fail(why)); });
      }
      waiting_.Add(address, std::move(entry));
      if (running_ == most_running_) return {};
      ++running_;
    }
    Post();
    return {};
  }

 private:
  void Post() {
    const LoopBill bill(kNobody);
    pool_.Post([self = shared_from_this()] { self->JudgeOne(); });
  }

  // One at a time: what others posted to the pool meanwhile goes first.
  void JudgeOne() {
    Entry entry;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        --running_;
        return;
      }
      entry = waiting_.Take();
    }
    Judge(entry);
    Post();
  }

  static void Judge(Entry& entry) {
    if (entry.asked.stop.stop_requested()) return;
    const LoopSharePtr payer = entry.judged.payer();
    const LoopBill bill(payer);
    const openenv::ChoiceJudge::Question& asked = entry.asked;
    PastDecision decision{.seat = asked.seat, .before = asked.state, .game = asked.game};
    decision.choice = {asked.seat, asked.choice.action, asked.choice.data, {}};
    const Result<arena::JudgedDecision> found = arena::JudgeDecision(
        *asked.game, decision, {.iterations = kJudgeIterations, .seed = asked.seed}, nullptr, asked.stop);
    if (asked.stop.stop_requested()) return;
    Result<double> loss = found ? Result<double>(found->loss) : Result<double>(Fail(found.error()));
    entry.scheduler->Post([loss = std::move(loss), judged = std::move(entry.judged)]() mutable { judged(loss); });
  }

  WorkerPool& pool_;
  const std::size_t most_running_;
  std::mutex mutex_;
  Turns<Entry> waiting_;  // by address
  std::size_t running_ = 0;
};

}  // namespace

openenv::ChoiceJudge JudgeOn(WorkerPool& pool) {
  return {
      .can = arena::CanAnalyze,
      .judge = [queue = std::make_shared<JudgeQueue>(pool)](openenv::ChoiceJudge::Question asked, Scheduler& scheduler,
                                                            std::function<void(Result<double> loss)> judged) {
        return queue->Add({std::move(asked), &scheduler, std::move(judged)});
      }};
}

}  // namespace openseat::app
