#include "framework/data/present_files.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <numeric>

#include "framework/data/parallel.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFew = 8;  // files of a folder that are asked for one by one

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

enum class Seen : char { no, yes, gone };
using Wanted = std::unordered_map<std::string_view, Seen>;

// Marks what a folder shows of the wanted names. False: there is no such folder.
bool read_folder(const std::string& folder, Wanted& wanted) {
  const std::string place = folder.empty() ? "." : folder;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(place.c_str()), &::closedir);
  if (!open) return errno != ENOENT && errno != ENOTDIR;
  if (!exists(place + "/.")) return true;  // it may be read but not entered: each file says so
  // Much more than is asked for: the reading would take longer than the asking.
  std::size_t patience = 1000 + 4 * wanted.size();
  while (const dirent* entry = ::readdir(open.get())) {
    if (--patience == 0) return true;
    if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) continue;
    const auto found = wanted.find(std::string_view(entry->d_name));
    if (found != wanted.end()) found->second = Seen::yes;
  }
  return true;
}

}  // namespace

void PresentFiles::ask(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t cut = slash == std::string_view::npos ? 0 : slash + 1;
  const auto [at, is_new] =
      folders_.try_emplace(std::string(path.substr(0, cut)), static_cast<std::uint32_t>(folders_.size()));
  if (is_new) folder_names_.push_back(&at->first);
  const std::string_view name = path.substr(cut);
  names_.push_back({at->second, static_cast<std::uint32_t>(name.size()), text_.size()});
  text_ += name;
}

void PresentFiles::look(std::vector<std::uint32_t>::const_iterator begin,
                        std::vector<std::uint32_t>::const_iterator end, std::vector<char>& there) const {
  const std::string& folder = *folder_names_[names_[*begin].folder];
  Wanted wanted;
  wanted.reserve(static_cast<std::size_t>(end - begin));
  for (auto at = begin; at != end; ++at) wanted.emplace(text_of(names_[*at]), Seen::no);
  const bool reachable = wanted.size() <= kFew || read_folder(folder, wanted);
  for (auto at = begin; at != end; ++at) {
    const std::string_view name = text_of(names_[*at]);
    Seen& seen = wanted[name];
    if (seen == Seen::no) seen = reachable && exists(folder + std::string(name)) ? Seen::yes : Seen::gone;
    there[*at] = seen == Seen::yes;
  }
}

std::vector<char> PresentFiles::answer() {
  std::vector<char> there(names_.size());
  std::vector<std::uint32_t> order(names_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return names_[a].folder < names_[b].folder; });
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || names_[order[i]].folder != names_[order[i - 1]].folder) begins.push_back(i);
  begins.push_back(order.size());
  for_each_parallel(begins.size() - 1, 0, [&](std::size_t f) {
    look(order.begin() + static_cast<std::ptrdiff_t>(begins[f]),
         order.begin() + static_cast<std::ptrdiff_t>(begins[f + 1]), there);
  });
  folders_.clear();
  folder_names_.clear();
  names_.clear();
  text_.clear();
  return there;
}

}  // namespace kinema::data
