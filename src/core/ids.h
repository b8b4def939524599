// The identifiers of tables, seats, decisions and choices.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace openseat {

using TableId = StringId<struct TableTag>;        // "magnificent-platypus": in URLs, on the command line
using DecisionId = NumberId<struct DecisionTag>;  // counts from 1 within its seat
using ChoiceId = NumberId<struct ChoiceTag>;      // counts from 1 within its seat
using SeatIndex = std::uint32_t;                  // 0 … seats - 1 within its table
using Seq = std::uint64_t;                        // of an event in its table's journal, from 1; 0: before all

}  // namespace openseat
