#include "web_ui/web_ui.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "net/router.h"
#include "web_ui/web_files.h"

namespace openseat::web_ui {
namespace {

constexpr std::size_t kFirstLoadLimit = 80'000;  // bytes, compressed

TEST(WebUi, HasThePageAndItsScripts) {
  bool index = false;
  bool script = false;
  for (const PackedFile& file : PackedFiles()) {
    index = index || file.name == "index.html";
    script = script || (file.name.starts_with("assets/") && file.name.ends_with(".js") && file.immutable);
  }
  EXPECT_TRUE(index);
  EXPECT_TRUE(script);
}

TEST(WebUi, IsUnpackedAndRoutedBesideTheRest) {
  net::Router router;
  AddWebUi(router);  // checks that every file unpacks to its size
  const auto has = [&](const std::string& pattern) {
    return std::ranges::any_of(router.routes(), [&](const net::Router::Route& route) {
      return route.pattern == pattern && route.method == net::Method::kGet;
    });
  };
  EXPECT_TRUE(has("/"));
  EXPECT_TRUE(has("/assets/*file"));
  EXPECT_FALSE(has("/*file"));
}

TEST(WebUi, ItsPolicyNamesTheScriptInThePage) {
  const auto index = std::ranges::find(PackedFiles(), "index.html", &PackedFile::name);
  ASSERT_NE(index, PackedFiles().end());
  EXPECT_NE(Unpack(*index).find("<script>"), std::string::npos);
  EXPECT_TRUE(PageScript().starts_with("'sha256-")) << PageScript();
  EXPECT_EQ(PageScript().size(), std::string_view("'sha256-'").size() + 44);  // 32 bytes in base64
}

// Files that every page needs are loaded at once: index.html names them.
TEST(WebUi, FirstLoadIsSmall) {
  const auto& files = PackedFiles();
  const auto index = std::ranges::find(files, "index.html", &PackedFile::name);
  ASSERT_NE(index, files.end());
  const std::string links = Unpack(*index);
  std::size_t total = index->gzip.size();
  std::size_t named = 0;
  for (const PackedFile& file : files) {
    if (links.find("\"/" + std::string(file.name) + "\"") == std::string::npos) continue;
    total += file.gzip.size();
    ++named;
  }
  EXPECT_GE(named, 2u);  // a script and a style sheet
  EXPECT_LT(total, kFirstLoadLimit);
}

}  // namespace
}  // namespace openseat::web_ui
