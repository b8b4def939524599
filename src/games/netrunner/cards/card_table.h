// The card table: all of System Gateway, built once. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "games/netrunner/cards/card_def.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

std::span<const CardDef> AllCards();
const CardDef& CardOf(CardId card);
// By code ("30075") or title ("Hedge Fund"); nullopt if there is none.
std::optional<CardId> FindCard(std::string_view code_or_title);

// A title in lower case, without diacritics: "bran 1.0".
std::string PlainTitle(std::string_view title);

std::string_view SideName(Side side);      // "Corp"
std::string_view TypeName(CardType type);  // "Asset", "ICE"
std::string_view FactionName(Faction faction);
std::string_view SubtypeName(Subtype subtype);  // "Code Gate"

// Appends the cards of each faction, ordered by code.
void AddAnarch(std::vector<CardDef>& cards);
void AddCriminal(std::vector<CardDef>& cards);
void AddShaper(std::vector<CardDef>& cards);
void AddNeutralRunner(std::vector<CardDef>& cards);
void AddHaasBioroid(std::vector<CardDef>& cards);
void AddJinteki(std::vector<CardDef>& cards);
void AddNbn(std::vector<CardDef>& cards);
void AddWeyland(std::vector<CardDef>& cards);
void AddNeutralCorp(std::vector<CardDef>& cards);

}  // namespace openseat::games::netrunner
