#include "framework/data/browse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/data/canvas.h"
#include "framework/media/encode.h"
#include "framework/tracking/run_file.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

constexpr Colour kPaper = {32, 32, 32}, kInk = {255, 255, 255}, kBox = {255, 220, 0};
constexpr int kMargin = 4, kLargestSide = 200, kSmallestSide = 64;
constexpr std::size_t kFramesShown = 8;

// The pixels of one item after one step.
struct Picture {
  std::vector<std::uint8_t> rgb;
  Size size;
  std::size_t frames = 0;
  std::vector<ClipPlan::Box> boxes;

  const std::uint8_t* frame(std::size_t i) const { return rgb.data() + i * (rgb.size() / frames); }
};

// One item with all its steps.
struct Strip {
  PlannedClip clip;
  std::vector<Picture> stages;
  std::string label;
};

Picture empty_picture(const PlannedSource& source, Size size) {
  const std::size_t frames = source.plan.frames.size();
  return {std::vector<std::uint8_t>(3 * frames * static_cast<std::size_t>(size.width) *
                                    static_cast<std::size_t>(size.height)),
          size,
          frames,
          {}};
}

Picture decoded(ClipReader& reader, const PlannedClip& clip) {
  const PlannedSource& source = clip.sources.front();
  Picture picture = empty_picture(source, source.frame);
  reader.read_whole(clip, 0, picture.rgb.data());
  for (const LabelledBox& box : clip.item.target.boxes)
    picture.boxes.push_back({box.x1 * source.frame.width, box.y1 * source.frame.height,
                             box.x2 * source.frame.width, box.y2 * source.frame.height});
  return picture;
}

Picture after(ClipReader& reader, const PlannedClip& clip, std::size_t transforms) {
  const PlannedSource& source = clip.sources.front();
  Picture picture = empty_picture(source, source.plan.size());
  reader.read_until(clip, 0, transforms, picture.rgb.data());
  picture.boxes = source.plan.boxes;
  return picture;
}

std::string label_of(const Target& target, const std::vector<std::string>& classes) {
  std::string text;
  const auto add = [&](std::int64_t label) {
    if (label < 0 || label >= std::ssize(classes)) return;
    text += (text.empty() ? "" : ", ") + classes[static_cast<std::size_t>(label)];
  };
  add(target.label);
  for (std::size_t c = 0; c < target.values.size(); ++c)
    if (target.values[c] > 0) add(static_cast<std::int64_t>(c));
  for (const LabelledBox& box : target.boxes)
    for (const std::int64_t label : box.classes) add(label);
  return text;
}

// Enlarged by whole numbers where it is tiny, else shrunk to what fits a screen.
Size shown_size(Size size) {
  const int side = std::max(size.width, size.height);
  if (side < kSmallestSide) {
    const int times = kSmallestSide / side;
    return {size.width * times, size.height * times};
  }
  const double scale = std::min(1.0, static_cast<double>(kLargestSide) / side);
  const auto scaled = [scale](int length) {
    return std::max(1, static_cast<int>(std::lround(length * scale)));
  };
  return {scaled(size.width), scaled(size.height)};
}

void draw_frame(Canvas& canvas, int x, int y, const Picture& picture, std::size_t frame) {
  const Size shown = shown_size(picture.size);
  canvas.paste(x, y, picture.frame(frame), picture.size, shown);
  const double scale_x = static_cast<double>(shown.width) / picture.size.width;
  const double scale_y = static_cast<double>(shown.height) / picture.size.height;
  const auto at = [](double value, double scale) { return static_cast<int>(std::lround(value * scale)); };
  for (const ClipPlan::Box& box : picture.boxes)
    canvas.outline(x + at(box.x1, scale_x), y + at(box.y1, scale_y), x + at(box.x2, scale_x),
                   y + at(box.y2, scale_y), kBox);
}

Canvas grid_of(const std::vector<Strip>& strips, std::size_t stage) {
  Size cell;
  std::size_t columns = 1;
  for (const Strip& strip : strips) {
    const Size shown = shown_size(strip.stages[stage].size);
    cell = {std::max(cell.width, shown.width), std::max(cell.height, shown.height)};
    columns = std::max(columns, std::min(kFramesShown, strip.stages[stage].frames));
  }
  const int step_x = cell.width + kMargin, step_y = cell.height + Canvas::kTextHeight + 3 * kMargin;
  Canvas canvas(
      {kMargin + static_cast<int>(columns) * step_x, kMargin + static_cast<int>(strips.size()) * step_y},
      kPaper);
  for (std::size_t row = 0; row < strips.size(); ++row) {
    const Picture& picture = strips[row].stages[stage];
    const int y = kMargin + static_cast<int>(row) * step_y;
    const std::size_t shown = std::min(columns, picture.frames);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t frame = shown == 1 ? 0 : i * (picture.frames - 1) / (shown - 1);
      draw_frame(canvas, kMargin + static_cast<int>(i) * step_x, y, picture, frame);
    }
    canvas.write(kMargin, y + cell.height + kMargin,
                 fmt::format("{} {} {}", strips[row].clip.used, strips[row].label, strips[row].clip.item.key),
                 kInk);
  }
  return canvas;
}

