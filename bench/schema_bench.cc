// Validates the cases of bench/schema_cases.json, for ./dev bench and, compared with ajv, for ./dev bench-schema.
// "Parsed/…" validates values that are already parsed; "Text/…" parses their text first.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_arena.h"
#include "schema/schema.h"

namespace {

using openseat::schema::Schema;
namespace json = openseat::json;

constexpr const char* kCases = "bench/schema_cases.json";

struct Case {
  std::string label;
  std::shared_ptr<const Schema> schema;
  std::vector<json::Value> instances;
  std::vector<std::string> texts;
  bool valid = false;
};

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "schema_bench: %s\n", why.c_str());
  std::exit(1);
}

void Parsed(benchmark::State& state, const Case& the_case) {
  std::int64_t count = 0;
  for (auto _ : state) {
    for (const json::Value& instance : the_case.instances) {
      if (the_case.schema->IsValid(instance) != the_case.valid)
        state.SkipWithError("an instance has the wrong verdict");
    }
    count += static_cast<std::int64_t>(the_case.instances.size());
  }
  state.SetItemsProcessed(count);
}

void Text(benchmark::State& state, const Case& the_case) {
  std::int64_t count = 0;
  for (auto _ : state) {
    for (const std::string& text : the_case.texts) {
      json::Arena arena;  // as for a message that is read
      const auto instance = json::Parse(text, {}, arena.storage());
      if (the_case.schema->IsValid(*instance) != the_case.valid)
        state.SkipWithError("an instance has the wrong verdict");
    }
    count += static_cast<std::int64_t>(the_case.texts.size());
  }
  state.SetItemsProcessed(count);
}

std::vector<std::unique_ptr<Case>> ReadCases() {
  std::ifstream file(kCases, std::ios::binary);
  if (!file) Die(std::string("cannot open ") + kCases + ": run this from the root of the source tree");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto entries = json::Parse(text);
  if (!entries) Die(std::string("cannot read ") + kCases + ": " + entries.error().message);
  std::vector<std::unique_ptr<Case>> cases;
  for (const json::Value& entry : entries->as_array()) {
    const auto schema = Schema::Compile(entry.at("schema"));
    if (!schema) Die(schema.error().message);
    for (const char* kind : {"valid", "invalid"}) {
      auto one = std::make_unique<Case>();
      one->label = std::string(entry.at("name").as_string()) + "/" + kind;
      one->schema = *schema;
      one->valid = std::string(kind) == "valid";
      for (const json::Value& instance : entry.at(kind).as_array()) {
        one->instances.push_back(instance);
        one->texts.push_back(json::Write(instance));
      }
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto cases = ReadCases();
  for (const auto& one : cases) {
    const Case* the_case = one.get();
    // Wall time, like ajv_bench.mjs: CPU time and wall time cannot be compared on a busy machine.
    benchmark::RegisterBenchmark(("Parsed/" + one->label).c_str(), [the_case](benchmark::State& state) {
      Parsed(state, *the_case);
    })->UseRealTime();
    benchmark::RegisterBenchmark(("Text/" + one->label).c_str(), [the_case](benchmark::State& state) {
      Text(state, *the_case);
    })->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
