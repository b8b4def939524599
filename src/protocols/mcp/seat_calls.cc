#include "protocols/mcp/seat_calls.h"

#include <algorithm>
#include <utility>

#include "agents/external/seat_token.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {
namespace {

constexpr std::string_view kSeatToken = "seat token";
constexpr Duration kProgressEvery = std::chrono::seconds(10);
constexpr std::size_t kMaxShown = 200;  // bytes of a choice
constexpr Duration kSeatingStep = std::chrono::milliseconds(2);
// How long the new holder of a seat waits for more than its beginning.
constexpr Duration kFirstLook = std::chrono::milliseconds(300);

// The token belongs to no seat, as opposed to one that cannot be played now.
bool IsWrong(const Error& error) {
  return error.code == ErrorCode::kDenied || error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalid;
}

std::string TokenTrouble(const Error& error) {
  std::string text = Sentence(error);
  if (error.code == ErrorCode::kNotFound) text += " A match that is over is kept for a few minutes only.";
  if (IsWrong(error)) text += " create_match and join_table give tokens.";
  return text;
}

}  // namespace

std::string Sentence(const Error& error) {
  std::string text = Ellipsize(error.message, kMaxErrorBytes);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  if (!text.ends_with('.')) text += '.';
  return text;
}

SeatCalls::SeatCalls(TableDirectory& directory, Scheduler& home, Guesses* guesses)
    : directory_(directory), home_(home), guesses_(guesses), epoch_(SecureToken(4)) {}

bool SeatCalls::MayTry(const CallPtr& call) const {
  if (guesses_ == nullptr || call->caller().from.empty()) return true;
  const Result<void> heard = guesses_->MayTry(call->caller().from);
  if (!heard) call->Answer(ToolError(Sentence(heard.error())));
  return heard.has_value();
}

void SeatCalls::Wrong(const CallPtr& call, std::string_view what, std::string text) {
  if (guesses_ != nullptr && !call->caller().from.empty()) {
    const Result<void> told = guesses_->Wrong(what, call->caller().from, call->caller().who);
    if (!told) text = Sentence(told.error());
  }
  Home([call, text = std::move(text)] { call->Answer(ToolError(text)); });
}

void SeatCalls::AtSeat(const CallPtr& call, const std::string& token, Seen seen) {
  call->ForgetParams();
  if (!MayTry(call)) return;
  WithSeat(directory_, home_, token, std::move(seen), [this, call](const Error& error) {
    if (IsWrong(error)) return Wrong(call, kSeatToken, TokenTrouble(error));
    Home([call, text = TokenTrouble(error)] { call->Answer(ToolError(text)); });
  });
}

void SeatCalls::Take(Table& table, SeatIndex seat, std::string name,
                     std::function<void(Result<std::string> token)> taken) {
  AgentSpec spec{"external", {}};
  const std::string secret = MintSeat(spec.options).token;
  table.SeatAgent(seat, std::move(name), std::move(spec),
                  [id = table.id(), secret, taken = std::move(taken)](const Result<SeatIndex>& index) {
                    if (!index) return taken(Fail(index.error()));
                    taken(SeatToken{id, *index, secret}.Text());
                  });
}

void SeatCalls::Choose(const CallPtr& call, Caller caller, const std::string& token, const json::Object& arguments,
                       std::function<void(Chosen)> chosen) {
  AtSeat(
      call, token,
      [this, call, caller, token, arguments, chosen = std::move(chosen)](Table& table, ExternalAgent& agent) mutable {
        SeatView view = LookAt(table, Viewer::Seat(agent.seat()->index()), agent.version());
        Home([this, call, caller, token, arguments, chosen = std::move(chosen), view = std::move(view)]() mutable {
          if (!call->open()) return;
          Result<ChoiceMemory::Meant> meant = choices_.Resolve(token, arguments, Show(view, Detail::kIds), view);
          if (!meant) return Complain(call, caller, token, meant.error().message, view);
          ActNow(call, caller, token, std::move(*meant), view.version, std::move(chosen));
        });
      });
}

void SeatCalls::ActNow(const CallPtr& call, Caller caller, const std::string& token, ChoiceMemory::Meant meant,
                       std::uint64_t since, std::function<void(Chosen)> chosen) {
  const json::Value& data = meant.choice.data;
  Chosen done{.action = CleanText(meant.choice.action, kMaxShown),
              .data = data.is_null() ? std::string() : CleanText(json::Excerpt(data, kMaxShown), kMaxShown),
              .verdict = {},
              .repeated = meant.repeats.has_value(),
              .since = since};
  AtSeat(call, token,
         [this, call, caller, token, meant = std::move(meant), chosen = std::move(chosen), done = std::move(done)](
             Table& table, ExternalAgent& agent) {
           // The agent calls back as long as it lives, and reports when it is destroyed.
           const auto acted = [this, call, caller, token, chosen, done, &table,
                               &agent](const Result<Verdict>& verdict) {
             if (!verdict && verdict.error().code == ErrorCode::kClosed) {
               Home([call, text = Sentence(verdict.error())] { call->Answer(ToolError(text)); });
               return;
             }
             if (!verdict || !verdict->accepted()) {
               const std::string why = verdict ? verdict->message : verdict.error().message;
               SeatView view = LookAt(table, Viewer::Seat(agent.seat()->index()), done.since);
               Home([this, call, caller, token, view = std::move(view),
                     text = Quote(done.action) + " was refused: " + CleanText(why, 4000)] {
                 Complain(call, caller, token, text, view);
               });
               return;
             }
             Home([chosen, all = done, verdict = *verdict]() mutable {
               all.verdict = std::move(verdict);
               chosen(std::move(all));
             });
           };
           if (meant.repeats) return agent.Repeat(*meant.repeats, acted);
           agent.Act(meant.choice, acted);
         });
}

