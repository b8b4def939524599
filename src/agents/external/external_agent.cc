#include "agents/external/external_agent.h"

#include <algorithm>
#include <utility>

#include "base/budget.h"
#include "base/check.h"
#include "base/digest.h"
#include "base/text.h"

namespace openseat {
namespace {

constexpr std::size_t kMaxTold = 200;
constexpr std::size_t kMaxToldBytes = 256u << 10;
constexpr std::size_t kHashLength = 64;

Result<std::string> HashOption(const json::Object& options, std::string_view name) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return std::string();
  const bool hash = value->is_string() && value->get_string().size() == kHashLength &&
                    json::View(value->get_string()).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!hash) {
    return Fail(ErrorCode::kInvalid, std::string(name) + " must be 64 lower-case hexadecimal digits",
                std::string(name));
  }
  return std::string(json::View(value->get_string()));
}

// Counts the refusal.
Error TooMany(const Seat& seat) {
  return RefuseFor(seat.payer().get(), Limit::kCallsOfSeat, ExternalAgent::kMostCallers).ToError();
}

bool SameChoice(const Choice& a, const Choice& b) {
  if (!a.retry.empty() && a.retry == b.retry) return true;
  return a.decision && a.decision == b.decision && a.action == b.action && a.data == b.data;
}

}  // namespace

Result<ExternalAgentOptions> ParseExternalAgentOptions(const json::Object& options,
                                                       std::initializer_list<std::string_view> more) {
  for (const auto& member : options) {
    const std::string_view name = json::View(member.key());
    if (name == "token_sha256" || name == "key_sha256" || name == "account" ||
        std::ranges::find(more, name) != more.end())
      continue;
    return Fail(ErrorCode::kInvalid, "an agent played from outside has no option " + Quote(name),
                Ellipsize(name, kQuotedBytes));
  }
  Result<std::string> token = HashOption(options, "token_sha256");
  if (!token) return Fail(std::move(token).error());
  Result<std::string> key = HashOption(options, "key_sha256");
  if (!key) return Fail(std::move(key).error());
  ExternalAgentOptions read{std::move(*token), std::move(*key), {}};
  if (const json::Value* account = json::Find(options, "account")) {
    if (!account->is_string()) return Fail(ErrorCode::kInvalid, "account must be an account's id", "account");
    read.account = json::View(account->get_string());
  }
  return read;
}

ExternalAgent::ExternalAgent(ExternalAgentOptions options) : options_(std::move(options)) {}

// The seat may be partly destroyed: waiting callers are told by tasks of their own.
ExternalAgent::~ExternalAgent() {
  if (scheduler_ == nullptr) return;
  for (Acted& acted : acted_) {
    scheduler_->Post([acted = std::move(acted)] {
      acted(Fail(ErrorCode::kClosed,
                 "the seat was given to another agent, or its table is gone; whether the action counted is not known"));
    });
  }
  for (Waiter& waiter : waiters_) {
    scheduler_->Post([woke = std::move(waiter.woke)]() mutable { woke(false); });
  }
}

bool ExternalAgent::Admits(std::string_view secret) const {
  const std::string hash = Sha256Hex(secret);
  const bool token = !options_.token_hash.empty() && EqualSecrets(hash, options_.token_hash);
  const bool key = !options_.key_hash.empty() && EqualSecrets(hash, options_.key_hash);
  return token || key;
}

void ExternalAgent::AddTold(SeatView& view, std::uint64_t told_after) const {
  view.version = version_;
  view.ended = ended_;
  for (const Told& told : told_) {
    if (told.version > told_after) view.told.push_back(told);
  }
}

void ExternalAgent::Act(Choice choice, Acted acted) {
  if (acting_ && SameChoice(choice, *acting_)) return Join(std::move(acted));
  if (settled_ && SameChoice(choice, settled_->choice)) {
    acted(settled_->verdict);
    return;
  }
  if (seat_ == nullptr || ended_) {
    acted(Fail(ErrorCode::kClosed, seat_ == nullptr ? "the seat is not ready yet" : "the table is over"));
    return;
  }
  if (acting_) {
    acted(Fail(ErrorCode::kBusy, "the action " + Quote(acting_->action) + " still awaits its result; wait for it"));
    return;
  }
  // The verdict may come while Choose runs, but OnVerdict runs only later, as a task of its own.
  if (Result<ChoiceId> chosen = seat_->Choose(choice); !chosen) {
    acted(Fail(std::move(chosen).error()));
    return;
  }
  acting_ = std::move(choice);
  acted_.push_back(std::move(acted));
}

