// The schema engine's matchers of regular expressions next to PCRE2's JIT compiler, which they would have to give way
// to if it were faster: "Openseat/…" and "Pcre2Jit/…" match the same texts with the same pattern. The JIT counts no
// steps, so it could not be stopped by a call's budget; it is here for its speed alone.
#include <benchmark/benchmark.h>
#include <pcre2.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "schema/regex/regex.h"

namespace {

using openseat::schema::Budget;
using openseat::schema::Regex;

struct Case {
  const char* name;  // with the matcher that Openseat uses for it
  const char* pattern;
  std::string matching;
  std::string other;
};

const std::array kCases = {
    Case{"short/square", "^[a-h][1-8]$", "e4", "e9"},
    Case{"short/card", "^c[0-9]{4}$", "c1042", "x1042"},
    Case{"table/name", "^[a-z][a-z0-9_]{0,30}$", "play_card_from_hand", "Play card from hand"},
    Case{"table/date", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "2026-11-22", "2026-11-2x"},
    Case{"table/words", "^(north|south|east|west)$", "west", "up"},
    Case{"pcre2/counted", "^.{1,200}$", std::string(120, 'a'), std::string(220, 'a')},
    Case{"table/inside", "error|warning", std::string(100, '.') + "warning", std::string(110, '.')},
    Case{"table/umlauts", "^[\\x{e0}-\\x{ff} ]+$", "\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc",
         "\u00e4\u00f6\u00fc abc"},
    Case{"pcre2/property", "^\\p{L}+$", "Stra\u00dfe", "Stra\u00dfe 7"},
    Case{"pcre2/lookahead", "^(?=.*[0-9])(?=.*[a-z]).{8,}$", "correct horse 1 battery", "correct horse battery"},
};

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "regex_bench: %s\n", why.c_str());
  std::exit(1);
}

// ECMA-262 writes \u{e0} what PCRE2 writes \x{e0}.
std::string ForEcma(std::string pattern) {
  for (std::size_t at = 0; (at = pattern.find("\\x{", at)) != std::string::npos; ++at) pattern[at + 1] = 'u';
  return pattern;
}

void Openseat(benchmark::State& state, const Case& the_case) {
  Budget budget;
  const auto regex = Regex::Compile(ForEcma(the_case.pattern), 4096, budget);
  if (!regex) Die(regex.error().message);
  for (auto _ : state) {
    std::uint64_t steps = std::numeric_limits<std::uint32_t>::max();
    if (regex->Match(the_case.matching, steps) != Regex::Outcome::kYes ||
        regex->Match(the_case.other, steps) != Regex::Outcome::kNo) {
      state.SkipWithError("a wrong verdict");
    }
  }
  state.SetItemsProcessed(state.iterations() * 2);
}

void Pcre2Jit(benchmark::State& state, const Case& the_case) {
  const std::string_view pattern = the_case.pattern;
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &error, &offset, nullptr);
  if (code == nullptr || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0) Die("PCRE2 does not compile a pattern");
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  const auto match = [&](const std::string& text) {
    return pcre2_jit_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, data, nullptr) >= 0;
  };
  for (auto _ : state) {
    if (!match(the_case.matching) || match(the_case.other)) state.SkipWithError("a wrong verdict");
  }
  state.SetItemsProcessed(state.iterations() * 2);
  pcre2_match_data_free(data);
  pcre2_code_free(code);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const Case& one : kCases) {
    const std::string name = one.name;
    benchmark::RegisterBenchmark(("Openseat/" + name).c_str(), [&one](benchmark::State& state) {
      Openseat(state, one);
    })->UseRealTime();
    benchmark::RegisterBenchmark(("Pcre2Jit/" + name).c_str(), [&one](benchmark::State& state) {
      Pcre2Jit(state, one);
    })->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
