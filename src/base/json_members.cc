#include "base/json_members.h"

namespace openseat::json {

const Object* FindObject(const Object& object, std::string_view name) {
  const Value* member = Find(object, name);
  return member == nullptr ? nullptr : member->if_object();
}

std::optional<std::string> FindText(const Object& object, std::string_view name) {
  const Value* member = Find(object, name);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return std::string(View(member->get_string()));
}

std::optional<double> FindNumber(const Object& object, std::string_view name) {
  const Value* member = Find(object, name);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  return member->to_number<double>();
}

double NumberOf(const Object& object, std::string_view name, double fallback) {
  return FindNumber(object, name).value_or(fallback);
}

bool BoolOf(const Object& object, std::string_view name, bool fallback) {
  const Value* flag = Find(object, name);
  return flag != nullptr && flag->is_bool() ? flag->get_bool() : fallback;
}

std::optional<std::uint64_t> AsWhole(const Value& number) {
  if (number.is_uint64()) return number.get_uint64();
  if (number.is_int64() && number.get_int64() >= 0) return static_cast<std::uint64_t>(number.get_int64());
  constexpr double kEnd = 18446744073709551616.0;  // 2^64
  const double* fraction = number.if_double();
  if (fraction == nullptr || !IsInteger(number) || *fraction < 0 || *fraction >= kEnd) return std::nullopt;
  return static_cast<std::uint64_t>(*fraction);
}

std::optional<std::uint64_t> WholeOf(const Object& object, std::string_view name) {
  const Value* number = Find(object, name);
  return number == nullptr ? std::nullopt : AsWhole(*number);
}

}  // namespace openseat::json
