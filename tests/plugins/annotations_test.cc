#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "annotations/classes.h"
#include "annotations/csv.h"
#include "annotations/json.h"
#include "annotations/paths.h"

namespace kinema::annotations {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Fields = std::vector<std::string>;

class annotations : public testing::Test {
 protected:
  void SetUp() override {
    root =
        fs::path(testing::TempDir()) /
        ("kinema_annotations_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root);
    fs::create_directories(root);
  }
  void TearDown() override { fs::remove_all(root); }
  fs::path write(const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
    return root / name;
  }
  static std::string message(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "no error";
  }
  fs::path root;
};

TEST_F(annotations, lines_keep_their_numbers_and_lose_marks_line_ends_and_blanks) {
  const auto lines = read_lines(write("a.txt", "\xEF\xBB\xBFone\r\n \t\r\n\ntwo\t\n"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "one");
  EXPECT_EQ(lines[1].text, "two\t") << "an empty last column of a table is a column";
  EXPECT_EQ(lines[1].number, 4u);
}

TEST_F(annotations, csv_fields_may_be_quoted) {
  EXPECT_THAT(*csv_fields("a,\"b, \"\"c\"\"\",,d\"e"), ElementsAre("a", "b, \"c\"", "", "d\"e"));
  EXPECT_THAT(*csv_fields("a,"), ElementsAre("a", ""));
  EXPECT_THAT(*csv_fields("\"\"\"\"\"\"\tx", '\t'), ElementsAre("\"\"", "x"));
  EXPECT_EQ(csv_fields("\"open,b"), std::nullopt);
  EXPECT_EQ(csv_fields("\"a\"b,c"), std::nullopt);
}

TEST_F(annotations, at_most_twenty_bad_lines_are_shown_and_all_are_counted) {
  Complaints complaints("list.txt");
  EXPECT_NO_THROW(complaints.report());
  for (std::size_t line = 1; line <= 25; ++line) complaints.add(line, "bad");
  const std::string text = message([&] { complaints.report(); });
  EXPECT_THAT(text, HasSubstr("list.txt:20: bad"));
  EXPECT_THAT(text, testing::Not(HasSubstr("list.txt:21: bad")));
  EXPECT_THAT(text, HasSubstr("list.txt: more bad lines: expected none, got 5 besides"));
}

TEST_F(annotations, json_keeps_order_and_knows_lines) {
  const Value json =
      read_json(write("a.json", "{\"z\": 1,\n \"a\": [\n  {\"id\": \"7\", \"x\": 1.5}, null\n ]}\n"));
  ASSERT_EQ(json.as_table().size(), 2u);
  EXPECT_EQ(json.as_table()[0].key, "z");
  const Value& first = json.find("a")->as_array()[0];
  EXPECT_EQ(first.origin.line, 3);
  EXPECT_EQ(text_of(first.find("id")), "7");
  EXPECT_EQ(number_of(first.find("x")), 1.5);
  EXPECT_TRUE(json.find("a")->as_array()[1].is(Value::Type::none));
  EXPECT_THAT(message([&] { read_json(write("b.json", "{\"a\":\n 1,\n}")); }),
              HasSubstr("b.json:3: not JSON: expected an annotation file, got"));
}

TEST_F(annotations, class_names_are_lines_or_json) {
  EXPECT_THAT(read_class_names(write("a.txt", "b c\r\n\r\na\r\n")), ElementsAre("b c", "a"));
  EXPECT_THAT(read_class_names(write("a.json", R"({"a": 1, "b": "0"})")), ElementsAre("b", "a"));
  EXPECT_THAT(read_class_names(write("b.json", R"(["x", "y"])")), ElementsAre("x", "y"));
  EXPECT_THAT(message([&] { read_class_names(write("c.json", R"({"a": 0, "b": 2})")); }),
              HasSubstr("labels with a gap: expected 1, got 2"));
  EXPECT_THAT(message([&] { read_class_names(write("b.txt", "a\nb\na\n")); }),
              HasSubstr("b.txt:3: repeated class: expected each name once, got \"a\" twice"));
}

struct Resolved {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> labels;  // of each entry
  std::string remark;
};

Resolved resolved(const Fields& labels, const LabelRules& rules = {}) {
  WrittenLabels written;
  for (std::size_t i = 0; i < labels.size(); ++i) written.add(i + 1, {labels[i]});
  Complaints complaints("list.txt");
  const ResolvedLabels found = resolve_labels(written, rules, complaints);
  complaints.report();
  Resolved result{found.classes, {}, found.remark};
  for (std::size_t i = 0; i < labels.size(); ++i) result.labels.push_back(labels_of(written, i, found));
  return result;
}

TEST_F(annotations, labels_are_names_or_numbers) {
  EXPECT_THAT(resolved({"b", "a", "b"}).classes, ElementsAre("a", "b"));
  EXPECT_THAT(resolved({"b", "a"}, {.order = ClassOrder::appearance}).classes, ElementsAre("b", "a"));
  EXPECT_THAT(resolved({"2", "0"}).classes, ElementsAre("0", "1", "2"));
  EXPECT_THAT(resolved({"2", "0"}, {.classes = {"x", "y", "z"}}).labels,
              ElementsAre(ElementsAre(2), ElementsAre(0)));
  EXPECT_THAT(resolved({"7", "5"}, {.classes = {"7", "5"}}).labels,
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(
      message([] {
        resolved({"walk", "jmup", "9"}, {.classes = {"walk", "jump"}});
      }),
      testing::AllOf(HasSubstr("list.txt:2: unknown class: expected one of the 2 classes, got \"jmup\""),
                     HasSubstr("did you mean \"jump\"?"),
                     HasSubstr("list.txt:3: label out of range: expected 0 to 1, got 9")));
}

TEST_F(annotations, labels_that_count_from_one_are_recognised_by_the_class_list_and_said) {
  const Resolved shifted = resolved({"1", "3"}, {.classes = {"x", "y", "z"}});
  EXPECT_THAT(shifted.labels, ElementsAre(ElementsAre(0), ElementsAre(2)));
  EXPECT_EQ(shifted.remark, "labels 1 to 3 for 3 classes: they are taken as counted from 1");
  EXPECT_EQ(resolved({"1", "2"}, {.classes = {"x", "y", "z"}}).remark, "");
  EXPECT_THAT(resolved({"1", "2"}).remark, HasSubstr("first_label = 1"));
  const Resolved told = resolved({"1", "2"}, {.first_label = 1});
  EXPECT_THAT(told.classes, ElementsAre("1", "2"));
  EXPECT_THAT(told.labels, ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST_F(annotations, paths_may_not_leave_the_root) {
  EXPECT_EQ(refused("a/b..c.avi"), "");
  EXPECT_THAT(refused("a/../b.avi"), HasSubstr("a path that leaves root"));
  EXPECT_THAT(refused("/a.avi"), HasSubstr("an absolute path"));
  EXPECT_EQ(refused("/a/../b.avi", true), "");
  EXPECT_THAT(refused(std::string("a\0b", 3), true), HasSubstr("zero byte"));
}

TEST_F(annotations, videos_are_found_by_name_some_levels_down) {
  for (const char* path : {"x.mp4", "walk/x.avi", "walk/y.MKV", "walk/y.txt", "a/b/c/z.mp4", ".h/w.mp4"})
    write(path, "x");
  const VideoFiles files(root, 3);
  EXPECT_EQ(files.find("y"), "walk/y.MKV");
  EXPECT_EQ(files.find("x"), "walk/x.avi") << "the first by byte order of those of equal name";
  EXPECT_EQ(files.find("z"), std::nullopt);
  EXPECT_EQ(files.find("w"), std::nullopt);
}

}  // namespace
}  // namespace kinema::annotations
