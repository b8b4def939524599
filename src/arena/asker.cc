#include "arena/asker.h"

#include <cstddef>
#include <utility>

#include "core/judge.h"
#include "match/match_events.h"
#include "match/question.h"

namespace openseat::arena {
namespace {

constexpr const char* kAskedTable = "asked";
constexpr std::size_t kPage = 1'000;

}  // namespace

Asker::Asker(const Game& game, PastDecision decision, std::string name, Scheduler& scheduler,
             RecordingJournal::OnModel on_model)
    : game_(game),
      decision_(std::move(decision)),
      name_(std::move(name)),
      scheduler_(scheduler),
      journal_(std::move(on_model)),
      transcript_(journal_, scheduler, TableId(kAskedTable)),
      seat_(decision_.seat, decision_.before->names()[decision_.seat], *this, scheduler, transcript_, SeatRules{}) {
  transcript_.Add(EventKind::kOpened, R"({"kind":"asked"})");
  seat_.SetBriefing(BriefingOf(game.info(), decision_.seat, seat_.name()));
}

Asker::~Asker() = default;

void Asker::Ask(std::unique_ptr<Agent> agent, Done done) {
  done_ = std::move(done);
  seat_.SetAgent(std::move(agent), NewsSoFar(*decision_.first, *decision_.before, decision_.seat));
  auto sight = std::make_shared<Sight>(game_, decision_.before, Viewer::Seat(decision_.seat));
  ActionSet actions = LegalActions(*sight);
  seat_.Ask(QuestionOf(std::move(sight), DecisionId(decision_.number + 1), std::move(actions)));
}

std::optional<Verdict> Asker::Answer(const Seat& seat, const Choice& choice) {
  if (!IsQuestion(game_.info(), choice.action)) return std::nullopt;
  Result<Ruling> ruling = Judge(*decision_.before, seat.index(), choice.action, choice.data);
  if (!ruling) return Verdict::Refused(std::move(ruling).error());
  Verdict verdict;
  verdict.result = std::move(ruling->result);
  return verdict;
}

void Asker::OnChoice(Seat& seat, const PendingChoice& pending) {
  Result<Ruling> ruling = Judge(*decision_.before, seat.index(), pending.choice.action, pending.choice.data);
  if (!ruling) return seat.Settle(pending.id, Verdict::Refused(std::move(ruling).error()));
  asked_.choice = {pending.choice.action, pending.choice.data};
  asked_.next = ruling->next;
  transcript_.Add(EventKind::kPlayed, PlayedPayload(seat.index(), pending, ruling->result));
  Verdict verdict;
  verdict.result = std::move(ruling->result);
  seat.Settle(pending.id, std::move(verdict));
  Finish();
}

void Asker::OnDecisionEnded(Seat& seat, DecisionId, DecisionEnd) {
  if (asked_.choice) return;
  asked_.failure = json::TextOf(seat.failure(), "reason");
  if (asked_.failure.empty()) asked_.failure = "the agent did not answer";
  Finish();
}

std::unique_ptr<GameState> Asker::Playout(const Seat& seat, Rng& rng) const {
  return decision_.before->Sample(seat.index(), rng);
}

void Asker::Finish() {
  // Later: the seat is still settling its choice, and its agent may still be at work.
  scheduler_.Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired() || !done_) return;
    transcript_.Flush();
    std::vector<std::string> agents(decision_.before->names().size(), name_);
    DecisionLog log(0, game_, std::move(agents));
    for (Seq last = 0;;) {
      const Result<std::vector<StoredEvent>> page = journal_.Read(transcript_.table(), last, kPage);
      if (!page || page->empty()) break;
      for (const StoredEvent& event : *page) log.Add(event, decision_.before.get());
      last = page->back().seq;
    }
    GameLine end;
    end.game_id = game_.info().id;
    log.Finish(end);
    if (std::vector<DecisionRecord> lines = log.TakeDecisions(); !lines.empty()) {
      asked_.line = std::move(lines.front().line);
    }
    std::exchange(done_, {})(std::move(asked_));
  });
}

}  // namespace openseat::arena
