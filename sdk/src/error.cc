#include "kinema/error.h"

#include <utility>

namespace kinema {
namespace {

std::string render(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
    if (!problem.hint.empty()) text += "\nhint: " + problem.hint;
  }
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, std::vector<Problem> problems)
    : kind_(kind), problems_(std::move(problems)), text_(render(problems_)) {}

Error::Error(ErrorKind kind, std::string where, std::string what, std::string hint)
    : Error(kind, std::vector<Problem>{{std::move(where), std::move(what), std::move(hint)}}) {}

Error::~Error() = default;

}  // namespace kinema
