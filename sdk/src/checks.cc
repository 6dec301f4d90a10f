#include <charconv>
#include <cmath>

#include "kinema/options.h"
#include "kinema/suggest.h"

namespace kinema {
namespace {

// 1, 0.5: without the point that Value::text() gives to whole reals.
std::string number_text(double value) {
  // Shortest form of 1000000 would be 1e+06.
  if (std::abs(value) < 1e15 && value == std::floor(value))
    return std::to_string(static_cast<long long>(value));
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

bool is_number(const Value& value) { return value.is(Value::Type::integer) || value.is(Value::Type::real); }

template <class Condition>
Check number_check(std::string expected, Condition condition) {
  Check check;
  check.expected = std::move(expected);
  check.accepts = [condition](const Value& value) { return is_number(value) && condition(value.as_real()); };
  return check;
}

}  // namespace

Check::Check() = default;
Check::Check(std::string expected, std::function<bool(const Value&)> accepts,
             std::vector<std::string> choices)
    : expected(std::move(expected)), accepts(std::move(accepts)), choices(std::move(choices)) {}
Check::Check(const Check&) = default;
Check::Check(Check&&) noexcept = default;
Check& Check::operator=(const Check&) = default;
Check& Check::operator=(Check&&) noexcept = default;
Check::~Check() = default;

Check at_least(double low) {
  return number_check("at least " + number_text(low), [low](double x) { return x >= low; });
}

Check at_most(double high) {
  return number_check("at most " + number_text(high), [high](double x) { return x <= high; });
}

Check between(double low, double high) {
  return number_check("a number from " + number_text(low) + " to " + number_text(high),
                      [low, high](double x) { return x >= low && x <= high; });
}

Check above(double low) {
  return number_check("more than " + number_text(low), [low](double x) { return x > low; });
}

Check any_number() {
  Check check = number_check("a number", [](double) { return true; });
  check.non_finite = true;
  return check;
}

Check one_of_values(std::vector<Value> values) {
  Check check;
  for (const Value& value : values)
    check.choices.push_back(value.is(Value::Type::string) ? value.as_string() : value.text());
  check.expected = one_of_text(check.choices);
  check.accepts = [values = std::move(values)](const Value& value) {
    for (const Value& choice : values) {
      if (choice == value) return true;
      if (is_number(choice) && is_number(value) && choice.as_real() == value.as_real()) return true;
    }
    return false;
  };
  return check;
}

Check not_empty() {
  Check check;
  check.expected = "something that is not empty";
  check.accepts = [](const Value& value) {
    if (value.is(Value::Type::string)) return !value.as_string().empty();
    return value.is(Value::Type::array) && !value.as_array().empty();
  };
  return check;
}

Check length(std::size_t count) {
  Check check;
  check.expected = std::to_string(count) + (count == 1 ? " value" : " values");
  check.accepts = [count](const Value& value) {
    return value.is(Value::Type::array) && value.as_array().size() == count;
  };
  return check;
}

Check each(Check check) {
  Check all;
  all.expected = "every value " + check.expected;
  all.non_finite = check.non_finite;
  all.accepts = [accepts = std::move(check.accepts)](const Value& value) {
    if (!value.is(Value::Type::array)) return false;
    for (const Value& element : value.as_array())
      if (!accepts(element)) return false;
    return true;
  };
  return all;
}

}  // namespace kinema
