// The files of the browser interface that are linked into the program. web/build_tools/embed.mjs writes the source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace openseat::web_ui {

struct PackedFile {
  std::string_view name;    // "index.html", "assets/index-1f3a.js"
  std::size_t size;         // unpacked
  bool immutable;           // the name changes with the content
  std::string_view gzip;    // the content, gzipped
  std::string_view brotli;  // the same in the smaller coding, which browsers accept over TLS and from this machine
};

const std::vector<PackedFile>& PackedFiles();

// The board that hosts of language models draw in their chats: one document, not served as a page.
const PackedFile& ChatBoard();

// The script in index.html itself, as a source of the content security policy: "'sha256-…'".
std::string_view PageScript();

// The content, unpacked.
std::string Unpack(const PackedFile& file);

}  // namespace openseat::web_ui