void SeatCalls::Present(const CallPtr& call, const std::string& token, Presentation shown, const std::string& before,
                        const json::Object& more) const {
  for (const auto& member : more) shown.Put(member.key(), member.value());
  const std::string text = News(token) + before + shown.text();
  call->Answer(ToolResult(text, std::move(shown).structured()));
}

void SeatCalls::Complain(const CallPtr& call, Caller caller, const std::string& token, const std::string& what,
                         const SeatView& view) const {
  const std::string news = caller == Caller::kModel ? News(token) : "";
  call->Answer(ToolError(news + what + "\n\n" + Show(view).text()));
}

void SeatCalls::Begin(const CallPtr& call, std::shared_ptr<Wait> wait) {
  call->ForgetParams();
  call->OnlyReads();  // whatever it was to do is done
  if (!call->open() || !MayTry(call)) return;
  call->OnCancelled([this, wait] {
    wait->progress.Cancel();
    WithSeat(
        directory_, home_, wait->token, [wait](Table&, ExternalAgent& agent) { agent.CancelWait(wait->id); },
        [](const Error&) {});
  });
  if (call->wants_progress()) Tick(call, wait);
  Step(call, wait);
}

void SeatCalls::Tick(const CallPtr& call, const std::shared_ptr<Wait>& wait) {
  wait->progress.Set(home_, kProgressEvery, [this, call = std::weak_ptr(call), wait = std::weak_ptr(wait)] {
    const CallPtr live = call.lock();
    const std::shared_ptr<Wait> waiting = wait.lock();
    if (live == nullptr || waiting == nullptr || !live->wants_progress()) return;
    live->Progress(++waiting->ticks, std::nullopt, "waiting for the others");
    Tick(live, waiting);
  });
}

void SeatCalls::Step(const CallPtr& call, const std::shared_ptr<Wait>& wait) {
  if (!call->open()) return;
  const auto missing = [this, call, wait](const Error& error) {
    const bool soon =
        error.code == ErrorCode::kBusy || error.code == ErrorCode::kDenied || error.code == ErrorCode::kNotFound;
    Home([this, call, wait, soon, wrong = IsWrong(error), text = TokenTrouble(error)] {
      if (!call->open()) return;
      if (soon && wait->just_seated && home_.clock().Monotonic() < wait->deadline) {
        home_.After(kSeatingStep, [this, call, wait] { Step(call, wait); });
        return;
      }
      wait->progress.Cancel();
      if (wrong && !wait->just_seated) return Wrong(call, kSeatToken, wait->before + text);
      call->Answer(ToolError(wait->before + text));
    });
  };
  WithSeat(
      directory_, home_, wait->token,
      [this, call, wait](Table& table, ExternalAgent& agent) {
        SeatView view = LookAt(table, Viewer::Seat(agent.seat()->index()), wait->since);
        const Status status = StatusOf(view);
        const Duration left = wait->deadline - agent.seat()->scheduler().clock().Monotonic();
        const bool ready = status == Status::kYourTurn || status == Status::kOver ||
                           (status == Status::kMayAct && wait->since != 0 && WantsAnswer(view));
        if (ready || left <= Duration(0)) {
          Home([this, call, wait, view = std::move(view)] {
            wait->progress.Cancel();
            if (call->open()) Present(call, wait->token, Show(view), wait->before, wait->more);
          });
          return;
        }
        const Duration patience = wait->just_seated ? std::min<Duration>(left, kFirstLook) : left;
        const Result<ExternalAgent::WaitId> waiting =
            agent.Wait(agent.version(), patience, [this, call, wait, patience, left](bool news) {
              Home([this, call, wait, enough = !news && patience < left] {
                if (enough) wait->deadline = home_.clock().Monotonic();
                Step(call, wait);
              });
            });
        if (waiting) {
          wait->id = *waiting;
          return;
        }
        Home([call, wait, text = wait->before + Sentence(waiting.error())] {
          wait->progress.Cancel();
          call->Answer(ToolError(text));
        });
      },
      missing);
}

}  // namespace openseat::mcp
