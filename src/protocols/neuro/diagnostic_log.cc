#include "protocols/neuro/diagnostic_log.h"

#include <utility>

#include "base/text.h"

namespace openseat::neuro {

bool DiagnosticLog::Add(Diagnostic diagnostic, std::string message, Time now, Seq seq, std::string_view excerpt) {
  for (Entry& entry : entries_) {
    if (entry.diagnostic == diagnostic && entry.message == message) {
      ++entry.count;
      entry.last = now;
      return false;
    }
  }
  if (entries_.size() >= kMaxEntries) {
    ++dropped_;
    return false;
  }
  entries_.push_back(
      {diagnostic, std::move(message), 1, now, now, seq, SanitizeUtf8(Ellipsize(excerpt, kMaxExcerptBytes))});
  return true;
}

json::Array DiagnosticLog::ToJson() const {
  json::Array out;
  for (const Entry& entry : entries_) {
    const DiagnosticInfo& info = InfoOf(entry.diagnostic);
    json::Object object;
    object["key"] = info.key;
    object["severity"] = SeverityName(info.severity);
    object["message"] = entry.message;
    object["advice"] = info.advice;
    object["count"] = entry.count;
    object["first"] = FormatIso8601(entry.first);
    object["last"] = FormatIso8601(entry.last);
    if (entry.seq != 0) object["seq"] = entry.seq;
    if (!entry.excerpt.empty()) object["excerpt"] = entry.excerpt;
    out.push_back(std::move(object));
  }
  return out;
}

}  // namespace openseat::neuro