void write_gif(const fs::path& path, const Strip& strip) {
  constexpr double kFramesPerSecond = 8;
  const Picture& picture = strip.stages.back();
  media::WriterOptions options;
  options.codec = options.container = "gif";
  media::VideoWriter writer(path.string(), picture.size, kFramesPerSecond, options);
  for (std::size_t i = 0; i < picture.frames; ++i) {
    Canvas canvas(picture.size, kPaper);
    canvas.paste(0, 0, picture.frame(i), picture.size, picture.size);
    for (const ClipPlan::Box& box : picture.boxes)
      canvas.outline(static_cast<int>(box.x1), static_cast<int>(box.y1), static_cast<int>(std::ceil(box.x2)),
                     static_cast<int>(std::ceil(box.y2)), kBox);
    writer.write(canvas.data());
  }
  writer.finish();
}

std::string legend_of(const std::vector<Strip>& strips) {
  std::string text = "row\titem\tkey\tclasses\tframes\tsource\toutput\tmirrored\tboxes\n";
  const auto field = [](std::string word) {
    std::replace_if(
        word.begin(), word.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return word;
  };
  for (std::size_t row = 0; row < strips.size(); ++row) {
    const PlannedClip& clip = strips[row].clip;
    const ClipPlan& plan = clip.sources.front().plan;
    const Geometry& g = plan.geometry;
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{:g},{:g} {:g}x{:g}\t{}x{}\t{}\t{}\n", row, clip.used,
                        field(clip.item.key), field(strips[row].label), fmt::join(plan.frames, ","),
                        g.source.x, g.source.y, g.source.width, g.source.height, g.output.width,
                        g.output.height, g.flip ? "yes" : "no", plan.boxes.size());
  }
  return text;
}

// Whether a step changed a pixel of any item.
bool changes(const std::vector<Strip>& strips, std::size_t stage) {
  return std::any_of(strips.begin(), strips.end(), [stage](const Strip& strip) {
    return strip.stages[stage].rgb != strip.stages[stage - 1].rgb;
  });
}

std::vector<Strip> make_strips(const std::shared_ptr<const ClipRecipe>& recipe, const BrowseOptions& options,
                               BrowseReport& report) {
  ClipReader reader(recipe);
  const std::size_t size = recipe->dataset->size(), count = std::min(options.items, size);
  const std::vector<std::string> classes = recipe->dataset->classes();
  const std::size_t transforms = recipe->transforms.size();
  std::vector<Strip> strips;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t item = i * size / count;
    try {
      Strip strip{reader.plan({item, options.epoch, 0, 0}, item), {}, {}};
      strip.label = label_of(strip.clip.item.target, classes);
      if (options.stages) {
        strip.stages.push_back(decoded(reader, strip.clip));
        for (std::size_t t = 0; t < transforms; ++t) strip.stages.push_back(after(reader, strip.clip, t));
      }
      strip.stages.push_back(after(reader, strip.clip, transforms));
      strips.push_back(std::move(strip));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      report.unreadable.push_back(
          fmt::format("{}: {}", error.problems().front().where, error.problems().front().what));
    }
  }
  return strips;
}

}  // namespace

BrowseReport browse(const std::shared_ptr<const ClipRecipe>& recipe, const BrowseOptions& options) {
  BrowseReport report;
  const std::vector<Strip> strips = make_strips(recipe, options, report);
  if (strips.empty()) return report;
  std::error_code failed;  // writing says why
  fs::create_directories(options.output, failed);
  const auto write_grid = [&](std::size_t stage, const std::string& name) {
    const Canvas grid = grid_of(strips, stage);
    report.files.push_back(options.output / (name + ".png"));
    media::write_png(report.files.back().string(), grid.data(), grid.size());
  };
  const std::size_t last = strips.front().stages.size() - 1;
  write_grid(last, "final");
  if (options.stages) {
    write_grid(0, "0_decoded");
    write_grid(1, "1_geometry");
    // Stage 2 + t is what transform t made.
    for (std::size_t stage = 2; stage <= last; ++stage) {
      if (!changes(strips, stage)) continue;
      const std::size_t t = stage - 2;
      write_grid(stage, fmt::format("{}_{}", stage,
                                    t < options.step_names.size() ? options.step_names[t] : "transform"));
    }
  }
  for (const Strip& strip : strips) {
    report.files.push_back(options.output / fmt::format("item_{}.gif", strip.clip.used));
    write_gif(report.files.back(), strip);
  }
  report.files.push_back(options.output / "legend.tsv");
  tracking::write_atomically(report.files.back().string(), legend_of(strips));
  return report;
}

}  // namespace kinema::data
