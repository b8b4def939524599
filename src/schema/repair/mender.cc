#include "schema/repair/mender.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace openseat::schema {

Mender::Mender(std::string_view text, std::size_t begin, const json::Limits& limits)
    : text_(text), at_(begin), limits_(limits) {
  out_.reserve(text.size() - begin + 16);
}

Result<void> Mender::Run() {
  Push('{');
  while (!open_.empty() && !failure_) {
    SkipBlank();
    if (AtEnd()) {
      Truncate();
      break;
    }
    switch (open_.back().want) {
      case Want::kName:
        Name();
        break;
      case Want::kColon:
        Colon();
        break;
      case Want::kValue:
        Value();
        break;
      case Want::kComma:
        Comma();
        break;
    }
  }
  if (failure_) return Fail(*failure_);
  return {};
}

void Mender::Fault(ErrorCode code, std::string message) {
  if (!failure_) failure_ = Error{code, std::move(message), {}};
}

void Mender::Unexpected() {
  const std::size_t length = std::max<std::size_t>(1, Utf8CharLength(Rest()));
  Fault(ErrorCode::kParse,
        "Unexpected token '" + std::string(Rest().substr(0, length)) + "' at position " + std::to_string(at_));
}

void Mender::Push(char bracket) {
  if (open_.size() >= limits_.max_depth) {
    return Fault(ErrorCode::kTooLarge, "the answer is nested deeper than " + std::to_string(limits_.max_depth));
  }
  out_ += bracket;
  ++at_;
  if (bracket == '[') ++arrays_;
  open_.push_back({.bracket = bracket, .want = bracket == '{' ? Want::kName : Want::kValue});
}

void Mender::Close() {
  const bool array = Top().bracket == '[';
  out_ += array ? ']' : '}';
  if (array) --arrays_;
  open_.pop_back();
  if (!open_.empty()) {
    Top().want = Want::kComma;
    Top().last_is_text = false;
  }
}

void Mender::DropMember() {
  out_.resize(Top().member_out);
  --Top().count;
}

void Mender::BeginMember() {
  Level& top = Top();
  top.member_out = out_.size();
  top.member_begin = at_;
  if (top.count++ > 0) out_ += ',';
  top.after_comma = false;
}

bool Mender::CommaFollows() const {
  const std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
  return next != std::string_view::npos && text_[next] == ',';
}

bool Mender::Closing(char c) {
  if (c != '}' && c != ']') return false;
  if ((c == '}') == (Top().bracket == '{')) {
    if (Top().after_comma) fixes_.Add(Fix::kTrailingComma);
    ++at_;
    Close();
  } else {
    fixes_.Add(Fix::kBrackets);
    if (open_.size() == 2 && c == '}' && CommaFollows()) {
      ++at_;  // the whole object would end here but continues: the wrong bracket was written
      Close();
    } else if (c == '}' || arrays_ > 0) {  // the outermost level is an object
      Close();                             // this level's own bracket is missing; the current one is read again
    } else {
      ++at_;  // it closes nothing
    }
  }
  return true;
}

