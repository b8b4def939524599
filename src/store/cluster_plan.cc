#include "store/cluster_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "base/digest.h"
#include "store/nats_format.h"

namespace openseat::store {
namespace {

constexpr std::string_view kBeatVersion = "1";
constexpr std::string_view kNone = "-";
constexpr std::size_t kMaxWordBytes = 255;
constexpr std::size_t kMaxNodes = 64;

constexpr bool Has(std::uint64_t bits, std::size_t shard) {
  return ((bits >> shard) & 1) != 0;
}

}  // namespace

std::string WriteNodeBeat(const NodeBeat& beat) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", kBeatVersion, beat.node, beat.run, beat.leaving ? 1 : 0, beat.owned,
                     beat.serves, beat.address.empty() ? kNone : beat.address,
                     beat.secret.empty() ? kNone : beat.secret, beat.unfit);
}

Result<NodeBeat> ReadNodeBeat(std::string_view text) {
  // The text may have a secret.
  const auto wrong = [&](const char* what) {
    return Fail(ErrorCode::kParse, "a node says " + std::to_string(text.size()) + " bytes that it should not: " + what);
  };
  std::array<std::string_view, 9> fields;
  std::string_view rest = text;
  for (std::string_view& field : fields) {
    if (rest.empty()) return wrong("too few fields");
    field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
  }
  const auto number = [](std::string_view digits, std::uint64_t& out) {
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && stop == digits.data() + digits.size();
  };
  const auto word = [](std::string_view field, std::string& out) {
    if (field != kNone) out = field;
    return !field.empty() && field.size() <= kMaxWordBytes &&
           std::ranges::all_of(field, [](char c) { return c > ' ' && c < 127; });
  };
  NodeBeat beat;
  beat.node = fields[1];
  beat.leaving = fields[3] == "1";
  if (fields[0] != kBeatVersion) return wrong("another version");
  if (!CheckClusterName(beat.node)) return wrong("no name");
  if (!number(fields[2], beat.run) || !number(fields[4], beat.owned) || !number(fields[5], beat.serves) ||
      !number(fields[8], beat.unfit) || (fields[3] != "0" && fields[3] != "1")) {
    return wrong("no number");
  }
  if (!word(fields[6], beat.address) || !word(fields[7], beat.secret)) return wrong("no address");
  return beat;
}

void ClusterPlan::Hear(const NodeBeat& beat, Instant now) {
  std::erase_if(others_, [&](const auto& each) { return !Lives(each.second, now); });
  if (beat.node == self_ || (others_.size() >= kMaxNodes && !others_.contains(beat.node))) return;
  others_[beat.node] = {beat, now};
}

std::vector<std::string> ClusterPlan::Wanted(Instant now) const {
  std::map<std::string, std::uint64_t> unfit{{self_, unfit_}};  // of each node that may have shards
  for (const auto& [name, known] : others_) {
    if (Lives(known, now) && !known.beat.leaving) unfit.emplace(name, known.beat.unfit);
  }
  // Each shard goes to the first node in an order of its own that has room. Where only some can play its matches, one
  // of these gets it, with room or without.
  const std::size_t room = (shards_ + unfit.size() - 1) / unfit.size();
  std::map<std::string, std::size_t> has;
  std::vector<std::string> out;
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    std::vector<std::tuple<bool, bool, std::string, std::string>> order;
    for (const auto& [node, cannot] : unfit) {
      order.emplace_back(Has(cannot, shard), has[node] >= room, Sha256Hex(std::to_string(shard) + " " + node), node);
    }
    const std::string& first = std::get<3>(*std::ranges::min_element(order));
    ++has[first];
    out.push_back(first);
  }
  return out;
}

bool ClusterPlan::AnotherFits(std::size_t shard, Instant now) const {
  return std::ranges::any_of(others_, [&](const auto& each) {
    const NodeBeat& beat = each.second.beat;
    return Lives(each.second, now) && !beat.leaving && !Has(beat.unfit, shard);
  });
}

std::uint64_t ClusterPlan::TakenByOthers(Instant now) const {
  std::uint64_t out = 0;
  for (const auto& [name, known] : others_) out |= Lives(known, now) ? known.beat.owned : 0;
  return out;
}

std::uint64_t ClusterPlan::ServedByOthers(Instant now) const {
  std::uint64_t out = 0;
  for (const auto& [name, known] : others_) out |= Lives(known, now) ? known.beat.serves : 0;
  return out;
}

std::vector<std::size_t> ClusterPlan::ToClaim(std::uint64_t owned, Instant now) const {
  const std::uint64_t taken = TakenByOthers(now) | owned;
  const std::vector<std::string> wanted = Wanted(now);
  std::vector<std::size_t> out;
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    if (!Has(taken, shard) && wanted[shard] == self_) out.push_back(shard);
  }
  return out;
}

std::vector<std::size_t> ClusterPlan::ToRelease(std::uint64_t owned, Instant now) const {
  const auto without =
      static_cast<std::size_t>(std::popcount(~(TakenByOthers(now) | owned)) - (64 - static_cast<int>(shards_)));
  const std::vector<std::string> wanted = Wanted(now);
  std::vector<std::size_t> out;
  for (std::size_t shard = 0; shard < shards_ && out.size() + without < kMovesAtATime; ++shard) {
    if (Has(owned, shard) && wanted[shard] != self_) out.push_back(shard);
  }
  return out;
}

std::optional<NodeBeat> ClusterPlan::OwnerOf(std::size_t shard, Instant now) const {
  for (const auto& [name, known] : others_) {
    if (Lives(known, now) && Has(known.beat.serves, shard)) return known.beat;
  }
  return std::nullopt;
}

std::vector<NodeBeat> ClusterPlan::Others(Instant now) const {
  std::vector<NodeBeat> out;
  for (const auto& [name, known] : others_) {
    if (Lives(known, now)) out.push_back(known.beat);
  }
  return out;
}

}  // namespace openseat::store
