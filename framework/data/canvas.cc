#include "framework/data/canvas.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kinema::data {
namespace {

// Five rows of three pixels, each row as an octal digit.
const std::map<char, const char*>& letters() {
  static const std::map<char, const char*> table = {
      {'A', "25755"},  {'B', "65656"}, {'C', "34443"}, {'D', "65556"}, {'E', "74647"}, {'F', "74644"},
      {'G', "34553"},  {'H', "55755"}, {'I', "72227"}, {'J', "11152"}, {'K', "55655"}, {'L', "44447"},
      {'M', "57755"},  {'N', "65555"}, {'O', "25552"}, {'P', "65644"}, {'Q', "25573"}, {'R', "65655"},
      {'S', "34216"},  {'T', "72222"}, {'U', "55557"}, {'V', "55552"}, {'W', "55775"}, {'X', "55255"},
      {'Y', "55222"},  {'Z', "71247"}, {'0', "75557"}, {'1', "26227"}, {'2', "61247"}, {'3', "61216"},
      {'4', "55711"},  {'5', "74616"}, {'6', "34652"}, {'7', "71222"}, {'8', "25252"}, {'9', "25316"},
      {'-', "00700"},  {'_', "00007"}, {'.', "00002"}, {':', "02020"}, {'/', "11244"}, {'%', "51245"},
      {'(', "12221"},  {')', "42224"}, {',', "00024"}, {'=', "07070"}, {'#', "57575"}, {'+', "02720"},
      {'\'', "22000"}, {' ', "00000"}, {'?', "61202"}};
  return table;
}

constexpr int kDot = 2;  // pixels a side of one dot of a letter

}  // namespace

Canvas::Canvas(Size size, Colour background)
    : size_(size), rgb_(3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {
  for (std::size_t i = 0; i < rgb_.size(); ++i) rgb_[i] = background[i % 3];
}

void Canvas::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= size_.width || y >= size_.height) return;
  const std::size_t at =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) + static_cast<std::size_t>(x));
  std::copy(colour.begin(), colour.end(), rgb_.begin() + static_cast<std::ptrdiff_t>(at));
}

void Canvas::paste(int x, int y, const std::uint8_t* rgb, Size size, Size shown) {
  for (int row = 0; row < shown.height; ++row)
    for (int column = 0; column < shown.width; ++column) {
      const auto from_y =
          static_cast<std::size_t>(static_cast<std::int64_t>(row) * size.height / shown.height);
      const auto from_x =
          static_cast<std::size_t>(static_cast<std::int64_t>(column) * size.width / shown.width);
      const std::uint8_t* pixel = rgb + 3 * (from_y * static_cast<std::size_t>(size.width) + from_x);
      set(x + column, y + row, {pixel[0], pixel[1], pixel[2]});
    }
}

void Canvas::outline(int x1, int y1, int x2, int y2, Colour colour) {
  for (int x = x1; x < x2; ++x) {
    set(x, y1, colour);
    set(x, y2 - 1, colour);
  }
  for (int y = y1; y < y2; ++y) {
    set(x1, y, colour);
    set(x2 - 1, y, colour);
  }
}

void Canvas::write(int x, int y, std::string_view text, Colour colour) {
  for (const char byte : text) {
    const auto found = letters().find(static_cast<char>(std::toupper(static_cast<unsigned char>(byte))));
    const char* rows = (found != letters().end() ? found : letters().find('?'))->second;
    for (int dot = 0; dot < 15; ++dot) {
      if (((rows[dot / 3] - '0') >> (2 - dot % 3) & 1) == 0) continue;
      for (int i = 0; i < kDot * kDot; ++i)
        set(x + dot % 3 * kDot + i % kDot, y + dot / 3 * kDot + i / kDot, colour);
    }
    x += kLetterWidth;
  }
}

}  // namespace kinema::data
