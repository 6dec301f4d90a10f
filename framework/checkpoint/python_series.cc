#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "framework/checkpoint/printable.h"
#include "framework/checkpoint/python_file.h"
#include "framework/checkpoint/python_tensor.h"
#include "kinema/error.h"

// The format of PyTorch 0.2 to 1.5: pickles of a magic number, a version, facts about the system, the object
// and the list of its storages' keys; then, for each key, the count of elements and the bytes.
namespace kinema::checkpoint {
namespace {

constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";  // little endian
constexpr std::int64_t kProtocol = 1001;

[[noreturn]] void fail(const std::string& where, const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorKind::data, where, what, hint);
}

// How far the pickles reach is known only after reading them: a longer piece of the file each time, so that
// a file of large storages is not read twice.
class Pickles {
 public:
  explicit Pickles(const FileReader& file) : file_(file) {}

  struct Read {
    std::unique_ptr<const std::string> text;
    PickleTree tree;
  };
  Read next(const char* what);
  std::int64_t at() const { return at_; }

 private:
  const FileReader& file_;
  std::int64_t at_ = 0;
};

Pickles::Read Pickles::next(const char* what) {
  constexpr std::int64_t kFirstPiece = 1 << 20;
  const std::int64_t left = std::min(file_.bytes() - at_, kMaxPickleBytes);
  for (std::int64_t piece = kFirstPiece;; piece *= 8) {
    const std::int64_t bytes = std::min(piece, left);
    auto text = std::make_unique<std::string>(static_cast<std::size_t>(bytes), '\0');
    file_.read_at(at_, text->data(), text->size());
    try {
      PickleTree tree = read_pickle(*text, fmt::format("{}: {}", file_.path(), what));
      at_ += static_cast<std::int64_t>(tree.bytes);
      return {std::move(text), std::move(tree)};
    } catch (const Error&) {
      if (bytes == left) throw;
    }
  }
}

void check_head(Pickles& pickles, const std::string& where) {
  const auto magic = pickles.next("magic number");
  if (magic.tree.root->kind != PickleKind::big_integer || magic.tree.root->text != kMagic)
    fail(where, "is a pickle, but not of torch.save: got " + describe(*magic.tree.root),
         member(*magic.tree.root, "blobs") != nullptr ? "Caffe2 blobs are not read here"
                                                      : "save a state dict with torch.save");
  const auto protocol = pickles.next("protocol version");
  if (protocol.tree.root->kind != PickleKind::integer || protocol.tree.root->integer != kProtocol)
    fail(where, fmt::format("protocol version is not known: expected {}", kProtocol));
  const auto system = pickles.next("system facts");
  const PickleValue* little = member(*system.tree.root, "little_endian");
  if (little == nullptr || little->kind != PickleKind::boolean || little->integer == 0)
    fail(where, "byte order is not supported: expected little_endian to be true");
}

// Bytes of one element of each storage that the object refers to.
std::map<std::string, PythonStorage, std::less<>> known_storages(const PickleTree& tree) {
  std::map<std::string, PythonStorage, std::less<>> out;
  for (const PickleValue* persistent : tree.persistent) {
    PythonStorage storage;
    if (read_storage_id(*persistent, storage).empty()) out.try_emplace(std::string(storage.key), storage);
  }
  return out;
}

std::string read_place(const FileReader& file, const PythonStorage& storage, std::int64_t& at,
                       FilePart& out) {
  std::int64_t elements = 0, bytes = 0;
  if (file.bytes() - at < static_cast<std::int64_t>(sizeof elements)) return "is cut off";
  file.read_at(at, &elements, sizeof elements);
  at += static_cast<std::int64_t>(sizeof elements);
  if (storage.item_bytes == 0)
    return "is of the type " + printable(storage.type) + ", whose size is not known";
  if (elements != storage.elements)
    return fmt::format("has {} elements, but the pickle says {}", elements, storage.elements);
  if (__builtin_mul_overflow(elements, storage.item_bytes, &bytes) || bytes > file.bytes() - at)
    return fmt::format("is cut off: expected {} elements, got {} bytes", elements, file.bytes() - at);
  out = {at, bytes, 0};
  at += bytes;
  return {};
}

}  // namespace

PythonFile open_python_series(const FileReader& file) {
  Pickles pickles(file);
  check_head(pickles, file.path());
  PythonFile out;
  auto object = pickles.next("object");
  const auto keys = pickles.next("storage keys");
  out.text = std::move(object.text);
  out.tree = std::move(object.tree);
  const auto known = known_storages(out.tree);
  if (keys.tree.root->kind != PickleKind::list)
    fail(file.path(), "expected the list of storage keys, got " + describe(*keys.tree.root));
  std::int64_t at = pickles.at();
  for (const PickleValue* key : keys.tree.root->items) {
    const auto storage = key->kind == PickleKind::text ? known.find(key->text) : known.end();
    if (storage == known.end())
      fail(file.path(), "the pickle has no storage of the key " + printable(key->text));
    FilePart place;
    std::string fault = read_place(file, storage->second, at, place);
    if (fault.empty() && !out.storages.emplace(storage->first, place).second) fault = "comes twice";
    if (!fault.empty()) fail(file.path(), "storage " + printable(storage->first) + " " + fault);
  }
  if (at != file.bytes())
    fail(file.path(), fmt::format("{} bytes after the last storage", file.bytes() - at));
  return out;
}

}  // namespace kinema::checkpoint
