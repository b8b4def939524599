#include "games/script/view.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "core/game_base.h"

namespace openseat::games {
namespace {

constexpr std::size_t kMostParts = 100;
constexpr std::size_t kMostGroups = 4;  // one within another
constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostThings = 1000;  // in one list
constexpr std::size_t kMostShortText = 200;
constexpr std::size_t kMostLongText = 4000;

enum class Form {
  kShort,   // a text
  kLong,    // a text of several sentences
  kScalar,  // a short text or a number
  kNumber,
  kTrue,
  kSeat,
  kColor,
  kMark,
  kShape,
  kGridShape,
  kGridStyle,
  kChoice,
  kKey,
  kPiece,
  kPieces,
  kPlaces,
  kRows,
  kParts,
  kTexts,
  kLines,
  kEdges,
  kPoints,
  kButtons,
};

struct MemberForm {
  std::string_view name;
  Form form;
  bool required = false;
};
using Members = std::span<const MemberForm>;

constexpr MemberForm kOfParts[] = {{"type", Form::kShort, true}, {"label", Form::kShort}, {"seat", Form::kSeat}};
constexpr MemberForm kGrid[] = {{"cells", Form::kRows, true}, {"shape", Form::kGridShape}, {"style", Form::kGridStyle},
                                {"columns", Form::kTexts},    {"rows", Form::kTexts},      {"edges", Form::kEdges}};
constexpr MemberForm kTrack[] = {{"spaces", Form::kPlaces, true}};
constexpr MemberForm kCards[] = {{"cards", Form::kPieces, true}};
constexpr MemberForm kPile[] = {{"count", Form::kNumber, true}, {"top", Form::kPiece}, {"choice", Form::kChoice}};
constexpr MemberForm kDice[] = {{"dice", Form::kPieces, true}};
constexpr MemberForm kTokens[] = {{"tokens", Form::kPieces, true}};
constexpr MemberForm kCounter[] = {{"value", Form::kScalar, true}, {"of", Form::kNumber}};
constexpr MemberForm kScore[] = {{"points", Form::kPoints, true}};
constexpr MemberForm kText[] = {{"text", Form::kLong, true}};
constexpr MemberForm kLog[] = {{"lines", Form::kLines, true}};
constexpr MemberForm kButtons[] = {{"buttons", Form::kButtons, true}};
constexpr MemberForm kGroup[] = {{"parts", Form::kParts, true}};
constexpr MemberForm kPlace[] = {{"text", Form::kShort}, {"pieces", Form::kPieces}, {"color", Form::kColor},
                                 {"mark", Form::kMark},  {"label", Form::kShort},   {"choice", Form::kChoice},
                                 {"off", Form::kTrue}};
constexpr MemberForm kPiece[] = {{"text", Form::kScalar}, {"color", Form::kColor},  {"shape", Form::kShape},
                                 {"hidden", Form::kTrue}, {"count", Form::kNumber}, {"id", Form::kScalar},
                                 {"mark", Form::kMark},   {"label", Form::kShort},  {"choice", Form::kChoice},
                                 {"key", Form::kKey}};
constexpr MemberForm kButton[] = {{"text", Form::kShort, true}, {"choice", Form::kChoice, true}, {"key", Form::kKey}};
constexpr MemberForm kEdges[] = {
    {"top", Form::kColor}, {"right", Form::kColor}, {"bottom", Form::kColor}, {"left", Form::kColor}};

struct PartForm {
  std::string_view type;
  Members members;
};
constexpr PartForm kPartForms[] = {{"grid", kGrid},   {"track", kTrack}, {"hand", kCards},    {"cards", kCards},
                                   {"pile", kPile},   {"dice", kDice},   {"tokens", kTokens}, {"counter", kCounter},
                                   {"score", kScore}, {"text", kText},   {"log", kLog},       {"buttons", kButtons},
                                   {"group", kGroup}};

constexpr std::array<std::string_view, 10> kColors = {"red",    "orange", "yellow", "green", "blue",
                                                      "purple", "brown",  "black",  "gray",  "white"};
constexpr std::array<std::string_view, 3> kMarks = {"last", "win", "danger"};
constexpr std::array<std::string_view, 5> kShapes = {"disc", "block", "card", "die", "none"};
constexpr std::array<std::string_view, 3> kGridShapes = {"square", "hex", "rhombus"};
constexpr std::array<std::string_view, 2> kGridStyles = {"checkered", "points"};

// "last, win or danger".
std::string OneOf(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  }
  return text;
}

// Walks through a view, and stops at the first mistake.
class ViewCheck {
 public:
  ViewCheck(const ScriptInfo& info, std::size_t seats) : info_(info), seats_(seats) {}