void ExternalAgent::Repeat(DecisionId decision, Acted acted) {
  if (acting_ && acting_->decision == decision) return Join(std::move(acted));
  if (settled_ && settled_->choice.decision == decision) return acted(settled_->verdict);
  acted(Fail(ErrorCode::kNotYourTurn, "that decision is over, and so is what came after it"));
}

void ExternalAgent::Join(Acted acted) {
  if (acted_.size() >= kMostCallers) return acted(tl::unexpected(TooMany(*seat_)));
  acted_.push_back(std::move(acted));
}

Result<ExternalAgent::WaitId> ExternalAgent::Wait(std::uint64_t since, Duration timeout,
                                                  std::function<void(bool)> woke) {
  last_wait_ = last_wait_.Next();
  if (version_ > since || scheduler_ == nullptr) {
    woke(version_ > since);
    return last_wait_;
  }
  if (waiters_.size() >= kMostCallers) return tl::unexpected(TooMany(*seat_));
  Waiter& waiter = waiters_.emplace_back();
  waiter.id = last_wait_;
  waiter.since = since;
  waiter.woke = std::move(woke);
  waiter.timer.Set(*scheduler_, timeout, [this, id = last_wait_] {
    const auto found = std::ranges::find(waiters_, id, &Waiter::id);
    if (found == waiters_.end()) return;
    Billed<std::function<void(bool)>> timed_out = std::move(found->woke);
    waiters_.erase(found);
    timed_out(false);
  });
  return last_wait_;
}

void ExternalAgent::CancelWait(WaitId wait) {
  std::erase_if(waiters_, [wait](const Waiter& waiter) { return waiter.id == wait; });
}

// A caller may wait again at once for what comes next.
void ExternalAgent::Learned() {
  ++version_;
  std::vector<Billed<std::function<void(bool)>>> awake;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    if (version_ > waiter->since) {
      awake.push_back(std::move(waiter->woke));
      waiter = waiters_.erase(waiter);
    } else {
      ++waiter;
    }
  }
  for (Billed<std::function<void(bool)>>& woke : awake) woke(true);
}

void ExternalAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  scheduler_ = &seat.scheduler();
  Learned();
}

void ExternalAgent::OnDecision(const Decision& /*decision*/) {
  Learned();
}

void ExternalAgent::OnDecisionEnded(DecisionId /*decision*/, DecisionEnd /*end*/) {
  Learned();
}

void ExternalAgent::OnContext(const Context& context) {
  told_.push_back({version_ + 1, context});
  told_bytes_ += context.message.size();
  while (told_.size() > kMaxTold || (told_bytes_ > kMaxToldBytes && told_.size() > 1)) {
    told_bytes_ -= told_.front().context.message.size();
    told_.pop_front();
  }
  Learned();
}

void ExternalAgent::OnActionsChanged() {
  Learned();
}

void ExternalAgent::OnVerdict(const Choice& choice, const Verdict& verdict) {
  if (!choice.by.empty() || !acting_) return;  // a person chose
  // As the caller wrote it, so that a repeat is recognized; the seat names the decision if the caller did not.
  acting_->decision = choice.decision;
  if (verdict.accepted() && !acting_->retry.empty()) retries_.Add(acting_->retry);
  // What was refused may be as large as its caller likes.
  if (verdict.accepted()) settled_ = Settled{std::move(*acting_), verdict};
  acting_.reset();
  for (const Acted& acted : std::exchange(acted_, {})) acted(verdict);
  // A refusal changed nothing, so it is news only to the caller; being asked again is news to everyone.
  if (verdict.kind != Verdict::Kind::kRefused) Learned();
}

void ExternalAgent::OnEnd() {
  ended_ = true;
  Learned();
}

}  // namespace openseat
