// Paths: the locations of a schema's subschemas, as steps with a link to their parent step. Memory is a few bytes per
// step, however long the names in the path are; the text of a JSON pointer is built on demand, mostly for an error.
// Names are views into the documents, which must outlive the paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/formats/uri.h"

namespace openseat::schema {

enum class PathId : std::uint32_t {};

class Paths {
 public:
  // The root of a document; `prefix` precedes its pointers: "" or "<uri>#".
  PathId AddRoot(std::string prefix);
  // REQUIRES `name` to outlive the paths.
  PathId Add(PathId before, std::string_view name);
  PathId Add(PathId before, std::size_t index);

  // RFC 6901, after the root's prefix.
  std::string PointerOf(PathId path) const;
  // The pointer of a member of the value at `path`.
  std::string PointerOf(PathId path, std::string_view member) const;

 private:
  static constexpr std::uint32_t kNothing = 0xFFFFFFFF;
  struct Step {
    const char* name = nullptr;  // null for an index, and for a root
    std::uint32_t number = 0;    // the name's size, the index, or which prefix
    std::uint32_t before = kNothing;
  };
  PathId AddStep(const Step& step);

  std::vector<Step> steps_;
  std::vector<std::string> prefixes_;
};

}  // namespace openseat::schema
