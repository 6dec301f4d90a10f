#include "framework/plugin/elf_section.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "kinema/error.h"

namespace kinema::plugin {
namespace {

constexpr std::uint64_t kMaxSections = 65536;
constexpr std::uint64_t kMaxNames = 16 << 20;

struct Reader {
  int file;
  std::uint64_t file_size;
  const std::string& where;

  [[noreturn]] void refuse(std::string what) const { throw Error(ErrorKind::plugin, where, std::move(what)); }

  // `what` names the part in the message of a truncated file.
  void read(std::uint64_t offset, void* out, std::uint64_t size, const char* what) const {
    if (size > file_size || offset > file_size - size)
      refuse(fmt::format("truncated library: expected {} bytes of {} at byte {}, got a file of {} bytes",
                         size, what, offset, file_size));
    auto* to = static_cast<char*>(out);
    while (size > 0) {
      const ssize_t got = pread(file, to, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(fmt::format("cannot read: {}", std::strerror(errno)));
      if (got == 0) refuse("truncated library: the file became shorter while it was read");
      to += got;
      offset += static_cast<std::uint64_t>(got);
      size -= static_cast<std::uint64_t>(got);
    }
  }
};

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "x86 of 32 bits";
    case EM_ARM:
      return "ARM of 32 bits";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC";
    default:
      return fmt::format("machine {}", machine);
  }
}

std::string type_name(unsigned type) {
  switch (type) {
    case ET_REL:
      return "an object file";
    case ET_EXEC:
      return "a program";
    case ET_CORE:
      return "a core dump";
    default:
      return fmt::format("type {}", type);
  }
}

Elf64_Ehdr read_header(const Reader& in) {
  if (in.file_size == 0) in.refuse("empty file: expected a shared library, got 0 bytes");
  Elf64_Ehdr header{};
  unsigned char ident[EI_NIDENT] = {};
  if (in.file_size >= EI_NIDENT) in.read(0, ident, EI_NIDENT, "the ELF header");
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0)
    in.refuse("not a shared library: expected the magic bytes of ELF, got other bytes");
  if (ident[EI_CLASS] != ELFCLASS64)
    in.refuse(fmt::format("wrong word size: expected a library of 64 bits, got {}",
                          ident[EI_CLASS] == ELFCLASS32 ? "32 bits" : "an unknown class"));
  if (ident[EI_DATA] != ELFDATA2LSB) in.refuse("wrong byte order: expected little endian, got big endian");
  in.read(0, &header, sizeof header, "the ELF header");
  if (header.e_machine != EM_X86_64)
    in.refuse(fmt::format("wrong machine: expected x86-64, got {}", machine_name(header.e_machine)));
  if (header.e_type != ET_DYN)
    in.refuse(fmt::format("wrong type: expected a shared library, got {}", type_name(header.e_type)));
  return header;
}

std::vector<Elf64_Shdr> read_sections(const Reader& in, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    in.refuse(fmt::format("damaged library: expected section headers of {} bytes, got {}", sizeof(Elf64_Shdr),
                          header.e_shentsize));
  std::uint64_t count = header.e_shnum;
  if (count == 0) {  // more than 65279 sections: the first header holds the number
    Elf64_Shdr first{};
    in.read(header.e_shoff, &first, sizeof first, "the section table");
    count = first.sh_size;
  }
  if (count > kMaxSections)
    in.refuse(fmt::format("damaged library: expected at most {} sections, got {}", kMaxSections, count));
  std::vector<Elf64_Shdr> sections;
  // The bounds are checked before the memory is asked for.
  if (count * sizeof(Elf64_Shdr) <= in.file_size) sections.resize(count);
  in.read(header.e_shoff, sections.data(), count * sizeof(Elf64_Shdr), "the section table");
  return sections;
}

std::string read_names(const Reader& in, const Elf64_Ehdr& header, const std::vector<Elf64_Shdr>& sections) {
  const std::uint64_t index = header.e_shstrndx == SHN_XINDEX ? sections[0].sh_link : header.e_shstrndx;
  if (index >= sections.size())
    in.refuse(fmt::format("damaged library: expected section names in one of {} sections, got section {}",
                          sections.size(), index));
  const Elf64_Shdr& section = sections[index];
  if (section.sh_type != SHT_STRTAB || section.sh_size > kMaxNames)
    in.refuse(fmt::format("damaged library: expected at most {} bytes of section names, got {}", kMaxNames,
                          section.sh_type == SHT_STRTAB ? fmt::format("{}", section.sh_size)
                                                        : std::string("another kind of section")));
  std::string names;
  if (section.sh_size <= in.file_size) names.resize(section.sh_size);
  in.read(section.sh_offset, names.data(), section.sh_size, "section names");
  return names;
}

}  // namespace

std::optional<std::string> read_elf_section(int file, std::uint64_t file_size, std::string_view name,
                                            std::uint64_t limit, const std::string& where) {
  const Reader in{file, file_size, where};
  const Elf64_Ehdr header = read_header(in);
  const std::vector<Elf64_Shdr> sections = read_sections(in, header);
  if (sections.empty()) return std::nullopt;
  const std::string names = read_names(in, header, sections);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names.size()) continue;
    const std::string_view rest = std::string_view(names).substr(section.sh_name);
    if (rest.substr(0, rest.find('\0')) != name) continue;
    if (section.sh_type != SHT_PROGBITS || section.sh_size > limit)
      in.refuse(fmt::format("damaged library: expected at most {} bytes in section {}, got {}", limit, name,
                            section.sh_type == SHT_PROGBITS ? fmt::format("{}", section.sh_size)
                                                            : std::string("no bytes in the file")));
    std::string bytes;
    if (section.sh_size <= file_size) bytes.resize(section.sh_size);
    in.read(section.sh_offset, bytes.data(), section.sh_size, "the build stamp");
    return bytes;
  }
  return std::nullopt;
}

}  // namespace kinema::plugin
