#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/project.h"
#include "tests/support/clips.h"

// Files and names that would lead FFmpeg elsewhere: the built program, watched by strace, opens nothing but
// the files themselves and makes no socket.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::HasSubstr;

std::string strace() {
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (::access((folder + "/strace").c_str(), X_OK) == 0) return folder + "/strace";
  return "";
}

std::string big_endian(std::uint32_t value) {
  std::string bytes(4, '\0');
  for (int i = 0; i < 4; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
  return bytes;
}

// An alias record of QuickTime: the media data is said to be in another file.
std::string alias_to(const std::string& path) {
  const auto padded = [](std::string text, std::size_t size) {
    text.resize(size);
    return text;
  };
  const std::string name = fs::path(path).filename().string();
  std::string record(10, '\0');
  record += padded("\x04"s + "disk", 28) + std::string(12, '\0');
  record += padded(std::string(1, static_cast<char>(name.size())) + name, 64) + std::string(16, '\0');
  record += "\0\x01\0\x01"s + std::string(16, '\0');
  const std::string even = path.size() % 2 == 0 ? path : path + '\0';
  record += "\0\x02"s + big_endian(static_cast<std::uint32_t>(even.size())).substr(2) + even;
  record += "\xff\xff\0\0"s;
  const std::string entry = "alis" + std::string(4, '\0') + record;
  return big_endian(static_cast<std::uint32_t>(entry.size() + 4)) + entry;
}

// A QuickTime film whose index is at its end and whose data reference names `elsewhere`.
void write_film_with_data_elsewhere(const fs::path& file, const std::string& elsewhere) {
  test::make_clip(file.string());
  std::string bytes = text_of(file);
  const std::size_t dref = bytes.find("dref");
  ASSERT_NE(dref, std::string::npos);
  const std::size_t entry = dref + 4 + 4 + 4;  // behind version and count
  const auto number_at = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  const std::string alias = alias_to(elsewhere);
  const std::uint32_t grown = static_cast<std::uint32_t>(alias.size()) - number_at(entry);
  bytes.replace(entry, number_at(entry), alias);
  for (const char* box : {"moov", "trak", "mdia", "minf", "dinf", "dref"}) {
    const std::size_t at = bytes.rfind(box, dref) - 4;
    bytes.replace(at, 4, big_endian(number_at(at) + grown));
  }
  std::ofstream(file, std::ios::binary) << bytes;
}

// clips/: hostile files beside two good ones, and names.txt; outside/: what nobody may look at.
void make_hostile(const Project& project) {
  const std::string secret = (project / "outside/secret.mp4").string();
  fs::create_directories(project / "outside");
  fs::create_directories(project / "hostile");
  test::make_clip(secret);
  test::make_clip((project / "outside/secret.ts").string());
  test::make_clip((project / "hostile/good.mp4").string());
  test::make_clip((project / "hostile/good.mkv").string());
  project.write("hostile/hls.mp4",
                "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\n../outside/"
                "secret.ts\n#EXTINF:2.0,\n" +
                    (project / "outside/secret.ts").string() +
                    "\n#EXTINF:2.0,\nhttp://127.0.0.1:9/secret.ts\n#EXT-X-ENDLIST\n");
  project.write("hostile/concat.mp4",
                "ffconcat version 1.0\nfile ../outside/secret.mp4\nfile '" + secret + "'\n");
  project.write("hostile/dash.mp4",
                "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
                "mediaPresentationDuration=\"PT2S\"><Period><AdaptationSet "
                "mimeType=\"video/mp4\"><Representation id=\"1\" "
                "bandwidth=\"1\"><BaseURL>" +
                    secret + "</BaseURL><SegmentBase/></Representation></AdaptationSet></Period></MPD>\n");
  project.write("hostile/sdp.mp4",
                "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=secret\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP "
                "96\na=rtpmap:96 "
                "H264/90000\n");
  project.write("hostile/titles.mp4",
                "# VobSub index file, v7 (do not modify this line!)\nsize: 64x48\nid: en, index: 0\n");
  project.write("hostile/redirect.mp4", "[Reference]\r\nRef1=http://127.0.0.1:9/secret.mp4\r\n");
  write_film_with_data_elsewhere(project / "hostile/reference.mov", secret);
  std::string names;
  for (const char* file :
       {"good.mp4", "good.mkv", "hls.mp4", "concat.mp4", "dash.mp4", "sdp.mp4", "reference.mov"})
    names += std::string(file) + " one\n";
  for (const std::string& name :
       {"concat:../outside/secret.ts|../outside/secret.ts"s, "concat:outside/secret.ts|outside/secret.ts"s,
        "http://127.0.0.1:9/secret.mp4"s, "tcp://127.0.0.1:9"s,
        "subfile,,start,0,end,0,,:outside/secret.mp4"s, "subfile,,start,0,end,0,,:" + secret,
        "file:outside/secret.mp4"s, "crypto:outside/secret.mp4"s, "async:cache:outside/secret.mp4"s,
        "pipe:0"s})
    names += name + " two\n";
  project.write("hostile/names.txt", names);
}

struct Watched {
  test::Finished run;
  std::vector<std::string> calls;  // of open and socket
};

bool forbidden(const test::Finished& run) {
  return run.err.find("ptrace(") != std::string::npos && run.err.find("not permitted") != std::string::npos;
}

Watched watch(const Project& project, std::vector<std::string> arguments) {
  test::Command command = project.command({});
  const std::string trace = (project / "trace").string();
  command.arguments = {"-f", "-qq", "-s",           "4096", "-e", "trace=openat,open,openat2,connect,socket",
                       "-o", trace, command.program};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.program = strace();
  Watched watched{test::run(command), {}};
  std::ifstream lines(trace);
  for (std::string line; std::getline(lines, line);) watched.calls.push_back(line);
  return watched;
}

void expect_nothing_else_is_opened(const Watched& watched, const std::string& opened) {
  bool seen = false;
  for (const std::string& call : watched.calls) {
    seen |= call.find(opened) != std::string::npos;
    EXPECT_EQ(call.find("secret"), std::string::npos) << call;
    EXPECT_EQ(call.find("socket("), std::string::npos) << call;
    EXPECT_EQ(call.find("connect("), std::string::npos) << call;
  }
  EXPECT_TRUE(seen) << "the trace does not even show " << opened << "\n" << watched.run.err;
}

class white_lists : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(strace(), "") << "strace is not installed: apt-get install strace, or ./dev deps";
    make_hostile(project_);
    watched_ = watch(project_, {"data", "check", "hostile", "--all", "--threads", "2"});
    if (forbidden(watched_.run)) GTEST_SKIP() << "ptrace is not permitted here: " << watched_.run.err;
  }
  std::vector<std::string> list(const std::string& more) const {
    return {
        "data={train={type=\"video_folder\", root=\"hostile\", list=\"hostile/names.txt\", classes=[\"one\", "
        "\"two\"]}}",
        "loader.max_bad_fraction=1", "trainer.eval_every=0", more};
  }

  Project project_;
  Watched watched_;
};

