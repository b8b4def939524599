#include "store/journal_room.h"

#include "base/file.h"

namespace openseat::store {
namespace {

// What of this reserve an append on these terms leaves to others.
std::uint64_t ReserveFor(std::uint64_t reserve, const AppendTerms& terms) {
  if (terms.expendable) return reserve;
  return terms.of_stranger ? reserve / 2 : 0;
}

}  // namespace

std::string ReservedFor(const AppendTerms& terms) {
  return terms.expendable ? "hosted matches" : "matches of this machine and the administrator";
}

Result<void> CheckRoom(const JournalRoom& room, const JournalUse& use, std::uint64_t bytes, const AppendTerms& terms) {
  const std::uint64_t within = ReserveFor(room.reserve_bytes, terms);
  const std::uint64_t used = use.used + bytes;
  const bool bound = room.binds_all || terms.expendable || terms.of_stranger;
  if (room.max_bytes != 0 && bound && used + within > room.max_bytes) {
    const std::string limit = std::to_string(room.max_bytes) + " bytes ([journal] max_bytes)";
    if (used > room.max_bytes) return Fail(ErrorCode::kIo, "the journal has reached its limit of " + limit);
    return Fail(ErrorCode::kIo,
                "the journal is close to its limit of " + limit + "; the rest is reserved for " + ReservedFor(terms));
  }
  const std::uint64_t reserve = ReserveFor(DiskReserve(room.reserve_bytes, use.size), terms);
  const std::uint64_t others = reserve + use.kept;
  if (others == 0 || use.left >= others + bytes) return {};
  const std::string outside(use.outside);
  if (reserve == 0) return Fail(ErrorCode::kIo, outside + " has no room left for the journal");
  return Fail(ErrorCode::kIo,
              outside + " is nearly full; the rest ([journal] reserve_bytes) is reserved for " + ReservedFor(terms));
}

}  // namespace openseat::store
