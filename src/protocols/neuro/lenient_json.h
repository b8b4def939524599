// Lenient reading of JSON that real clients get wrong: hand-written escapes, raw control characters, commas too many.
// Only for text that json::Parse has refused; its result goes to json::Parse again. Pure, linear in the text's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace openseat::neuro {

// What was mended; a set of bits.
enum Mend : std::uint16_t {
  kMendByteOrderMark = 1 << 0,  // U+FEFF before the document
  kMendNul = 1 << 1,            // NUL bytes before or behind the document
  kMendHexEscape = 1 << 2,      // \xNN: bytes of UTF-8 where they are such, else code points below 256
  kMendBadEscape = 1 << 3,      // \' and escapes that JSON does not have
  kMendControl = 1 << 4,        // a control character within a string
  kMendSurrogate = 1 << 5,      // half of a surrogate pair, replaced by U+FFFD
  kMendUtf8 = 1 << 6,           // bytes that are no UTF-8, replaced by U+FFFD
  kMendQuote = 1 << 7,          // a quote within a string that was not escaped
  kMendComma = 1 << 8,          // a comma before a closing bracket
  kMendNotANumber = 1 << 9,     // NaN or Infinity, which became null
};

// "\xNN escapes, a comma too many": for an issue's sentence. `mends` is a set of Mend bits, not empty.
std::string DescribeMends(std::uint16_t mends);

// Removes white space, NUL bytes and byte order marks from the front; adds what counts as a mend to `mends`.
std::string_view SkipBetweenDocuments(std::string_view text, std::uint16_t& mends);

struct MendedDocument {
  std::string text;          // the document in better form; not necessarily valid JSON
  std::size_t consumed = 0;  // bytes of the input that belong to it: at least 1
  std::uint16_t mends = 0;   // Mend bits; 0: nothing was wrong that can be mended
};

// Takes the first JSON document off `text`, up to the bracket that closes it, or everything where none does. An integer
// beyond 64 bits is written as a double, which is no mend: JSON allows it.
// REQUIRES: `text` is not empty. Documents that are no object or array are not recognised: all of `text` is consumed.
MendedDocument MendDocument(std::string_view text, std::size_t max_depth);

}  // namespace openseat::neuro
