#include "schema/formats/uri.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "schema/formats/formats.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

bool IsUnreserved(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
bool IsSubDelimiter(char c) {
  return c != '\0' && std::string_view("!$&'()*+,;=").find(c) != std::string_view::npos;
}

// RFC 3987's ucschar, and iprivate if allowed (queries only).
bool IsInternational(char32_t c, bool with_private) {
  if (c >= 0xA0 && c <= 0xD7FF) return true;
  if (c >= 0xF900 && c <= 0xFDCF) return true;
  if (c >= 0xFDF0 && c <= 0xFFEF) return true;
  if (c >= 0x10000 && c <= 0xEFFFD) return (c & 0xFFFF) <= 0xFFFD && (c < 0xE0000 || c >= 0xE1000);
  if (with_private) return (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xF0000 && (c & 0xFFFF) <= 0xFFFD);
  return false;
}

// Whether every character is unreserved, a sub-delimiter, an escape, one of `extra`, or international.
bool AllOf(std::string_view text, std::string_view extra, bool international, bool with_private = false) {
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) return false;
      i += 3;
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
      if (!international || !IsInternational(DecodeUtf8(text, i), with_private)) return false;
      continue;
    }
    if (!IsUnreserved(c) && !IsSubDelimiter(c) && (c == '\0' || extra.find(c) == std::string_view::npos)) return false;
    ++i;
  }
  return true;
}

bool IsScheme(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text[0]) && !IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '+' || c == '-' || c == '.'; });
}

bool IsIpLiteral(std::string_view text) {
  if (!text.empty() && (text[0] == 'v' || text[0] == 'V')) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
    if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(dot),
                     [](char c) { return HexValue(c) >= 0; })) {
      return false;
    }
    return text.find('%') == std::string_view::npos && AllOf(text.substr(dot + 1), ":", false);
  }
  return IsIpv6(text);
}

bool IsAuthority(std::string_view text, bool international) {
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    if (!AllOf(text.substr(0, at), ":", international)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (!text.empty() && text[0] == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || !IsIpLiteral(text.substr(1, close - 1))) return false;
    text.remove_prefix(close + 1);
    if (text.empty()) return true;
    if (text[0] != ':') return false;
    port = text.substr(1);
  } else {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
      port = text.substr(colon + 1);
      text = text.substr(0, colon);
    }
    if (!AllOf(text, "", international)) return false;
  }
  return std::all_of(port.begin(), port.end(), IsDigit);
}

// RFC 3986, section 5.2.4.
std::string RemoveDotSegments(std::string_view path) {
  std::string out;
  const auto drop_last = [&out] {
    const std::size_t slash = out.rfind('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./")) {
      path.remove_prefix(2);
    } else if (path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last();
    } else if (path == "/..") {
      path = "/";
      drop_last();
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = path.find('/', 1);
      out += path.substr(0, end);
      path.remove_prefix(end == std::string_view::npos ? path.size() : end);
    }
  }
  return out;
}

std::string MergePaths(const UriParts& base, std::string_view path) {
  std::string merged;
  if (base.authority && base.path.empty()) return merged.append("/").append(path);
  const std::size_t slash = base.path.rfind('/');
  if (slash != std::string_view::npos) merged = base.path.substr(0, slash + 1);
  return merged.append(path);
}

}  // namespace

UriParts SplitUri(std::string_view uri) {
  UriParts parts;
  if (const std::size_t hash = uri.find('#'); hash != std::string_view::npos) {
    parts.fragment = uri.substr(hash + 1);
    uri = uri.substr(0, hash);
  }
  if (const std::size_t mark = uri.find('?'); mark != std::string_view::npos) {
    parts.query = uri.substr(mark + 1);
    uri = uri.substr(0, mark);
  }
  if (const std::size_t colon = uri.find_first_of(":/"); colon != std::string_view::npos && uri[colon] == ':') {
    if (IsScheme(uri.substr(0, colon))) {
      parts.scheme = uri.substr(0, colon);
      uri.remove_prefix(colon + 1);
    }
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const std::size_t slash = std::min(uri.find('/'), uri.size());
    parts.authority = uri.substr(0, slash);
    uri.remove_prefix(slash);
  }
  parts.path = uri;
  return parts;
}

std::string ResolveUri(std::string_view base_text, std::string_view reference_text) {
  const UriParts base = SplitUri(base_text);
  const UriParts reference = SplitUri(reference_text);
  std::optional<std::string_view> scheme = base.scheme;
  std::optional<std::string_view> authority = base.authority;
  std::optional<std::string_view> query = reference.query;
  std::string path;
  if (reference.scheme) {
    scheme = reference.scheme;
    authority = reference.authority;
    path = RemoveDotSegments(reference.path);
    // A non-hierarchical URI ("urn:uuid:…") has no dot segments to remove.
    if (!authority && !reference.path.starts_with('/')) path = reference.path;
  } else if (reference.authority) {
    authority = reference.authority;
    path = RemoveDotSegments(reference.path);
  } else if (reference.path.empty()) {
    path = base.path;
    if (!query) query = base.query;
  } else if (reference.path.starts_with('/')) {
    path = RemoveDotSegments(reference.path);
  } else {
    path = RemoveDotSegments(MergePaths(base, reference.path));
  }
  std::string out;
  if (scheme) out.append(*scheme).append(":");
  if (authority) out.append("//").append(*authority);
  out += path;
  if (query) out.append("?").append(*query);
  if (reference.fragment) out.append("#").append(*reference.fragment);
  return out;
}

std::string_view WithoutFragment(std::string_view uri) {
  return uri.substr(0, uri.find('#'));
}

std::string_view FragmentOf(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  return hash == std::string_view::npos ? std::string_view() : uri.substr(hash + 1);
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

void AppendPointerToken(std::string& pointer, std::string_view token) {
  pointer.push_back('/');
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer.push_back(c);
    }
  }
}

std::optional<std::vector<std::string>> SplitPointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (pointer.empty()) return tokens;
  if (pointer[0] != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '/') {
      tokens.emplace_back();
    } else if (c == '~') {
      if (i + 1 >= pointer.size() || (pointer[i + 1] != '0' && pointer[i + 1] != '1')) return std::nullopt;
      tokens.back().push_back(pointer[++i] == '0' ? '~' : '/');
    } else {
      tokens.back().push_back(c);
    }
  }
  return tokens;
}

bool IsUriReference(std::string_view text, bool international) {
  const UriParts parts = SplitUri(text);
  if (parts.authority) {
    if (!IsAuthority(*parts.authority, international)) return false;
  } else if (!parts.scheme) {
    // "a:b" without a valid scheme: a colon is not allowed in the first segment of a relative path.
    const std::size_t colon = parts.path.find_first_of(":/");
    if (colon != std::string_view::npos && parts.path[colon] == ':') return false;
  }
  return AllOf(parts.path, ":@/", international) &&
         (!parts.query || AllOf(*parts.query, ":@/?", international, true)) &&
         (!parts.fragment || AllOf(*parts.fragment, ":@/?", international));
}

bool IsUri(std::string_view text, bool international) {
  return SplitUri(text).scheme.has_value() && IsUriReference(text, international);
}

}  // namespace openseat::schema
