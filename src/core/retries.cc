#include "core/retries.h"

#include <utility>

#include "base/digest.h"

namespace openseat {
namespace {

constexpr std::size_t kHashDigits = 24;

}  // namespace

std::string RequestTag(std::string_view key, std::string_view request) {
  return Sha256Hex(key).substr(0, kHashDigits) + ':' + Sha256Hex(request).substr(0, kHashDigits);
}

Retries::Known Retries::Compare(std::string_view known, std::string_view tag) {
  if (known == tag) return Known::kSame;
  return known.substr(0, known.find(':')) == tag.substr(0, tag.find(':')) ? Known::kOther : Known::kNew;
}

Retries::Known Retries::Find(std::string_view tag) const {
  for (const std::string& known : tags_) {
    if (const Known found = Compare(known, tag); found != Known::kNew) return found;
  }
  return Known::kNew;
}

void Retries::Add(std::string tag) {
  if (tags_.size() == kMost) tags_.erase(tags_.begin());
  tags_.push_back(std::move(tag));
}

}  // namespace openseat
