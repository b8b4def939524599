#include "protocols/openenv/session.h"

#include <algorithm>
#include <utility>

namespace openseat::openenv {
namespace {

constexpr std::size_t kTurn = 64;    // waiting requests that are served before others have their turn
constexpr std::size_t kAtOnce = 16;  // environments
constexpr Duration kAtOnceTime = std::chrono::milliseconds(2);  // or as many of both as take about so long
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxAnswer = 6u << 20;  // less than the default of limits.max_outbox_bytes

json::Limits LimitsOf(const Payer* payer) {
  json::Limits limits{.max_depth = kMaxDepth};
  if (payer != nullptr && payer->limits().max_message_values > 0) {
    limits.max_values = static_cast<std::size_t>(payer->limits().max_message_values);
  }
  return limits;
}

// Of a text that RenderObservation made: after `done` comes at most `metadata` with the match's id.
bool IsDone(std::string_view data) {
  const std::size_t done = data.rfind(R"(,"done":)");
  return done != std::string_view::npos && data.substr(done).starts_with(R"(,"done":true)");
}

}  // namespace

// The answers to a request to several environments, in their order.
struct Session::Batch {
  std::vector<std::string> results;
  std::size_t left = 0;
  std::size_t bytes = 0;  // of all results; what is beyond kMaxAnswer is not kept

