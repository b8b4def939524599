#include "checker/wording.h"

#include "base/json.h"
#include "base/text.h"

namespace openseat::checker {

std::string Quote(std::string_view text) {
  return "`" + Ellipsize(text, kMaxQuoted) + "`";
}

std::string List(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + Quote(name);
  return out;
}

std::string Seconds(Duration duration) {
  std::string out;
  json::WriteNumber(static_cast<double>(duration.count()) / 1e6, out);
  return out + " s";
}

}  // namespace openseat::checker
