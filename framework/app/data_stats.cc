#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/json_text.h"
#include "framework/app/text_table.h"
#include "framework/data/statistics.h"

namespace kinema::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBins = 10;
constexpr std::size_t kShown = 10;  // files, sizes, rates

double share(std::size_t count, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

Json json_of(const std::vector<double>& lengths) {
  if (lengths.empty()) return nullptr;
  const data::Spread spread = data::spread_of(lengths);
  Json json = {{"min", spread.least}, {"median", spread.median}, {"max", spread.most}};
  for (const data::Bin& bin : data::histogram_of(lengths, kBins))
    json["histogram"].push_back({{"from", bin.begin}, {"to", bin.end}, {"items", bin.count}});
  return json;
}

Json json_of(const data::Statistics& found) {
  Json json = {{"items", found.items}, {"files", found.files}, {"classes", Json::array()}};
  for (std::size_t c = 0; c < found.classes.size(); ++c) {
    Json one = {{"name", found.classes[c]},
                {"items", found.items_of_class[c]},
                {"share", share(found.items_of_class[c], found.items)}};
    if (!found.boxes_of_class.empty()) one["boxes"] = found.boxes_of_class[c];
    json["classes"].push_back(std::move(one));
  }
  json["empty_classes"] = found.empty_classes();
  json["items_without_class"] = found.without_class;
  json["frames"] = json_of(found.frames);
  json["seconds"] = json_of(found.seconds);
  json["sizes"] = Json::object();
  for (const auto& [size, count] : found.sizes)
    json["sizes"][fmt::format("{}x{}", size.first, size.second)] = count;
  json["rates"] = Json::object();
  for (const auto& [rate, count] : found.rates) json["rates"][fmt::format("{:.6g}", rate)] = count;
  json["unreadable"] = Json::array();
  for (const data::UnreadableFile& file : found.unreadable)
    json["unreadable"].push_back({{"path", file.name}, {"reason", file.reason}, {"items", file.items}});
  if (found.channels)
    json["channels"] = {
        {"mean", found.channels->mean}, {"std", found.channels->std}, {"frames", found.channels->frames}};
  return json;
}

std::string class_table(const data::Statistics& found) {
  std::vector<std::vector<std::string>> rows = {{"class", "items", "share"}};
  if (!found.boxes_of_class.empty()) rows[0].push_back("boxes");
  for (std::size_t c = 0; c < found.classes.size(); ++c) {
    rows.push_back({found.classes[c], std::to_string(found.items_of_class[c]),
                    fmt::format("{:.2f}%", 100 * share(found.items_of_class[c], found.items))});
    if (!found.boxes_of_class.empty()) rows.back().push_back(std::to_string(found.boxes_of_class[c]));
  }
  return text_table(rows);
}

void print_balance(const data::Statistics& found) {
  if (found.classes.empty()) return;
  const auto [least, most] = std::minmax_element(found.items_of_class.begin(), found.items_of_class.end());
  const auto name = [&](auto at) {
    return found.classes[static_cast<std::size_t>(at - found.items_of_class.begin())];
  };
  print(fmt::format("smallest class: {} ({}), largest: {} ({})", name(least), *least, name(most), *most));
  if (const std::vector<std::string> empty = found.empty_classes(); !empty.empty())
    print(fmt::format("{} of {} classes have no item: {}", empty.size(), found.classes.size(),
                      fmt::join(empty, ", ")));
  if (found.without_class > 0) print(fmt::format("{} have no class", counted(found.without_class, "item")));
}

void print_lengths(const data::Statistics& found) {
  if (found.frames.empty()) return;
  const data::Spread frames = data::spread_of(found.frames);
  print(fmt::format("frames: {:g} / {:g} / {:g} (least, median, most)", frames.least, frames.median,
                    frames.most));
  if (!found.seconds.empty()) {
    const data::Spread seconds = data::spread_of(found.seconds);
    print(fmt::format("seconds: {:.2f} / {:.2f} / {:.2f}", seconds.least, seconds.median, seconds.most));
  }
  constexpr double kBar = 40;
  const std::vector<data::Bin> bins = data::histogram_of(found.frames, kBins);
  std::size_t most = 1;
  for (const data::Bin& bin : bins) most = std::max(most, bin.count);
  std::vector<std::vector<std::string>> rows = {{"from", "to", "items", ""}};
  for (const data::Bin& bin : bins)
    rows.push_back({fmt::format("{:.0f}", bin.begin), fmt::format("{:.0f}", bin.end),
                    std::to_string(bin.count),
                    std::string(static_cast<std::size_t>(kBar * share(bin.count, most) + 0.5), '#')});
  print(text_table(rows));
}

// The most frequent ones first.
std::string most_frequent(std::vector<std::pair<std::size_t, std::string>> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, counts.size()); ++i)
    text += fmt::format("{}{} ({})", i > 0 ? ", " : "", counts[i].second, counts[i].first);
  return text + (counts.size() > kShown ? fmt::format(" and {} more", counts.size() - kShown) : "");
}

void print_files(const data::Statistics& found) {
  std::vector<std::pair<std::size_t, std::string>> sizes, rates;
  for (const auto& [size, count] : found.sizes)
    sizes.emplace_back(count, fmt::format("{}x{}", size.first, size.second));
  for (const auto& [rate, count] : found.rates) rates.emplace_back(count, fmt::format("{:.5g}", rate));
  print("sizes (files): " + most_frequent(std::move(sizes)));
  print("frames a second (files): " + most_frequent(std::move(rates)));
  for (std::size_t i = 0; i < std::min(kShown, found.unreadable.size()); ++i)
    print(fmt::format("cannot be read: {}: {}", found.unreadable[i].name, found.unreadable[i].reason));
  if (found.unreadable.size() > kShown) print(fmt::format("and {} more", found.unreadable.size() - kShown));
}

void print_statistics(const std::string& split, const data::Statistics& found) {
  print(fmt::format("{}: {} in {}, {}", split, counted(found.items, "item"), counted(found.files, "file"),
                    found.unreadable.empty() ? "all can be read"
                                             : fmt::format("{} cannot be read", found.unreadable.size())));
  print(class_table(found));
  print_balance(found);
  print_lengths(found);
  print_files(found);
  if (!found.channels) return;
  print(fmt::format("channels of {}:", counted(found.channels->frames, "frame")));
  print(fmt::format("[clip]\nmean = [{:.4f}]\nstd = [{:.4f}]", fmt::join(found.channels->mean, ", "),
                    fmt::join(found.channels->std, ", ")));
}

}  // namespace

int data_stats(const DataStatsArguments& arguments) {
  const Session session = open_session(arguments.experiment);
  const std::vector<data::Split> splits =
      arguments.split.empty() ? open_splits(session) : std::vector{open_split(session, arguments.split)};
  Json json = Json::object();
  for (const data::Split& split : splits) {
    FileProgress progress(split.name);
    data::StatisticsOptions options;
    options.pixel_frames = arguments.pixels;
    options.threads = arguments.threads;
    options.progress = std::ref(progress);
    const data::Statistics found = data::statistics_of(*split.items, options);
    if (arguments.json)
      json[split.name] = json_of(found);
    else
      print_statistics(split.name, found);
  }
  if (arguments.json) print(json_lines(json));
  return 0;
}

}  // namespace kinema::app
