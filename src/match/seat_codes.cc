#include "match/seat_codes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/digest.h"
#include "base/secure_random.h"

namespace openseat {
namespace {

constexpr std::size_t kCodeLength = 26;  // 130 bits

}  // namespace

std::string SeatCodes::Put(SeatPass pass, std::string_view owner, Instant now) {
  std::erase_if(kept_, [&](const Kept& kept) {
    return kept.until <= now || (kept.pass.match == pass.match && kept.pass.player == pass.player);
  });
  if (static_cast<std::size_t>(std::ranges::count(kept_, owner, &Kept::owner)) == kMostOfOne) {
    kept_.erase(std::ranges::find(kept_, owner, &Kept::owner));
  }
  if (kept_.size() == kMost) {
    std::unordered_map<std::string_view, std::size_t> of_owner;
    for (const Kept& each : kept_) ++of_owner[each.owner];
    const auto most = std::ranges::max_element(of_owner, {}, [](const auto& entry) { return entry.second; });
    kept_.erase(std::ranges::find(kept_, most->first, &Kept::owner));
  }
  std::string code = SecureToken(kCodeLength);
  kept_.push_back({Sha256Hex(code), std::move(pass), std::string(owner), now + kLife});
  return code;
}

std::optional<SeatPass> SeatCodes::Take(std::string_view code, Instant now) {
  const auto found = std::ranges::find(kept_, Sha256Hex(code), &Kept::code_hash);
  if (found == kept_.end()) return std::nullopt;
  std::optional<SeatPass> pass;
  if (found->until > now) pass = std::move(found->pass);
  kept_.erase(found);
  return pass;
}

bool SeatCodes::Has(std::string_view code, Instant now) const {
  const auto found = std::ranges::find(kept_, Sha256Hex(code), &Kept::code_hash);
  return found != kept_.end() && found->until > now;
}

}  // namespace openseat