  Result<void> Run(const json::Value& view) {
    static constexpr MemberForm kView[] = {{"parts", Form::kParts, true}};
    Object(view, kView, {}, "an object with the list parts");
    if (mistake_.empty()) return {};
    return Fail(ErrorCode::kInvalid, std::move(mistake_));
  }

 private:
  using Step = std::variant<std::string_view, std::size_t>;

  // Notes the mistake at this place; false.
  bool Bad(const std::string& expected, const json::Value& got) {
    return BadAt("expected " + expected, json::Excerpt(got));
  }
  bool BadAt(const std::string& what, const std::string& got) {
    mistake_ = "view";
    for (const Step& step : path_) {
      if (const auto* name = std::get_if<std::string_view>(&step)) {
        mistake_.append(".").append(*name);
      } else {
        mistake_ += "[" + std::to_string(std::get<std::size_t>(step)) + "]";
      }
    }
    mistake_ += ": " + what;
    if (!got.empty()) mistake_ += "; got " + got;
    return false;
  }

  template <typename Check>
  bool At(Step step, const Check& check) {
    path_.push_back(step);
    if (!check()) return false;
    path_.pop_back();
    return true;
  }

  bool Object(const json::Value& value, Members own, Members common, const std::string& expected) {
    if (!value.is_object()) return Bad(expected, value);
    for (const Members members : {common, own}) {
      for (const MemberForm& member : members) {
        const json::Value* found = json::Find(value, member.name);
        if (found == nullptr && !member.required) continue;
        if (found == nullptr) return BadAt("expected the member " + std::string(member.name), json::Excerpt(value));
        if (found->is_null() && !member.required) {
          return At(member.name,
                    [&] { return BadAt("null is no value here: leave the member out, or let it be undefined", ""); });
        }
        if (!At(member.name, [&] { return Is(member.form, *found); })) return false;
      }
    }
    const auto known = [&](std::string_view name) {
      return std::ranges::find(own, name, &MemberForm::name) != own.end() ||
             std::ranges::find(common, name, &MemberForm::name) != common.end();
    };
    for (const auto& each : value.get_object()) {
      if (known(json::KeyOf(each))) continue;
      std::vector<std::string_view> names;
      for (const MemberForm& member : own) names.push_back(member.name);
      for (const MemberForm& member : common) names.push_back(member.name);
      return BadAt(
          "there is no member \"" + std::string(json::KeyOf(each).substr(0, 40)) + "\" here, only " + OneOf(names), "");
    }
    return true;
  }

  template <typename Check>
  bool List(const json::Value& value, std::size_t most, const std::string& expected, const Check& check) {
    if (!value.is_array()) return Bad(expected, value);
    const json::Array& list = value.get_array();
    if (list.size() > most) return BadAt("expected at most " + std::to_string(most), std::to_string(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!At(i, [&] { return check(list[i]); })) return false;
    }
    return true;
  }

  bool Text(const json::Value& value, std::size_t most, const std::string& expected = "a text") {
    if (!value.is_string()) return Bad(expected, value);
    const std::size_t length = value.get_string().size();
    return length <= most || BadAt("expected at most " + std::to_string(most) + " bytes", std::to_string(length));
  }
  bool Word(const json::Value& value, std::span<const std::string_view> words) {
    return (value.is_string() && std::ranges::find(words, json::View(value.get_string())) != words.end()) ||
           Bad(OneOf(words), value);
  }
  bool IsSeat(const json::Value& value) const {
    const auto seat = IntegerOf(value);
    return seat && *seat >= 0 && *seat < static_cast<std::int64_t>(seats_);
  }
  std::string SeatText() const { return "a seat from 0 to " + std::to_string(seats_ - 1); }

