#include "protocols/registry_api/registry_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/schema.h"

namespace openseat::registry_api {
namespace {

std::string Violations(const json::Value& schema, const json::Value& value) {
  return schema::Explain((*schema::Schema::Compile(schema))->Validate(value));
}

TEST(RegistryJson, WhatIsAbsentIsLeftOut) {
  const Account account{.id = AccountId("a-1"), .name = "Ana", .created = Time()};
  EXPECT_EQ(json::Write(AccountJson(account)), R"({"id":"a-1","name":"Ana","created":"1970-01-01T00:00:00.000Z"})");
  ApiKey key{.id = KeyId("k-1"),
             .label = "",
             .hint = "osk_abcd",
             .account = {},
             .minted = false,
             .created = Time(),
             .last_used = std::nullopt,
             .revoked = std::nullopt};
  EXPECT_EQ(json::Write(KeyJson(key)),
            R"({"id":"k-1","label":"","hint":"osk_abcd","created":"1970-01-01T00:00:00.000Z"})");
  key.account = AccountId("a-1");
  key.minted = true;
  key.last_used = key.revoked = Time();
  EXPECT_EQ(json::Write(KeyJson(key)), R"({"id":"k-1","label":"","hint":"osk_abcd","account":"a-1","minted":true,)"
                                       R"("created":"1970-01-01T00:00:00.000Z","last_used":"1970-01-01T00:00:00.000Z",)"
                                       R"("revoked":"1970-01-01T00:00:00.000Z"})");
}

TEST(RegistryJson, ADeckSaysHowManyCardsItHasAndWhatIsWrongWithIt) {
  StoredDeck deck;
  deck.list = {.name = "Precision",
               .game = "netrunner",
               .side = "corp",
               .format = "system-gateway",
               .identity = "",
               .cards = {{"30075", 3}, {"30072", 2}},
               .notes = ""};
  const json::Object looked_at = DeckJson(deck, {{"too few cards", ""}, {"not in this format", "30072"}});
  EXPECT_FALSE(looked_at.contains("id")) << "it is not stored";
  EXPECT_FALSE(looked_at.contains("created"));
  EXPECT_EQ(looked_at.at("size"), json::Value(5));
  EXPECT_EQ(looked_at.at("valid"), json::Value(false));
  EXPECT_EQ(json::Write(looked_at.at("problems")),
            R"([{"message":"too few cards"},{"message":"not in this format","card":"30072"}])");
  deck.id = DeckId("d-1");
  EXPECT_EQ(DeckJson(deck, {}).at("valid"), json::Value(true));
  EXPECT_TRUE(DeckJson(deck, {}).contains("created"));
}

TEST(RegistryJson, ExamplesFitTheirSchemas) {
  EXPECT_EQ(Violations(AccountSchema(), AccountExample()), "");
  EXPECT_EQ(Violations(KeySchema(), KeyExample()), "");
  EXPECT_EQ(Violations(DeckSchema(), DeckExample()), "");
}

TEST(RegistryJson, ADeckThatWasSavedBeforeCopiesHadTheirLimitFitsItsSchema) {
  StoredDeck deck;
  deck.list.name = "Former";
  deck.list.game = "netrunner";
  deck.list.cards = {{"30075", kMaxStoredCopies}};
  EXPECT_EQ(Violations(DeckSchema(), DeckJson(deck, {})), "");
}

TEST(RegistryJson, BodiesHaveNoOtherMembersAndEachHasItsBounds) {
  EXPECT_EQ(Violations(AccountBodySchema(), *json::Parse(R"({"name":"Ana"})")), "");
  EXPECT_NE(Violations(AccountBodySchema(), *json::Parse("{}")), "");
  EXPECT_NE(Violations(AccountBodySchema(), *json::Parse(R"({"name":"Ana","admin":true})")), "");
  EXPECT_EQ(Violations(KeyBodySchema(), *json::Parse("{}")), "");
  EXPECT_NE(Violations(KeyBodySchema(), json::Object{{"label", std::string(kMaxNameBytes + 1, 'x')}}), "");
  EXPECT_EQ(Violations(DeckBodySchema(), *json::Parse(R"({"cards":{"30075":3},"netrunnerdb":[]})")), "");
  EXPECT_EQ(Violations(DeckBodySchema(), *json::Parse(R"({"cards":{"30075":99}})")), "");
  for (const char* wrong : {R"({"cards":{"30075":0}})", R"({"cards":{"30075":100}})", R"({"cards":{"30075":1.5}})",
                            R"({"cards":[]})", R"({"netrunnerdb":"x"})", R"({"text":7})", R"({"owner":"x"})"}) {
    EXPECT_NE(Violations(DeckBodySchema(), *json::Parse(wrong)), "") << wrong;
  }
}

}  // namespace
}  // namespace openseat::registry_api
