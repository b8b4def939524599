#include "core/transcript.h"

#include <utility>

namespace openseat {

Transcript::Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq)
    : journal_(journal),
      scheduler_(scheduler),
      table_(std::move(table)),
      appended_(last_seq),
      self_(std::make_shared<Transcript*>(this)) {}

Transcript::~Transcript() {
  *self_ = nullptr;
  Flush();
}

Seq Transcript::Add(EventKind kind, std::string payload) {
  pending_.push_back({kind, scheduler_.clock().Now(), std::move(payload)});
  if (!flush_posted_) {
    flush_posted_ = true;
    scheduler_.Post([self = self_] {
      if (*self != nullptr) {
        (*self)->flush_posted_ = false;
        (*self)->Flush();
      }
    });
  }
  return last_seq();
}

void Transcript::Commit(EventKind kind, std::string payload, Journal::AppendDone done) {
  pending_.push_back({kind, scheduler_.clock().Now(), std::move(payload)});
  Append(std::move(done));
}

void Transcript::Flush() {
  if (!pending_.empty()) Append(nullptr);
}

void Transcript::Append(Journal::AppendDone done) {
  const Seq expected = appended_;
  appended_ += pending_.size();
  journal_.Append(table_, expected, std::exchange(pending_, {}), scheduler_, std::move(done));
}

}  // namespace openseat
