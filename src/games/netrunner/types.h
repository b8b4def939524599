// The game's terms as small numbers: sides, zones, servers, kinds of cards.
#pragma once

#include <cstddef>
#include <cstdint>

namespace openseat::games::netrunner {

// Also the seat: the Corp sits at 0, the Runner at 1.
enum class Side : std::uint8_t { kCorp, kRunner };

constexpr Side Other(Side side) {
  return side == Side::kCorp ? Side::kRunner : Side::kCorp;
}
constexpr std::size_t At(Side side) {
  return static_cast<std::size_t>(side);
}

enum class CardType : std::uint8_t {
  kIdentity,
  kAgenda,
  kAsset,
  kIce,
  kOperation,
  kUpgrade,
  kEvent,
  kHardware,
  kProgram,
  kResource
};

enum class Faction : std::uint8_t {
  kAnarch,
  kCriminal,
  kShaper,
  kNeutralRunner,
  kHaasBioroid,
  kJinteki,
  kNbn,
  kWeyland,
  kNeutralCorp
};

enum class Subtype : std::uint8_t {
  kAdvertisement,
  kAi,
  kAmbush,
  kAp,
  kBarrier,
  kBioroid,
  kCharacter,
  kChip,
  kCodeGate,
  kConnection,
  kConsole,
  kCyborg,
  kDecoder,
  kDestroyer,
  kExpansion,
  kFracter,
  kGMod,
  kGenetics,
  kGrayOps,
  kHostile,
  kIcebreaker,
  kJob,
  kKiller,
  kMegacorp,
  kNatural,
  kResearch,
  kRun,
  kSecurity,
  kSentry,
  kTransaction,
  kTrojan,
  kVirtual,
  kVirus
};
constexpr std::size_t kSubtypes = 33;
// A set of subtypes, one bit each.
using SubtypeSet = std::uint64_t;

// kDeck is R&D or the stack, kHand HQ or the grip, kDiscard Archives or the heap.
enum class Zone : std::uint8_t { kNone, kIdentity, kDeck, kHand, kDiscard, kScore, kPlay, kRemoved, kInstalled };

// Servers: the three centrals, then remotes in order of creation ("Server 1" is kFirstRemote). A remote's
// number is never reused.
using Server = std::uint8_t;
constexpr Server kHqServer = 0;
constexpr Server kRndServer = 1;
constexpr Server kArchivesServer = 2;
constexpr Server kFirstRemote = 3;
constexpr Server kNoServer = 255;
constexpr Server kNewRemote = 254;  // destination of an install that creates a remote

constexpr bool IsCentral(Server server) {
  return server <= kArchivesServer;
}

// A card in the card table.
using CardId = std::uint8_t;
constexpr CardId kNoCard = 255;
// A card in this game: an index into State::cards. A type of its own, so that no number or server passes for a card.
enum class Inst : std::uint8_t {};
constexpr Inst kNoInst{255};

constexpr std::size_t At(Inst inst) {
  return static_cast<std::size_t>(inst);
}

}  // namespace openseat::games::netrunner
