// The official JSON Schema test suite: every required test, and, with formats asserted, those of the formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::schema {
namespace {

namespace fs = std::filesystem;

const fs::path kSuite = OPENSEAT_SCHEMA_SUITE;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The remotes are served at http://localhost:1234/ by the suite's convention.
const Documents& Remotes() {
  static const Documents documents = [] {
    Documents out;
    const fs::path root = kSuite / "remotes";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".json") continue;
      auto document = json::Parse(ReadFile(entry.path()));
      if (document) out.Add("http://localhost:1234/" + fs::relative(entry.path(), root).generic_string(), *document);
    }
    return out;
  }();
  return documents;
}

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Runs a file; appends "group | test" of every test that does not give what the suite says.
int RunFile(const fs::path& path, bool assert_formats, std::vector<std::string>& failures) {
  const auto groups = json::Parse(ReadFile(path));
  if (!groups) {
    failures.push_back(path.string() + ": " + groups.error().message);
    return 0;
  }
  int count = 0;
  for (const json::Value& group : groups->as_array()) {
    const std::string name = path.stem().string() + " | " + std::string(group.at("description").as_string());
    CompileOptions options;
    options.documents = &Remotes();
    options.assert_formats = assert_formats;
    const auto schema = Schema::Compile(group.at("schema"), options);
    for (const json::Value& test : group.at("tests").as_array()) {
      ++count;
      const std::string full = name + " | " + std::string(test.at("description").as_string());
      if (!schema) {
        failures.push_back(full + ": does not compile: " + schema.error().message + " at " + schema.error().path);
        continue;
      }
      const bool expected = test.at("valid").as_bool();
      const bool valid = (*schema)->IsValid(test.at("data"));
      if (valid != expected) failures.push_back(full);
      const auto violations = (*schema)->Validate(test.at("data"));
      if (violations.empty() != valid) failures.push_back(full + ": Validate disagrees with IsValid");
      for (const Violation& violation : violations) {
        if (violation.message.empty() || violation.keyword.empty()) failures.push_back(full + ": an empty message");
      }
    }
  }
  return count;
}

std::string Join(const std::vector<std::string>& lines) {
  std::ostringstream out;
  for (const std::string& line : lines) out << "  " << line << "\n";
  return out.str();
}

class SuiteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kSuite / "tests" / "draft2020-12")) {
      GTEST_SKIP() << "the official JSON Schema test suite is not at " << kSuite
                   << "; give its place with -DOPENSEAT_SCHEMA_SUITE=…";
    }
  }
};

TEST_F(SuiteTest, PassesEveryRequiredTest) {
  std::vector<std::string> failures;
  int count = 0;
  for (const fs::path& file : FilesIn(kSuite / "tests" / "draft2020-12")) count += RunFile(file, false, failures);
  EXPECT_TRUE(failures.empty()) << failures.size() << " of " << count << ":\n" << Join(failures);
  EXPECT_GT(count, 1000);
  RecordProperty("tests", count);
}

TEST_F(SuiteTest, PassesTheFormatsWhenTheyAreAsserted) {
  std::vector<std::string> failures;
  int count = 0;
  for (const fs::path& file : FilesIn(kSuite / "tests" / "draft2020-12" / "optional" / "format")) {
    count += RunFile(file, true, failures);
  }
  EXPECT_TRUE(failures.empty()) << failures.size() << " of " << count << ":\n" << Join(failures);
  EXPECT_GT(count, 500);
  RecordProperty("tests", count);
}

TEST_F(SuiteTest, PassesTheOtherOptionalTests) {
  std::vector<std::string> failures;
  int count = 0;
  for (const fs::path& file : FilesIn(kSuite / "tests" / "draft2020-12" / "optional")) {
    // bignum: json::Parse refuses numbers beyond uint64 and double. cross-draft: schemas of older drafts are read as
    // 2020-12 ones (docs/schema.md).
    if (file.stem() == "bignum" || file.stem() == "cross-draft") continue;
    count += RunFile(file, false, failures);
  }
  EXPECT_TRUE(failures.empty()) << failures.size() << " of " << count << ":\n" << Join(failures);
  EXPECT_GT(count, 100);
  RecordProperty("tests", count);
}

}  // namespace
}  // namespace openseat::schema
