// For tests: schemas and values from their text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::schema {

inline json::Value Parsed(std::string_view text) {
  const auto value = json::Parse(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(nullptr);
}

inline std::shared_ptr<const Schema> Compiled(std::string_view text, const CompileOptions& options = {}) {
  auto schema = Schema::Compile(Parsed(text), options);
  EXPECT_TRUE(schema) << text << ": " << schema.error().message;
  return *schema;
}

}  // namespace openseat::schema
