// The answer pipeline on answers of 2 to 10 KB (bench/answer_cases.json): parsed strictly, repaired if that fails, and
// validated. For ./dev bench and, compared with zod and jsonrepair, for ./dev bench-answers.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/llm/answer.h"
#include "base/json.h"

namespace {

namespace json = openseat::json;
namespace llm = openseat::llm;

constexpr const char* kCases = "bench/answer_cases.json";
// The same as in bench/answers/answer_bench.mjs.
constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "narrative": {"type": "string", "minLength": 1, "maxLength": 10000},
    "emotion": {"enum": ["neutral", "happy", "sad", "angry", "fearful", "surprised", "excited"]},
    "choices": {"type": "array", "minItems": 1, "maxItems": 10, "items": {
      "type": "object",
      "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 100},
        "label": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "maxLength": 500}
      },
      "required": ["id", "label"],
      "additionalProperties": false
    }},
    "npcResponses": {"type": "array", "maxItems": 20, "items": {
      "type": "object",
      "properties": {
        "npcId": {"type": "string"},
        "response": {"type": "string", "maxLength": 1000},
        "emotion": {"type": "string"}
      },
      "required": ["npcId", "response", "emotion"],
      "additionalProperties": false
    }},
    "worldStateChanges": {"type": "object"},
    "relationshipDeltas": {"type": "object", "additionalProperties": {"type": "number", "minimum": -100, "maximum": 100}},
    "factionDeltas": {"type": "object", "additionalProperties": {"type": "number", "minimum": -100, "maximum": 100}}
  },
  "required": ["narrative", "emotion", "choices"],
  "additionalProperties": false
})";

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "answer_bench: %s\n", why.c_str());
  std::exit(1);
}

llm::AnswerForm Form() {
  auto action = std::make_shared<openseat::Action>();
  action->name = "narrate";
  action->schema = *json::Parse(kSchema);
  openseat::ActionSet actions;
  actions.Put(std::move(action));
  return llm::AnswerForm(std::move(actions));
}

void Judge(benchmark::State& state, const llm::AnswerForm& form, const std::vector<std::string>& texts) {
  std::int64_t count = 0;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      if (!llm::JudgeAnswer(form, text).ok()) state.SkipWithError("an answer is not valid after repair");
    }
    count += static_cast<std::int64_t>(texts.size());
  }
  state.SetItemsProcessed(count);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  std::ifstream file(kCases, std::ios::binary);
  if (!file) Die(std::string("cannot open ") + kCases + ": run this from the root of the source tree");
  const auto cases = json::Parse(std::string{std::istreambuf_iterator<char>(file), {}});
  if (!cases) Die(std::string("cannot read ") + kCases + ": " + cases.error().message);
  std::map<std::string, std::vector<std::string>> kinds;
  for (const json::Value& each : cases->as_array()) {
    kinds[std::string(each.at("name").as_string())].emplace_back(each.at("text").as_string());
  }
  const llm::AnswerForm form = Form();
  for (const auto& [name, texts] : kinds) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&form, list = &texts](benchmark::State& state) { Judge(state, form, *list); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
