#pragma once

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "tests/unit/checkpoint/faulty_file_system.h"

namespace kinema::checkpoint {

// What a power cut takes: everything that was not flushed, or only contents (the disk wrote names early).
enum class Unflushed { everything, file_contents };

// A disk that keeps only what fsync put on it. Every call works on the real disk; a model beside it remembers
// what has been flushed, and cut_power() writes that to another place.
class PowerLossFileSystem final : public FaultyFileSystem {
 public:
  explicit PowerLossFileSystem(std::string root) : root_(std::move(root)), top_(adopt(root_)) {}

  int open_new(const std::string& path) override {
    const int fd = FaultyFileSystem::open_new(path);
    if (fd < 0) return fd;
    open_[fd] = parent(path)->now[leaf(path)] = std::make_shared<Node>();
    return fd;
  }
  int open_folder(const std::string& path) override {
    const int fd = FaultyFileSystem::open_folder(path);
    if (fd >= 0) open_[fd] = find(path);
    return fd;
  }
  ssize_t write(int fd, const void* data, std::size_t bytes) override {
    const ssize_t written = FaultyFileSystem::write(fd, data, bytes);
    if (written > 0)
      open_.at(fd)->text.append(static_cast<const char*>(data), static_cast<std::size_t>(written));
    return written;
  }
  int fsync(int fd) override {
    const int result = FaultyFileSystem::fsync(fd);
    if (result < 0) return result;
    open_.at(fd)->flushed_text = open_.at(fd)->text;
    open_.at(fd)->flushed = open_.at(fd)->now;
    return result;
  }
  int close(int fd) override {
    open_.erase(fd);
    return FaultyFileSystem::close(fd);
  }
  int make_folder(const std::string& path) override {
    const int result = FaultyFileSystem::make_folder(path);
    if (result == 0) parent(path)->now[leaf(path)] = std::make_shared<Node>(Node{.folder = true});
    return result;
  }
  int make_link(const std::string& target, const std::string& path) override {
    const int result = FaultyFileSystem::make_link(target, path);
    if (result == 0) parent(path)->now[leaf(path)] = std::make_shared<Node>(Node{.target = target});
    return result;
  }
  int rename(const std::string& from, const std::string& to) override {
    const int result = FaultyFileSystem::rename(from, to);
    if (result < 0) return result;
    const auto node = find(from);
    parent(from)->now.erase(leaf(from));
    parent(to)->now[leaf(to)] = node;
    return result;
  }
  int exchange(const std::string& a, const std::string& b) override {
    const int result = FaultyFileSystem::exchange(a, b);
    if (result == 0) std::swap(parent(a)->now.at(leaf(a)), parent(b)->now.at(leaf(b)));
    return result;
  }
  int remove_file(const std::string& path) override {
    const int result = FaultyFileSystem::remove_file(path);
    if (result == 0) parent(path)->now.erase(leaf(path));
    return result;
  }
  int remove_folder(const std::string& path) override {
    const int result = FaultyFileSystem::remove_folder(path);
    if (result == 0) parent(path)->now.erase(leaf(path));
    return result;
  }

  void cut_power(const std::string& to, Unflushed lost) const { restore(*top_, to, lost); }

 private:
  struct Node {
    bool folder = false;
    std::string target;  // of a link
    std::string text, flushed_text;
    std::map<std::string, std::shared_ptr<Node>> now, flushed;
  };
  using NodePtr = std::shared_ptr<Node>;

  // What is there at the start counts as flushed.
  static NodePtr adopt(const std::filesystem::path& path) {
    auto node = std::make_shared<Node>();
    if (std::filesystem::is_symlink(path)) {
      node->target = std::filesystem::read_symlink(path);
    } else if (std::filesystem::is_directory(path)) {
      node->folder = true;
      for (const auto& entry : std::filesystem::directory_iterator(path))
        node->now[entry.path().filename()] = adopt(entry.path());
      node->flushed = node->now;
    } else {
      std::ifstream in(path, std::ios::binary);
      node->text.assign(std::istreambuf_iterator<char>(in), {});
      node->flushed_text = node->text;
    }
    return node;
  }
  static void restore(const Node& node, const std::string& to, Unflushed lost) {
    if (!node.target.empty()) return std::filesystem::create_symlink(node.target, to);
    if (!node.folder) {
      std::ofstream(to, std::ios::binary) << node.flushed_text;
      return;
    }
    std::filesystem::create_directory(to);
    for (const auto& [name, child] : lost == Unflushed::everything ? node.flushed : node.now)
      restore(*child, to + "/" + name, lost);
  }

  static std::string leaf(const std::string& path) { return std::filesystem::path(path).filename(); }
  NodePtr parent(const std::string& path) { return find(std::filesystem::path(path).parent_path()); }
  NodePtr find(const std::filesystem::path& path) {
    NodePtr node = top_;
    for (const auto& part : std::filesystem::relative(path.lexically_normal(), root_))
      if (part != ".") node = node->now.at(part);
    return node;
  }

  std::string root_;
  NodePtr top_;
  std::map<int, NodePtr> open_;
};

}  // namespace kinema::checkpoint
