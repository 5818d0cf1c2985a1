/*
 * elf_file.c - see elf_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/elf_file.h"
#include "base/err.h"
#include "base/rooted.h"
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file may claim to have a terabyte of zeros, and the owner of a process can map such a file as
 * libjvm.so. Therefore there are limits: no library has so many symbols (a debug build of libjvm.so
 * has 300,000), or such long names. */
enum { SYMBOLS_MOST = 1 << 22, NAME_MOST = 16 << 10 };

static bool is_inside(const struct elf_file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->len && size <= f->len - offset;
}

/* If a core has more mappings than 16 bits can count, the number is in its first section header,
 * which the kernel writes behind all other data. If that header was cut off, only as many segments
 * as 16 bits can count are read. */
static uint32_t segments_of(const struct elf_file *f, const Elf64_Ehdr *head)
{
    Elf64_Shdr first;
    if (head->e_phnum != PN_XNUM || head->e_shentsize != sizeof(first) ||
        !is_inside(f, head->e_shoff, sizeof(first)))
        return head->e_phnum;
    memcpy(&first, f->bytes + head->e_shoff, sizeof(first));
    return first.sh_info;
}

int elf_file_of_bytes(const unsigned char *bytes, size_t len, struct elf_file *ret_file)
{
    struct elf_file f = {.bytes = bytes, .len = len};
    Elf64_Ehdr head;
    if (len < sizeof(head))
        return E_FORMAT;
    memcpy(&head, bytes, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB)
        return E_FORMAT;
    f.machine = head.e_machine;
    f.type = head.e_type;
    uint32_t segments = segments_of(&f, &head);
    if (head.e_phentsize == sizeof(Elf64_Phdr) &&
        is_inside(&f, head.e_phoff, (uint64_t)segments * sizeof(Elf64_Phdr))) {
        f.segments_at = head.e_phoff;
        f.segment_count = segments;
    }
    if (head.e_shnum != 0 && head.e_shentsize == sizeof(Elf64_Shdr) &&
        is_inside(&f, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr))) {
        f.sections_at = head.e_shoff;
        f.section_count = head.e_shnum;
        f.section_names = head.e_shstrndx < head.e_shnum ? head.e_shstrndx : 0;
    }
    *ret_file = f;
    return 0;
}

int elf_file_open(const char *path, struct elf_file *ret_file)
{
    return elf_file_open_below(-1, path, ret_file);
}

