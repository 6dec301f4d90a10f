#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace kinema::test {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::string> environment_of(const Command& command) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) merged[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : command.environment) merged[name] = value;
  std::vector<std::string> list;
  for (const auto& [name, value] : merged)
    if (!value.empty()) list.push_back(name + "=" + value);
  return list;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void become(const Command& command, char** argv, char** envp, const int* out, const int* err) {
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  dup2(err[1], STDERR_FILENO);
  for (const int fd : {out[0], out[1], err[0], err[1]}) close(fd);
  if (command.largest_file) {
    const struct rlimit limit = {*command.largest_file, *command.largest_file};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
  }
  if (command.before_exec) command.before_exec();
  if (chdir(command.folder.c_str()) == 0) execve(command.program.c_str(), argv, envp);
  _exit(127);
}

}  // namespace

Process::Process(const Command& command) : deadline_s_(now_s() + command.timeout_s) {
  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> settings = environment_of(command);
  const std::vector<char*> argv = pointers(words), envp = pointers(settings);
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) become(command, const_cast<char**>(argv.data()), const_cast<char**>(envp.data()), out, err);
  close(out[1]);
  close(err[1]);
  streams_[0] = out[0];
  streams_[1] = err[0];
}

Process::~Process() {
  if (!reaped_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int stream : streams_)
    if (stream >= 0) close(stream);
}

void Process::signal(int number) const {
  if (!reaped_) kill(pid_, number);
}

bool Process::pump(int timeout_ms) {
  struct pollfd watched[2] = {{streams_[0], POLLIN, 0}, {streams_[1], POLLIN, 0}};
  if (streams_[0] < 0 && streams_[1] < 0) return false;
  poll(watched, 2, timeout_ms);
  for (int i = 0; i < 2; ++i) {
    if (streams_[i] < 0 || watched[i].revents == 0) continue;
    char bytes[4096];
    const ssize_t count = read(streams_[i], bytes, sizeof bytes);
    if (count > 0) {
      (i == 0 ? result_.out : result_.err).append(bytes, static_cast<std::size_t>(count));
    } else {
      close(streams_[i]);
      streams_[i] = -1;
    }
  }
  return true;
}

bool Process::wait_until(const std::function<bool(const Finished&)>& condition, double timeout_s) {
  const double until = now_s() + timeout_s;
  while (!condition(result_)) {
    if (now_s() > until) return false;
    if (!pump(1)) return condition(result_);
  }
  return true;
}

Finished Process::wait() {
  while (pump(50)) {
    if (now_s() < deadline_s_ || result_.timed_out) continue;
    result_.timed_out = true;
    kill(pid_, SIGKILL);
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  reaped_ = true;
  if (WIFEXITED(status)) result_.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  return result_;
}

}  // namespace kinema::test
