#include "framework/data/work_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".kinema-part-";  // and the process: a file that is not whole yet

bool is_annotation(const fs::path& path) {
  static constexpr std::array kEndings = {".txt", ".csv", ".json", ".tsv", ".toml", ".pbtxt"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end();
}

std::vector<NamedFile> annotations_of(const fs::path& folder, const fs::path& output) {
  std::vector<NamedFile> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (is_annotation(at->path()) && at->is_regular_file(unknown) && !is_below(at->path(), output))
      files.push_back({at->path().lexically_relative(folder).string(), at->path()});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace

TranscodeWork work_of_folder(const fs::path& folder, const fs::path& output) {
  TranscodeWork work{files_in(folder), annotations_of(folder, output)};
  std::erase_if(work.videos, [&](const NamedFile& file) {
    return is_annotation(file.path) || is_below(file.path, output);
  });
  return work;
}

TranscodeWork work_of_splits(const std::vector<Split>& splits, const fs::path& root, const fs::path& output,
                             bool new_rate) {
  TranscodeWork work;
  for (const Split& split : splits)
    for (std::size_t i = 0; i < split.items->size(); ++i) {
      const Item item = split.items->item(i);
      for (const Source& source : item.sources) {
        if (source.frames || source.video.empty()) continue;
        if (new_rate && says_frame_numbers(item))
          throw Error(ErrorKind::usage, "--fps",
                      fmt::format("items are parts by frame number: expected seconds or whole videos, got "
                                  "frames {} to {} of {}",
                                  item.span.begin, item.span.end, item.key),
                      "leave --fps out: another rate would move the parts");
        work.videos.push_back({source.video.lexically_relative(root).string(), source.video});
      }
    }
  if (work.videos.empty())
    throw Error(ErrorKind::data, root.string(), "no videos: expected items that are videos, got none");
  work.copies = annotations_of(root, output);
  return work;
}

bool says_frame_numbers(const Item& item) {
  return item.span.unit == Span::Unit::frames || item.span.unit == Span::Unit::centre;
}

std::vector<NamedFile> each_once(std::vector<NamedFile> files) {
  std::set<std::string> seen;
  std::erase_if(files, [&](const NamedFile& file) { return !seen.insert(file.name).second; });
  return files;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::string name_refusal(const std::string& name) {
  const fs::path path(name);
  const auto up = [](const fs::path& part) { return part == ".."; };
  if (name.empty() || path.is_absolute() || std::any_of(path.begin(), path.end(), up))
    return fmt::format("outside of the folder: expected a relative name without \"..\", got \"{}\"", name);
  if (name.find_first_of("\t\r\n") != std::string::npos)
    return "a name that a table cannot hold: expected no tabs and line ends, got one";
  return {};
}

std::string reason_against(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return error.problems().front().what;
  } catch (const fs::filesystem_error& error) {
    return fmt::format("cannot be copied: expected a readable file, got \"{}\"", error.code().message());
  }
}

fs::path unfinished_path(const fs::path& target) {
  return fmt::format("{}{}{}", target.string(), kPart, ::getpid());
}

void remove_unfinished(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const std::size_t mark = name.rfind(kPart);
    if (mark == std::string::npos) continue;
    const bool number = name.find_first_not_of("0123456789", mark + kPart.size()) == std::string::npos;
    if (number && at->is_regular_file(failed)) found.push_back(at->path());
  }
  for (const fs::path& path : found) fs::remove(path, failed);
}

}  // namespace kinema::data