int elf_file_open_below(int root, const char *path, struct elf_file *ret_file)
{
    int fd = rooted_open(root, path);
    struct stat st;
    if (fd < 0)
        return fd == -EINVAL ? E_FORMAT : fd;
    if (fstat(fd, &st) != 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    if (st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(fd);
        return E_FORMAT;
    }
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int map_error = errno;
    close(fd);
    if (bytes == MAP_FAILED)
        return -map_error;
    int error = elf_file_of_bytes(bytes, (size_t)st.st_size, ret_file);
    if (error < 0)
        munmap(bytes, (size_t)st.st_size);
    return error;
}

void elf_file_close(struct elf_file *f)
{
    if (f->bytes)
        munmap((void *)f->bytes, f->len);
    memset(f, 0, sizeof(*f));
}

int elf_file_segment(const struct elf_file *f, unsigned i, struct elf_segment *ret_segment)
{
    Elf64_Phdr p;
    if (i >= f->segment_count)
        return E_RANGE;
    memcpy(&p, f->bytes + f->segments_at + (uint64_t)i * sizeof(p), sizeof(p));
    *ret_segment = (struct elf_segment){p.p_type,   p.p_flags, p.p_offset, p.p_vaddr,
                                        p.p_filesz, p.p_memsz, p.p_align};
    return 0;
}

/* A string that ends inside the section and is not longer than NAME_MOST; else "". */
static const char *string_at(const struct elf_file *f, const struct elf_section *strings,
                             uint64_t at)
{
    if (at >= strings->size)
        return "";
    const char *s = (const char *)f->bytes + strings->offset + at;
    uint64_t left = strings->size - at;
    return memchr(s, 0, left < NAME_MOST ? left : NAME_MOST) ? s : "";
}

static int read_section(const struct elf_file *f, unsigned i, struct elf_section *ret_section,
                        uint32_t *ret_name)
{
    Elf64_Shdr s;
    if (i >= f->section_count)
        return E_RANGE;
    memcpy(&s, f->bytes + f->sections_at + (uint64_t)i * sizeof(s), sizeof(s));
    if (s.sh_type != SHT_NOBITS && !is_inside(f, s.sh_offset, s.sh_size))
        return E_FORMAT;
    *ret_section = (struct elf_section){"",          s.sh_type, s.sh_link,   s.sh_addr,
                                        s.sh_offset, s.sh_size, s.sh_entsize};
    *ret_name = s.sh_name;
    return 0;
}

int elf_file_section(const struct elf_file *f, unsigned i, struct elf_section *ret_section)
{
    struct elf_section names;
    uint32_t name, unused;
    int error = read_section(f, i, ret_section, &name);
    if (error == 0 && f->section_names != 0 &&
        read_section(f, f->section_names, &names, &unused) == 0 && names.type != SHT_NOBITS)
        ret_section->name = string_at(f, &names, name);
    return error;
}

uint64_t elf_file_base(const struct elf_file *f)
{
    struct elf_segment s;
    uint64_t base = UINT64_MAX;
    for (unsigned i = 0; elf_file_segment(f, i, &s) == 0; i++) {
        if (s.type != PT_LOAD)
            continue;
        uint64_t start = s.align > 1 ? s.addr - s.addr % s.align : s.addr;
        if (start < base)
            base = start;
    }
    return base == UINT64_MAX ? 0 : base;
}

int elf_file_build_id(const struct elf_file *f, const unsigned char **ret_id)
{
    struct elf_segment s;
    for (unsigned i = 0; elf_file_segment(f, i, &s) == 0; i++) {
        if (s.type != PT_NOTE || !is_inside(f, s.offset, s.file_size))
            continue;
        for (uint64_t at = 0; s.file_size - at >= sizeof(Elf64_Nhdr);) {
            Elf64_Nhdr note;
            const unsigned char *p = f->bytes + s.offset + at;
            memcpy(&note, p, sizeof(note));
            uint64_t name_len = ((uint64_t)note.n_namesz + 3) & ~(uint64_t)3;
            uint64_t total =
                sizeof(note) + name_len + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
            if (total > s.file_size - at)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                memcmp(p + sizeof(note), "GNU", 4) == 0 && note.n_descsz <= 64) {
                *ret_id = p + sizeof(note) + name_len;
                return (int)note.n_descsz;
            }
            at += total;
        }
    }
    return E_NOT_FOUND;
}

/* Find the symbol table of `type` and its strings. */
static int find_table(const struct elf_file *f, uint32_t type, struct elf_section *ret_table,
                      struct elf_section *ret_strings)
{
    uint32_t unused;
    for (unsigned i = 0; i < f->section_count; i++) {
        if (read_section(f, i, ret_table, &unused) == 0 && ret_table->type == type &&
            ret_table->entry_size == sizeof(Elf64_Sym) &&
            read_section(f, ret_table->link, ret_strings, &unused) == 0 &&
            ret_strings->type == SHT_STRTAB)
            return 0;
    }
    return E_NOT_FOUND;
}

/* Whether the string at `at` is `name`. Most of some 100,000 strings differ in the first byte. */
static bool is_string(const struct elf_file *f, const struct elf_section *strings, uint64_t at,
                      const char *name)
{
    size_t size = strlen(name) + 1;
    return at < strings->size && strings->size - at >= size &&
           f->bytes[strings->offset + at] == (unsigned char)name[0] &&
           memcmp(f->bytes + strings->offset + at, name, size) == 0;
}