void Mender::SkipBlank() {
  while (at_ < text_.size()) {
    const char c = Here();
    if (c > ' ' && c < 0x7F && c != '#' && c != '/') return;  // nearly always
    if (IsSpace(c)) {
      ++at_;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      fixes_.Add(Fix::kControl);
      ++at_;
    } else if (c == '#' || Rest().starts_with("//")) {
      fixes_.Add(Fix::kComment);
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (Rest().starts_with("/*")) {
      fixes_.Add(Fix::kComment);
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (Rest().starts_with("\u00A0")) {
      at_ += 2;
    } else if (Rest().starts_with("\uFEFF") || Rest().starts_with("\u200B")) {
      at_ += 3;
    } else {
      return;
    }
  }
}

bool Mender::Take(std::string_view sign) {
  if (!StartsWith(Rest(), sign)) return false;
  at_ += sign.size();
  fixes_.Add(Fix::kPunctuation);
  return true;
}

void Mender::Name() {
  const char c = Here();
  if (Closing(c)) return;
  if (c == ',') {
    fixes_.Add(Fix::kTrailingComma);
    ++at_;
    return;
  }
  if (const Quote quote = QuoteAt(Rest()); quote.kind != QuoteKind::kNone) {
    BeginMember();
    Text(quote, true);
    Top().want = Want::kColon;
    return;
  }
  if (!IsNameChar(c)) return Unexpected();
  if (StartsWith(Rest(), "...")) {  // "and so on"
    at_ += 3;
    fixes_.Add(Fix::kProse);
    return;
  }
  std::size_t end = at_;
  while (end < text_.size() && IsNameChar(text_[end])) ++end;
  BeginMember();
  fixes_.Add(Fix::kUnquoted);
  json::WriteString(text_.substr(at_, end - at_), out_);
  at_ = end;
  Top().want = Want::kColon;
}

void Mender::Colon() {
  const char c = Here();
  if (c == ':') {
    ++at_;
  } else if (c == '=') {
    fixes_.Add(Fix::kPunctuation);
    at_ += Rest().starts_with("=>") ? 2 : 1;
  } else if (!Take("\uFF1A")) {
    const bool value = c == '{' || c == '[' || c == '-' || IsDigit(c) || QuoteAt(Rest()).kind != QuoteKind::kNone;
    if (!value) return Unexpected();
    fixes_.Add(Fix::kMissingComma);
  }
  out_ += ':';
  Top().want = Want::kValue;
}

void Mender::Value() {
  const char c = Here();
  const bool in_object = Top().bracket == '{';
  if (c == '}' || c == ']') {
    if (in_object) {
      fixes_.Add(Fix::kMissingValue);
      DropMember();
      Top().want = Want::kComma;
    } else {
      Closing(c);
    }
    return;
  }
  if (c == ',') {
    ++at_;
    if (in_object) {
      fixes_.Add(Fix::kMissingValue);
      DropMember();
      Top().want = Want::kName;
    } else {
      fixes_.Add(Fix::kTrailingComma);
    }
    return;
  }
  if (!in_object) BeginMember();
  Top().want = Want::kComma;
  Top().last_is_text = false;
  if (c == '{' || c == '[') return Push(c);
  if (const Quote quote = QuoteAt(Rest()); quote.kind != QuoteKind::kNone) {
    Top().last_is_text = true;
    return Text(quote, false);
  }
  if ((IsDigit(c) || c == '-' || c == '+' || c == '.') && Number()) return;
  Word();
}

void Mender::Comma() {
  const char c = Here();
  Level& top = Top();
  if (c == ',' || c == ';') {
    if (c == ';') fixes_.Add(Fix::kPunctuation);
    ++at_;
  } else if (Take("\uFF0C") || Take("\u3001")) {
    // counts as a comma
  } else if (Closing(c)) {
    return;
  } else if (StartsWith(Rest(), "...")) {  // "and so on"
    fixes_.Add(Fix::kProse);
    at_ += 3;
    return;
  } else if (c == ':' && top.bracket == '[' && top.last_is_text) {
    // The bracket of this array is missing, and those of the arrays around it: what looks like its last item is the
    // next name of the object outside. It is read again once, not once for each array.
    fixes_.Add(Fix::kBrackets);
    at_ = top.member_begin;
    DropMember();
    while (Top().bracket == '[') Close();
    return;
  } else {
    const bool begins = c == '{' || c == '[' || c == '-' || IsNameChar(c) || QuoteAt(Rest()).kind != QuoteKind::kNone;
    if (!begins) return Unexpected();
    fixes_.Add(Fix::kMissingComma);
    top.want = top.bracket == '{' ? Want::kName : Want::kValue;
    return;
  }
  top.after_comma = true;
  top.want = top.bracket == '{' ? Want::kName : Want::kValue;
}

void Mender::Truncate() {
  fixes_.Add(Fix::kTruncated);
  while (!open_.empty()) {
    if (Top().bracket == '{' && (Top().want == Want::kColon || Top().want == Want::kValue)) DropMember();
    Close();
  }
}

}  // namespace openseat::schema
