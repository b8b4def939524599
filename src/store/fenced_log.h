// FencedLog: who may write a stream, and which of its messages count. Pure: no I/O, no clock. docs/cluster.md explains
// the protocol, and tests/cluster/model_test.cc explores every order of events of these very classes.
//
// A stream is a total order of messages that anybody may append to, each with the number that the stream's last message
// is expected to have. A writer appends a claim first; a later claim ends an earlier one.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace openseat::store {

// What every message of a stream says about itself.
struct LogStamp {
  std::uint64_t epoch = 0;   // how many claims counted, up to and including the writer's
  std::uint64_t claim = 0;   // random: tells claims of the same epoch apart
  std::uint64_t number = 0;  // 0: the claim itself; its writer's messages are numbered from 1

  auto operator<=>(const LogStamp&) const = default;
};

// The rule that all readers share: a claim counts if its epoch is the next one; any other message counts if it belongs
// to the last claim that counted, and follows its writer's previous message that counted. So whatever a writer that
// was replaced, or lost a message on the way, still adds to the stream changes nothing.
class LogReader {
 public:
  // The next message of the stream. Returns whether it counts.
  bool Take(const LogStamp& stamp) {
    const bool claims = stamp.number == 0;
    const bool counts =
        claims ? stamp.epoch == last_.epoch + 1
               : stamp.epoch == last_.epoch && stamp.claim == last_.claim && stamp.number == last_.number + 1;
    if (counts) last_ = stamp;
    return counts;
  }
  // The last one that counted.
  const LogStamp& last() const { return last_; }

  auto operator<=>(const LogReader&) const = default;

 private:
  LogStamp last_;
};

// The writing end. Its owner sends what Append and Resend return, reports the answers, and whenever the writer is in
// doubt, reads on in the stream and reports that. Reader is LogReader, except in the model that shows why.
template <typename Reader>
class BasicLogWriter {
 public:
  // A message to send: number `stamp.number` of this writer, if the stream's last message is number `expected`.
  struct Send {
    LogStamp stamp;
    std::uint64_t expected = 0;
    std::uint64_t attempt = 0;  // to be reported with the answer

    auto operator<=>(const Send&) const = default;
  };

  // `read` has read the stream up to its message `position`. The first Append is the claim.
  BasicLogWriter(Reader read, std::uint64_t position, std::uint64_t claim)
      : reader_(read), position_(position), epoch_(read.last().epoch + 1), claim_(claim), next_expected_(position) {}

  // The next message; nullopt if it has to wait for Resend, because the writer is in doubt.
  std::optional<Send> Append() {
    const std::uint64_t number = made_++;
    if (doubt_ || lost_) return std::nullopt;
    return Sent(number);
  }

  // The stream has message `number`, sent in this attempt, as its message `position`.
  void OnAccepted(std::uint64_t attempt, std::uint64_t number, std::uint64_t position) {
    if (attempt != attempt_ || doubt_ || lost_ || number < confirmed_) return;
    accepted_[number] = position;
    while (!accepted_.empty() && accepted_.begin()->first == confirmed_) {
      const std::uint64_t at = accepted_.begin()->second;
      accepted_.erase(accepted_.begin());
      // Something else is in between: only reading tells what.
      if (at != position_ + 1) return Doubt();
      OnRead(at, {epoch_, claim_, confirmed_});
    }
  }
  // A message of this attempt was refused, or its answer did not come in time.
  void OnRefused(std::uint64_t attempt) {
    if (attempt == attempt_) Doubt();
  }
  // From now on, only reading tells what the stream has.
  void Doubt() {
    doubt_ = true;
    accepted_.clear();
  }

  // The stream's next message after position(), read while in doubt. Returns whether it counts.
  bool OnRead(std::uint64_t position, const LogStamp& stamp) {
    position_ = position;
    if (!reader_.Take(stamp)) return false;
    if (stamp.epoch == epoch_ && stamp.claim == claim_) {
      confirmed_ = stamp.number + 1;
    } else if (stamp.epoch >= epoch_) {
      lost_ = true;  // an earlier epoch: what the predecessor had sent before our claim arrived
    }
    return true;
  }
  // The stream was read up to `position`, its last message, which may have been deleted. Ends the doubt; returns what
  // to send again.
  std::vector<Send> Resend(std::uint64_t position) {
    std::vector<Send> out;
    position_ = position;
    if (lost_) return out;
    doubt_ = false;
    accepted_.clear();
    ++attempt_;
    next_expected_ = position_;
    for (std::uint64_t number = confirmed_; number < made_; ++number) out.push_back(Sent(number));
    return out;
  }

  // How many messages are in the stream, and count: they will be read by everybody. The claim is the first.
  std::uint64_t confirmed() const { return confirmed_; }
  std::uint64_t made() const { return made_; }
  // Another claim counts: nothing more of this writer ever will.
  bool lost() const { return lost_; }
  bool doubt() const { return doubt_ && !lost_; }
  // Its claim counts, as far as it knows.
  bool owns() const { return confirmed_ > 0 && !lost_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t attempt() const { return attempt_; }
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t claim() const { return claim_; }
  const Reader& reader() const { return reader_; }

  auto operator<=>(const BasicLogWriter&) const = default;

 private:
  Send Sent(std::uint64_t number) { return {{epoch_, claim_, number}, next_expected_++, attempt_}; }

  Reader reader_;
  std::uint64_t position_;  // read up to here
  std::uint64_t epoch_;
  std::uint64_t claim_;
  std::uint64_t next_expected_;
  std::uint64_t made_ = 0;
  std::uint64_t confirmed_ = 0;
  std::uint64_t attempt_ = 0;
  std::map<std::uint64_t, std::uint64_t> accepted_;  // answers that came before an earlier one's, by number
  bool doubt_ = false;
  bool lost_ = false;
};

using LogWriter = BasicLogWriter<LogReader>;

}  // namespace openseat::store