TEST_F(white_lists, a_folder_of_playlists_and_references_is_checked_without_following_any) {
  EXPECT_TRUE(ended(watched_.run, 4));
  expect_nothing_else_is_opened(watched_, "hostile/hls.mp4");
  for (const char* file :
       {"concat.mp4", "dash.mp4", "hls.mp4", "redirect.mp4", "reference.mov", "sdp.mp4", "titles.mp4"})
    EXPECT_THAT(watched_.run.out, testing::ContainsRegex("unusable +" + std::string(file)));
  EXPECT_THAT(watched_.run.out, HasSubstr("9 files: 2 usable"));
}

TEST_F(white_lists, names_of_protocols_in_a_list_are_names_of_files_that_are_not_there) {
  const Watched watched = watch(project_, {"data", "check", "hostile/names.txt"});
  EXPECT_TRUE(ended(watched.run, 4));
  expect_nothing_else_is_opened(watched, "hostile/hls.mp4");
  EXPECT_THAT(watched.run.out, HasSubstr("no such file: expected a video, got nothing"));
}

TEST_F(white_lists, training_on_such_a_list_opens_nothing_else) {
  std::vector<std::string> arguments = {"train", "tiny.toml"};
  const auto settings = list("trainer.epochs=1");
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  const Watched watched = watch(project_, arguments);
  expect_nothing_else_is_opened(watched, "hostile/good.mp4");
  EXPECT_EQ(watched.run.signal, 0);
}

TEST_F(white_lists, a_clip_of_such_a_list_opens_nothing_else) {
  for (const char* index : {"0", "2", "6"}) {
    std::vector<std::string> arguments = {"data", "clip", "tiny.toml"};
    const auto settings = list("trainer.epochs=1");
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    arguments.insert(arguments.end(), {"--split", "train", "--index", index, "--output", "clip.safetensors"});
    const Watched watched = watch(project_, arguments);
    EXPECT_TRUE(ended(watched.run, std::string(index) == "0" ? 0 : 4));
    expect_nothing_else_is_opened(watched, std::string(index) == "0"   ? "hostile/good.mp4"
                                           : std::string(index) == "2" ? "hostile/hls.mp4"
                                                                       : "hostile/reference.mov");
  }
}

}  // namespace
}  // namespace kinema::e2e
