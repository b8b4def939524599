// DiagnosticLog: the oddities found at one table. A repeated finding only increases its count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "core/ids.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::neuro {

class DiagnosticLog {
 public:
  // Returns whether it is a new finding rather than a repeated one. `seq` is the journal's number of the offending
  // message, 0 if there is none; `excerpt` its beginning.
  bool Add(Diagnostic diagnostic, std::string message, Time now, Seq seq, std::string_view excerpt);

  // [{"key", "severity", "message", "advice", "count", "first", "last", "seq"?, "excerpt"?}]
  json::Array ToJson() const;
  std::size_t size() const { return entries_.size(); }
  std::size_t dropped() const { return dropped_; }
  void Clear() {
    entries_.clear();
    dropped_ = 0;
  }

 private:
  static constexpr std::size_t kMaxEntries = 500;
  static constexpr std::size_t kMaxExcerptBytes = 400;

  struct Entry {
    Diagnostic diagnostic;
    std::string message;
    std::size_t count;
    Time first;
    Time last;
    Seq seq;
    std::string excerpt;
  };
  std::vector<Entry> entries_;
  std::size_t dropped_ = 0;  // findings beyond kMaxEntries; they are in the journal
};

}  // namespace openseat::neuro