  void Put(std::size_t index, std::string text) {
    bytes += text.size();
    if (bytes <= kMaxAnswer) results[index] = std::move(text);
  }
};

Session::Session(Environments& environments, const Game& game, Namer namer, std::shared_ptr<Payer> payer)
    : all_(environments),
      game_(game),
      namer_(namer),
      payer_(std::move(payer)),
      limits_(LimitsOf(payer_.get())),
      waiting_(payer_) {}

Session::~Session() {
  *self_ = nullptr;
}

void Session::OnClosed(const net::Closing&) {
  closed_ = true;
  waiting_.Clear();
  LeaveAll();
}

void Session::LeaveAll() {
  for (const Environment& environment : environments_) all_.Leave(environment.player);
  environments_.clear();
}

void Session::OnText(std::string_view message) {
  if (closed_) return;
  if (!busy_ && !serving_ && waiting_.empty()) {
    serving_ = true;
    Serve(message);
    serving_ = false;
    return Next();
  }
  if (waiting_.Push(std::string(message), message.size())) return;
  const Refusal refusal = waiting_.count().Refuse(payer_.get());
  socket_->Close(net::CloseCodeFor(refusal.limit), refusal.Text());
}

void Session::Next() {
  if (serving_) return;
  serving_ = true;
  const Instant until = socket_->scheduler().clock().Monotonic() + kAtOnceTime;
  for (std::size_t served = 0; !busy_ && !closed_ && !waiting_.empty(); ++served) {
    if (served == kTurn || (served > 0 && socket_->scheduler().clock().Monotonic() >= until)) {
      busy_ = true;
      socket_->Later([self = self_] {
        if (*self == nullptr) return;
        (*self)->busy_ = false;
        (*self)->Next();
      });
      break;
    }
    const std::string message = waiting_.Pop();
    Serve(message);
  }
  serving_ = false;
}

void Session::Finish(std::string_view text) {
  busy_ = false;
  if (closed_) return;
  socket_->SendText(text);
  Next();
}

Failure Session::FailureOf(const Error& error) const {
  Failure failure = ToFailure(error);
  if (error.code != ErrorCode::kBusy || !error.path.starts_with("limits.")) return failure;
  failure.code = Code::kCapacity;
  std::uint64_t open = 0;
  std::uint64_t most = 0;
  if (payer_ != nullptr) {
    const bool of_key = error.path.ends_with(SettingOf(Limit::kMatchesOfKey));
    open = of_key ? payer_->held_by_key(Holding::kMatches) : payer_->held(Holding::kMatches);
    most = of_key ? payer_->key_limits().max_matches_per_key : payer_->limits().max_matches_per_address;
  }
  failure.details = {{"active_sessions", open}, {"max_sessions", most}};
  return failure;
}

void Session::Refuse(const Failure& failure) {
  if (failure.closes()) {
    // The client is to read the reason before the end.
    closed_ = true;
    busy_ = false;
    socket_->SendText(EncodeError(failure));
    LeaveAll();
    return socket_->Close(net::close_code::kPolicy, failure.message);
  }
  Finish(EncodeError(failure));
}

void Session::Serve(std::string_view message) {
  busy_ = true;
  auto request = DecodeRequest(message, limits_);
  if (!request) return Refuse(request.error());
  Run(*request);
}

void Session::Run(Request& request) {
  switch (request.type) {
    case Request::Type::kReset:
      return Reset(request);
    case Request::Type::kResetMany:
      return ResetMany(request);
    case Request::Type::kStepMany:
      return StepMany(request);
    case Request::Type::kMcp:
      return Finish(EncodeReply("mcp", json::Write(AnswerRpc(request.rpc))));
    case Request::Type::kClose:
      closed_ = true;
      LeaveAll();
      return socket_->Close(net::close_code::kNormal, "");
    case Request::Type::kStep:
    case Request::Type::kState:
      break;
  }
  const bool step = request.type == Request::Type::kStep;
  if (environments_.empty() || many_) {
    if (!step && !many_) return Finish(EncodeReply("state", R"({"episode_id":null,"step_count":0})"));
    return Refuse({.message = many_ ? "environments of reset_many are stepped by step_many"
                                    : "there is no episode yet: reset begins one"});
  }
  const auto answered = [self = self_, step](Result<std::string> text) {
    if (*self == nullptr) return;
    if (!text) return (*self)->Refuse((*self)->FailureOf(text.error()));
    // The next reset takes another place.
    if (step && IsDone(*text) && !(*self)->environments_.empty()) (*self)->environments_[0].place.Release();
    (*self)->Finish(EncodeReply(step ? "observation" : "state", *text));
  };
  if (step) return all_.Step(socket_->scheduler(), environments_[0].player, std::move(*request.actions[0]), answered);
  all_.State(socket_->scheduler(), environments_[0].player, answered);
}

Result<ResetOptions> Session::ReadOptions(const json::Object& arguments) const {
  return ReadReset(arguments, game_, all_.kinds(), namer_);
}

void Session::Reset(Request& request) {
  Result<ResetOptions> options = ReadOptions(request.arguments);
  if (!options) return Refuse(FailureOf(options.error()));
  LeaveAll();
  many_ = false;
  environments_.resize(1);
  environments_[0].seed = options->seed;
  environments_[0].options = std::make_shared<const ResetOptions>(std::move(*options));
  Begin(0, [self = self_](Result<std::string> text) {
    if (*self == nullptr) return;
    if (!text) {
      (*self)->LeaveAll();
      return (*self)->Refuse((*self)->FailureOf(text.error()));
    }
    (*self)->Finish(EncodeReply("observation", *text));
  });
}

Result<void> Session::TakePlace(Environment& environment) {
  if (environment.place) return {};
  // What is recorded is counted for each episode: see Begin.
  Result<Lease> place = PlaceForMatch(payer_.get(), socket_->scheduler().clock().Monotonic(), /*recorded=*/false);
  if (!place) return Fail(std::move(place).error());
  environment.place = std::move(*place);
  return {};
}

void Session::Begin(std::size_t index, std::function<void(Result<std::string>)> told) {
  Environment& environment = environments_[index];
  all_.Leave(std::exchange(environment.player, {}));
  environment.done = false;
  auto answered = [self = self_, index, told = std::move(told)](Result<std::string> text) {
    if (*self != nullptr && index < (*self)->environments_.size()) {
      Environment& begun = (*self)->environments_[index];
      // An episode that could not begin may be tried again with its seed.
      begun.done = !text;
      if (text && begun.seed) *begun.seed += (*self)->environments_.size();
    }
    told(std::move(text));
  };
  if (payer_ && environment.options->record) {
    const Instant now = socket_->scheduler().clock().Monotonic();
    if (const std::optional<Refusal> refused = payer_->RefuseToRecord(now)) return answered(Fail(refused->ToError()));
  }
  if (Result<void> place = TakePlace(environment); !place) return answered(Fail(std::move(place).error()));
  ResetOptions options = *environment.options;
  options.seed = environment.seed;
  options.player.payer = payer_;
  all_.Reset(
      socket_->scheduler(), game_, std::move(options), nullptr,
      [self = self_, index, &all = all_](PlayerRef player) {
        // The socket may have left while it joined an episode elsewhere.
        if (*self == nullptr || (*self)->closed_ || index >= (*self)->environments_.size()) return all.Leave(player);
        (*self)->environments_[index].player = player;
      },
      std::move(answered));
}

void Session::ResetMany(Request& request) {
  Result<ResetOptions> options = ReadOptions(request.arguments);
  if (!options) return Refuse(FailureOf(options.error()));
  if (options->open) {
    return Refuse(
        {.code = Code::kValidation, .message = "environments of reset_many have no open seats", .path = "opponents"});
  }
  if (Result<void> can = all_.Check(game_, *options); !can) return Refuse(FailureOf(can.error()));
  LeaveAll();
  many_ = false;
  environments_.resize(request.count);
  for (Environment& environment : environments_) {
    Result<void> place = TakePlace(environment);
    if (place) continue;
    LeaveAll();
    return Refuse(FailureOf(place.error()));
  }
  many_ = true;
  auto batch = std::make_shared<Batch>();
  batch->results.resize(request.count);
  batch->left = request.count;
  auto failed = std::make_shared<std::optional<Error>>();
  const auto begin = [this, batch, failed, options = std::make_shared<const ResetOptions>(std::move(*options)),
                      seeds = std::move(request.seeds)](std::size_t i) {
    Environment& environment = environments_[i];
    environment.options = options;
    if (!seeds.empty()) {
      environment.seed = seeds[i];
    } else if (options->seed) {
      environment.seed = *options->seed + i;
    }
    const auto begun = [self = self_, batch, failed, i](Result<std::string> text) {
      if (*self == nullptr) return;
      if (text) {
        batch->Put(i, std::move(*text));
      } else if (!*failed) {
        *failed = text.error();
      }
      if (--batch->left > 0) return;
      if (!*failed) return (*self)->FinishMany(*batch);
      (*self)->many_ = false;
      (*self)->LeaveAll();
      (*self)->Refuse((*self)->FailureOf(**failed));
    };
    // One that cannot begin ends all.
    if (*failed) return begun(Fail(**failed));
    Begin(i, begun);
  };
  InTurns(0, request.count, std::make_shared<const std::function<void(std::size_t)>>(begin));
}

void Session::InTurns(std::size_t from, std::size_t count, const ForEach& run) {
  const Instant until = socket_->scheduler().clock().Monotonic() + kAtOnceTime;
  std::size_t end = from;
  do {
    (*run)(end++);
    // The client may have been refused.
    if (closed_) return;
  } while (end < std::min(count, from + kAtOnce) && socket_->scheduler().clock().Monotonic() < until);
  if (end == count) return;
  socket_->Later([self = self_, end, count, run] {
    if (*self != nullptr && !(*self)->closed_) (*self)->InTurns(end, count, run);
  });
}

void Session::Step(std::size_t index, StepAction action, std::function<void(Result<std::string>)> answered) {
  Environment& environment = environments_[index];
  if (!environment.done || !environment.options->autoreset) {
    return all_.Step(socket_->scheduler(), environment.player, std::move(action), answered);
  }
  Begin(index, std::move(answered));
}

void Session::FinishMany(const Batch& batch) {
  std::size_t size = batch.bytes;
  if (size <= kMaxAnswer) {
    const std::string text = EncodeReply("observations", EncodeResults(batch.results));
    if (text.size() <= kMaxAnswer) return Finish(text);
    size = text.size();
  }
  many_ = false;
  LeaveAll();
  Refuse({.code = Code::kValidation,
          .message = "the answer of " + std::to_string(batch.results.size()) + " environments would have " +
                     std::to_string(size) + " bytes, more than " + std::to_string(kMaxAnswer) +
                     "; begin fewer with reset_many, or want fewer of the fields",
          .path = "count"});
}

void Session::StepMany(Request& request) {
  if (!many_ || environments_.empty() || request.actions.size() != environments_.size()) {
    return Refuse({.code = Code::kValidation,
                   .message = "step_many has one action for each of the " +
                              std::to_string(many_ ? environments_.size() : 0) + " environments of reset_many; got " +
                              std::to_string(request.actions.size()),
                   .path = "actions"});
  }
  auto batch = std::make_shared<Batch>();
  batch->results.assign(request.actions.size(), "null");
  batch->left = request.actions.size();
  const auto one_less = [self = self_, batch] {
    if (--batch->left == 0) (*self)->FinishMany(*batch);
  };
  const auto step =
      [this, batch, one_less,
       actions = std::make_shared<std::vector<std::optional<StepAction>>>(std::move(request.actions))](std::size_t i) {
        if (!(*actions)[i]) return one_less();
        Step(i, std::move(*(*actions)[i]), [self = self_, batch, one_less, i](Result<std::string> text) {
          if (*self == nullptr) return;
          // After an error, too, autoreset begins another episode.
          if (i < (*self)->environments_.size()) {
            Environment& stepped = (*self)->environments_[i];
            stepped.done = !text || IsDone(*text);
            if (text && stepped.done && !stepped.options->autoreset) stepped.place.Release();
          }
          if (text) {
            batch->Put(i, std::move(*text));
          } else {
            const json::Object error = ErrorData((*self)->FailureOf(text.error()));
            batch->Put(i, json::Write(json::Object{{"error", error}}));
          }
          one_less();
        });
      };
  InTurns(0, environments_.size(), std::make_shared<const std::function<void(std::size_t)>>(step));
}

}  // namespace openseat::openenv
