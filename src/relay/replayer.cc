#include "relay/replayer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace openseat::relay {
namespace {

constexpr std::size_t kShownMessage = 200;
constexpr std::size_t kMaxUnmatched = 1000;

std::string ShownMessage(std::string_view message) {
  return Ellipsize(Printable(message), kShownMessage);
}

std::string_view KindName(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kChanged:
      return "changed";
    case Finding::Kind::kMissing:
      return "missing";
    case Finding::Kind::kUnexpected:
      return "unexpected";
    case Finding::Kind::kReordered:
      return "reordered";
    case Finding::Kind::kNote:
      return "note";
  }
  return "";
}

}  // namespace

std::string FindingText(const Finding& finding) {
  std::string where = (finding.seq == 0 ? std::string() : "#" + std::to_string(finding.seq) + " ") +
                      (finding.command.empty() ? "" : Printable(finding.command) + ": ");
  switch (finding.kind) {
    case Finding::Kind::kChanged: {
      std::string text = where + "the game says something else";
      for (const Change& change : finding.changes) {
        text += "\n    " + (change.path.empty() ? "the message" : Printable(change.path)) + ": ";
        text += change.expected.empty() ? "nothing" : change.expected;
        text += " then, ";
        text += (change.found.empty() ? "nothing" : change.found) + " now";
      }
      return text;
    }
    case Finding::Kind::kMissing:
      return where + "the game no longer says " + finding.text;
    case Finding::Kind::kUnexpected:
      return where + "the game also says " + finding.text;
    case Finding::Kind::kReordered:
      return where + "in another order than then";
    case Finding::Kind::kNote:
      return where + finding.text;
  }
  return where;
}

json::Object FindingJson(const Finding& finding) {
  json::Object out{{"kind", KindName(finding.kind)}};
  if (finding.seq != 0) out["seq"] = finding.seq;
  if (!finding.command.empty()) out["command"] = finding.command;
  if (!finding.text.empty()) out["text"] = finding.text;
  if (finding.changes.empty()) return out;
  json::Array changes;
  for (const Change& change : finding.changes) {
    changes.push_back(json::Object{{"path", change.path}, {"then", change.expected}, {"now", change.found}});
  }
  out["changes"] = std::move(changes);
  return out;
}

Replayer::Replayer(const Recording& recording, ReplayOptions options, Scheduler& scheduler, ReplayPort& port)
    : recording_(recording), options_(std::move(options)), scheduler_(scheduler), port_(port) {}

void Replayer::Start() {
  started_ = true;
  last_ = progress_ = scheduler_.clock().Monotonic();
  Advance();
}

void Replayer::OnConnected() {
  connected_ = true;
  Advance();
}

void Replayer::OnClosed() {
  connected_ = false;
  Advance();
}

void Replayer::OnMessage(std::string_view message, bool binary) {
  if (finished_ || IsIgnored(CommandOf(message), options_.ignored)) return;
  if (unmatched_.size() >= kMaxUnmatched) {
    Report({Finding::Kind::kNote, 0, "", {}, "the game said too much that the recording does not have"});
    return Stop();
  }
  if (binary) Report({Finding::Kind::kNote, 0, CommandOf(message), {}, "came as a binary frame"});
  unmatched_.push_back({std::string(message), 0});
  Advance();
}

void Replayer::Advance() {
  if (!started_ || finished_) return;
  while (next_ < recording_.cues.size()) {
    const Cue& cue = recording_.cues[next_];
    if (!Follow(cue)) {
      if (!finished_) Wait();
      return;
    }
    if (finished_) return;
    ++next_;
    paced_ = false;
    last_ = progress_ = scheduler_.clock().Monotonic();
  }
  Satisfied();
  if (!finished_) Wait();
}

bool Replayer::Follow(const Cue& cue) {
  switch (cue.kind) {
    case Cue::Kind::kConnected:
      return Satisfied() && connected_;
    case Cue::Kind::kDisconnected: {
      if (!Satisfied()) return false;
      const auto rest = recording_.cues.begin() + static_cast<std::ptrdiff_t>(next_);
      const bool comes_back =
          std::any_of(rest, recording_.cues.end(), [](const Cue& each) { return each.kind == Cue::Kind::kConnected; });
      if (comes_back && connected_) {
        connected_ = false;
        port_.Cut();
      }
      return true;
    }
    case Cue::Kind::kFromGame:
      if (IsIgnored(CommandOf(cue.text), options_.ignored)) return true;
      expected_.push_back({&cue, ++expected_numbers_});
      return true;
    case Cue::Kind::kGap:
      Report({Finding::Kind::kNote,
              cue.seq,
              "",
              {},
              "the recording has a gap here, so later differences may come from it"});
      return true;
    case Cue::Kind::kToGame:
      break;
  }
  if (!Satisfied() || !connected_) return false;
  if (options_.in_time && next_ > 0 && !paced_) {
    const Duration then = cue.time - recording_.cues[next_ - 1].time;
    const Duration left = then - (scheduler_.clock().Monotonic() - last_);
    if (left > Duration(0)) {
      pace_timer_.Set(scheduler_, left, [this] {
        paced_ = true;
        Advance();
      });
      return false;
    }
  }
  ++report_.sent;
  port_.Send(cue.text);
  return true;
}