/* The number of bytes of the table that are read. */
static uint64_t length_of(const struct elf_section *table)
{
    const uint64_t most = (uint64_t)SYMBOLS_MOST * sizeof(Elf64_Sym);
    return table->size < most ? table->size : most;
}

int elf_file_symbols(const struct elf_file *f, const char *const *names, uint64_t *values,
                     unsigned count)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    unsigned found = 0;
    memset(values, 0, count * sizeof(*values));
    for (unsigned t = 0; t < 2 && found < count; t++) {
        struct elf_section table, strings;
        if (find_table(f, types[t], &table, &strings) < 0)
            continue;
        uint64_t len = length_of(&table);
        for (uint64_t at = 0; len - at >= sizeof(Elf64_Sym) && found < count;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym sym;
            memcpy(&sym, f->bytes + table.offset + at, sizeof(sym));
            if (sym.st_shndx == SHN_UNDEF || sym.st_value == 0)
                continue;
            for (unsigned i = 0; i < count; i++) {
                if (values[i] == 0 && is_string(f, &strings, sym.st_name, names[i])) {
                    values[i] = sym.st_value;
                    found++;
                }
            }
        }
    }
    return (int)found;
}

int elf_file_each_function(const struct elf_file *f,
                           int (*visit)(void *arg, const char *name, uint64_t value, uint64_t size),
                           void *arg)
{
    struct elf_section table, strings;
    if (find_table(f, SHT_SYMTAB, &table, &strings) < 0 &&
        find_table(f, SHT_DYNSYM, &table, &strings) < 0)
        return 0;
    uint64_t len = length_of(&table);
    for (uint64_t at = 0; len - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym sym;
        memcpy(&sym, f->bytes + table.offset + at, sizeof(sym));
        unsigned type = ELF64_ST_TYPE(sym.st_info);
        if (sym.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        int result = visit(arg, string_at(f, &strings, sym.st_name), sym.st_value, sym.st_size);
        if (result != 0)
            return result;
    }
    return 0;
}

static int each_of_table(const struct elf_file *f, uint32_t type,
                         int (*visit)(void *arg, const struct elf_symbol *symbol), void *arg)
{
    struct elf_section table, strings;
    int result = 0;
    if (find_table(f, type, &table, &strings) < 0)
        return 0;
    uint64_t len = length_of(&table);
    for (uint64_t at = 0; len - at >= sizeof(Elf64_Sym) && result == 0; at += sizeof(Elf64_Sym)) {
        Elf64_Sym sym;
        memcpy(&sym, f->bytes + table.offset + at, sizeof(sym));
        unsigned kind = ELF64_ST_TYPE(sym.st_info);
        if (sym.st_shndx == SHN_UNDEF || (kind != STT_FUNC && kind != STT_GNU_IFUNC))
            continue;
        const struct elf_symbol symbol = {string_at(f, &strings, sym.st_name), sym.st_value,
                                          sym.st_size, kind == STT_GNU_IFUNC};
        result = visit(arg, &symbol);
    }
    return result;
}

int elf_file_each_symbol(const struct elf_file *f, bool is_dynamic,
                         int (*visit)(void *arg, const struct elf_symbol *symbol), void *arg)
{
    int result = is_dynamic ? 0 : each_of_table(f, SHT_SYMTAB, visit, arg);
    return result ? result : each_of_table(f, SHT_DYNSYM, visit, arg);
}

bool elf_file_has_dynamic(const struct elf_file *f, const char *name)
{
    struct elf_section table, strings;
    if (find_table(f, SHT_DYNSYM, &table, &strings) < 0)
        return false;
    uint64_t len = length_of(&table);
    for (uint64_t at = 0; len - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym sym;
        memcpy(&sym, f->bytes + table.offset + at, sizeof(sym));
        if (is_string(f, &strings, sym.st_name, name))
            return true;
    }
    return false;
}