  bool Is(Form form, const json::Value& value);
  bool IsPart(const json::Value& value);
  bool IsRows(const json::Value& value);
  bool IsPiece(const json::Value& value);
  bool IsPlace(const json::Value& value);
  bool IsChoice(const json::Value& value);
  bool IsAction(const json::Value& value);
  bool IsParts(const json::Value& value);
  bool IsPoints(const json::Value& value);

  const ScriptInfo& info_;
  const std::size_t seats_;
  std::vector<Step> path_;
  std::size_t parts_ = 0;
  std::size_t depth_ = 0;  // of groups
  std::string mistake_;
};

bool ViewCheck::Is(Form form, const json::Value& value) {
  switch (form) {
    case Form::kShort:
      return Text(value, kMostShortText);
    case Form::kLong:
      return Text(value, kMostLongText);
    case Form::kScalar:
      return value.is_number() || Text(value, kMostShortText, "a text or a number");
    case Form::kNumber:
      return value.is_number() || Bad("a number", value);
    case Form::kTrue:
      return value.is_bool() || Bad("true", value);
    case Form::kSeat:
      return IsSeat(value) || Bad(SeatText(), value);
    case Form::kColor:
      return IsSeat(value) ||
             (value.is_string() && std::ranges::find(kColors, json::View(value.get_string())) != kColors.end()) ||
             Bad(SeatText() + ", or " + OneOf(kColors), value);
    case Form::kMark:
      return Word(value, kMarks);
    case Form::kShape:
      return Word(value, kShapes);
    case Form::kGridShape:
      return Word(value, kGridShapes);
    case Form::kGridStyle:
      return Word(value, kGridStyles);
    case Form::kChoice:
      return IsChoice(value);
    case Form::kKey:
      return (value.is_string() && Utf8CharLength(json::View(value.get_string())) == value.get_string().size() &&
              !value.get_string().empty()) ||
             Bad("one character", value);
    case Form::kPiece:
      return IsPiece(value);
    case Form::kPieces:
      return List(value, kMostThings, "a list of pieces", [this](const json::Value& each) { return IsPiece(each); });
    case Form::kPlaces:
      return List(value, kMostThings, "a list of places", [this](const json::Value& each) { return IsPlace(each); });
    case Form::kRows:
      return IsRows(value);
    case Form::kParts:
      return IsParts(value);
    case Form::kTexts:
      return List(value, kMostRows, "a list of texts",
                  [this](const json::Value& each) { return Is(Form::kScalar, each); });
    case Form::kLines:
      return List(value, kMostThings, "a list of texts",
                  [this](const json::Value& each) { return Is(Form::kLong, each); });
    case Form::kEdges:
      return Object(value, kEdges, {}, "an object with colors: {top, right, bottom, left}");
    case Form::kPoints:
      return IsPoints(value);
    case Form::kButtons:
      return List(value, kMostThings, "a list of buttons: {text, choice}",
                  [this](const json::Value& each) { return Object(each, kButton, {}, "a button: {text, choice}"); });
  }
  return false;
}

bool ViewCheck::IsParts(const json::Value& value) {
  if (++depth_ > kMostGroups + 1)
    return BadAt("groups are at most " + std::to_string(kMostGroups) + " levels deep", "");
  const bool good =
      List(value, kMostParts, "a list of parts", [this](const json::Value& each) { return IsPart(each); });
  --depth_;
  return good;
}

bool ViewCheck::IsPart(const json::Value& value) {
  if (++parts_ > kMostParts) return BadAt("a view has at most " + std::to_string(kMostParts) + " parts", "");
  const std::string_view type = json::TextOf(value, "type");
  const auto found = std::ranges::find(kPartForms, type, &PartForm::type);
  if (found != std::end(kPartForms)) return Object(value, found->members, kOfParts, "a part");
  std::vector<std::string_view> types;
  for (const PartForm& form : kPartForms) types.push_back(form.type);
  if (!value.is_object()) return Bad("a part: an object with a type", value);
  const json::Value* given = json::Find(value, "type");
  return At("type", [&] { return Bad(OneOf(types), given == nullptr ? json::Value() : *given); });
}

bool ViewCheck::IsRows(const json::Value& value) {
  const std::string expected = "a list of rows, each a list of cells";
  std::size_t columns = 0;
  bool is_first = true;
  return List(value, kMostRows, expected, [&](const json::Value& row) {
    if (!List(row, kMostRows, expected, [this](const json::Value& each) { return IsPlace(each); })) return false;
    const std::size_t size = row.get_array().size();
    if (is_first) columns = size;
    is_first = false;
    return size == columns ||
           BadAt("expected as many cells as in the first row, " + std::to_string(columns), std::to_string(size));
  });
}

bool ViewCheck::IsPlace(const json::Value& value) {
  if (value.is_string()) return Is(Form::kShort, value);
  return Object(value, kPlace, {}, "a place: a text, or an object with text, pieces, choice …");
}

bool ViewCheck::IsPiece(const json::Value& value) {
  if (value.is_string() || value.is_number()) return Is(Form::kScalar, value);
  if (!Object(value, kPiece, {}, "a piece: a text, a number, or an object with text, color …")) return false;
  const json::Value* hidden = json::Find(value, "hidden");
  if (hidden == nullptr || *hidden == json::Value(false) || json::Find(value, "text") == nullptr) return true;
  return BadAt("a hidden piece has no text", "");
}

bool ViewCheck::IsPoints(const json::Value& value) {
  const std::string expected = "a list with one number for each of the " + std::to_string(seats_) + " seats";
  if (!value.is_array() || value.get_array().size() != seats_) return Bad(expected, value);
  return List(value, seats_, expected, [this](const json::Value& each) { return Is(Form::kScalar, each); });
}

bool ViewCheck::IsChoice(const json::Value& value) {
  if (!value.is_array()) return IsAction(value);
  return List(value, kMostThings, "choices", [this](const json::Value& each) { return IsAction(each); });
}

bool ViewCheck::IsAction(const json::Value& value) {
  static constexpr std::string_view kNames[] = {"name", "data"};
  const CatalogEntry* entry = info_.Find(json::TextOf(value, "name"));
  if (entry == nullptr) return Bad("a choice: {name, data} with a name of info.actions", value);
  for (const auto& each : value.get_object()) {
    if (std::ranges::find(kNames, json::KeyOf(each)) == std::end(kNames)) {
      return Bad("a choice with the members name and data only", value);
    }
  }
  const json::Value* data = json::Find(value, "data");
  if (data == nullptr || data->is_null()) return true;
  if (!data->is_object()) return At("data", [&] { return Bad("an object", *data); });
  for (const auto& each : data->get_object()) {
    const auto member = std::ranges::find(entry->members, json::KeyOf(each), &DataMember::name);
    const bool known = member != entry->members.end() &&
                       (member->values.empty() || member->places.contains(json::Write(each.value())));
    if (known) continue;
    const std::string listed = "info.actions." + entry->name + ".data";
    if (member == entry->members.end()) {
      return At("data", [&] {
        return BadAt(listed + " has no member \"" + std::string(json::KeyOf(each).substr(0, 40)) + "\"", "");
      });
    }
    return At("data", [&] {
      return At(std::string_view(member->name), [&] {
        return Bad("one of those that " + listed + " lists, " +
                       json::Excerpt(json::Array(member->values.begin(), member->values.end())),
                   each.value());
      });
    });
  }
  return true;
}

}  // namespace

Result<void> CheckView(const ScriptInfo& info, const json::Value& view, std::size_t seats) {
  return ViewCheck(info, seats).Run(view);
}

const Result<std::string>& ScriptViews::Of(std::size_t viewer, const std::function<Result<std::string>()>& make) {
  return kept_.at(viewer).Get(make);
}

}  // namespace openseat::games