bool Replayer::Satisfied() {
  MatchAll();
  return expected_.empty();
}

void Replayer::MatchAll() {
  for (auto message = unmatched_.begin(); message != unmatched_.end() && !expected_.empty();) {
    message = MatchOne(*message) ? unmatched_.erase(message) : std::next(message);
  }
}

// Takes a message for the first one that is expected and is the same. Each pair is compared once.
bool Replayer::MatchOne(Unmatched& message) {
  if (message.compared == expected_numbers_) return false;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (expected_[i].number <= message.compared) continue;
    const Cue& cue = *expected_[i].cue;
    const Comparison comparison = Compare(cue.text, message.text, options_.ignored);
    if (!comparison.changes.empty()) continue;
    if (i > 0) {
      ++report_.reordered;
      Report({Finding::Kind::kReordered, cue.seq, CommandOf(cue.text), {}, ""});
    }
    Count(comparison);
    expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  message.compared = expected_numbers_;
  return false;
}

void Replayer::Count(const Comparison& comparison) {
  ++(comparison.same_bytes ? report_.same_bytes : report_.same_json);
  progress_ = scheduler_.clock().Monotonic();
}

// Sets what ends the present wait.
void Replayer::Wait() {
  const Duration left = std::max(options_.patience - (scheduler_.clock().Monotonic() - progress_), Duration(0));
  if (next_ >= recording_.cues.size() && expected_.empty()) {
    settle_timer_.Cancel();
    patience_timer_.Set(scheduler_, connected_ ? std::min(options_.quiet, left) : Duration(0), [this] { Finish(); });
    return;
  }
  if (!expected_.empty() && !unmatched_.empty()) {
    settle_timer_.Set(scheduler_, options_.settle, [this] { Settle(); });
  }
  patience_timer_.Set(scheduler_, left, [this] { GiveUp(); });
}

void Replayer::Settle() {
  for (std::size_t i = 0; i < expected_.size() && !finished_;) {
    const Cue& cue = *expected_[i].cue;
    const std::string command = CommandOf(cue.text);
    const std::string slot = SlotOf(cue.text);
    const auto like = std::ranges::find_if(unmatched_, [&](const Unmatched& message) {
      return CommandOf(message.text) == command && SlotOf(message.text) == slot;
    });
    if (like == unmatched_.end()) {
      ++i;
      continue;
    }
    Finding finding{Finding::Kind::kChanged, cue.seq, command, Compare(cue.text, like->text, options_.ignored).changes,
                    ShownMessage(like->text)};
    unmatched_.erase(like);
    expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(i));
    ++report_.changed;
    progress_ = scheduler_.clock().Monotonic();
    Report(finding);
  }
  if (expected_.empty()) Advance();
}

void Replayer::GiveUp() {
  settle_timer_.Cancel();
  if (!connected_) {
    Report({Finding::Kind::kNote,
            0,
            "",
            {},
            report_.sent == 0 && unmatched_.empty() ? "no game connected" : "the game is gone, and did not come back"});
    return Stop();
  }
  while (!expected_.empty() && !finished_) {
    const Cue& cue = *expected_.front().cue;
    expected_.pop_front();
    const std::string command = CommandOf(cue.text);
    ++report_.missing;
    Report({Finding::Kind::kMissing, cue.seq, command, {}, ShownMessage(cue.text)});
  }
  progress_ = scheduler_.clock().Monotonic();
  Advance();
}

void Replayer::Report(const Finding& finding) {
  const bool counts = finding.kind != Finding::Kind::kNote && finding.kind != Finding::Kind::kReordered;
  port_.Found(finding);
  if (counts && options_.max_differences != 0 && report_.differences() >= options_.max_differences) Stop();
}

void Replayer::Stop() {
  if (finished_) return;
  for (std::size_t i = next_; i < recording_.cues.size(); ++i) {
    report_.not_reached += recording_.cues[i].kind == Cue::Kind::kFromGame ? 1 : 0;
  }
  report_.not_reached += expected_.size();
  expected_.clear();
  unmatched_.clear();  // it is open what they would have been taken for
  Finish();
}

void Replayer::Finish() {
  if (std::exchange(finished_, true)) return;
  patience_timer_.Cancel();
  settle_timer_.Cancel();
  pace_timer_.Cancel();
  std::size_t shown = 0;
  for (const Unmatched& message : unmatched_) {
    const std::string command = CommandOf(message.text);
    ++report_.unexpected;
    if (options_.max_differences == 0 || ++shown <= options_.max_differences) {
      port_.Found({Finding::Kind::kUnexpected, 0, command, {}, ShownMessage(message.text)});
    }
  }
  port_.Finished();
}

}  // namespace openseat::relay
