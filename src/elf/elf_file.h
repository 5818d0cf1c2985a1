/*
 * elf_file.h - one ELF file, mapped: its segments, symbols and build-id.
 *
 * Only 64-bit little-endian files are read. Every offset is checked against the file's size: a
 * damaged file gives E_FORMAT and not a fault. This file knows nothing about processes: addresses
 * are the file's own.
 * Context of everything here: any, not signal.
 * Source: ELF gABI; build-id note of the GNU linker.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number of the CPU for which this is compiled, as in elf_file.machine. Source: elf.h. */
#if defined(__aarch64__)
enum { ELF_FILE_OWN_MACHINE = 183 };
#else
enum { ELF_FILE_OWN_MACHINE = 62 };
#endif

struct elf_file {
    const unsigned char *bytes;
    size_t len;
    uint16_t machine, type, section_count;
    uint32_t segment_count;
    uint64_t segments_at, sections_at; /* file offsets, checked */
    uint32_t section_names;            /* index of the section that holds the names; 0: none */
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, addr, file_size, mem_size, align;
};

struct elf_section {
    const char *name;
    uint32_t type, link;
    uint64_t addr, offset, size, entry_size;
};

/** Map a file. Errors: 0; -errno; E_FORMAT it is not an ELF file that can be read here. */
int elf_file_open(const char *path, struct elf_file *ret_file);
/** Map a file below the folder `root`; no link leads out of that folder. -1: our own root. Errors
 * as elf_file_open(). */
int elf_file_open_below(int root, const char *path, struct elf_file *ret_file);
/** Do the same as elf_file_open() for bytes of the caller; do not call elf_file_close() then. */
int elf_file_of_bytes(const unsigned char *bytes, size_t len, struct elf_file *ret_file);
void elf_file_close(struct elf_file *f);

/** Read segment (program header) or section `i`. Errors: 0; E_RANGE; E_FORMAT beyond the file. */
int elf_file_segment(const struct elf_file *f, unsigned i, struct elf_segment *ret_segment);
int elf_file_section(const struct elf_file *f, unsigned i, struct elf_section *ret_section);

/** The lowest address of a loadable segment, rounded down to its alignment; 0 if there is none. */
uint64_t elf_file_base(const struct elf_file *f);

/** Find the build-id. Returns its length (<= 64), or E_NOT_FOUND. `ret_id` points into the file. */
int elf_file_build_id(const struct elf_file *f, const unsigned char **ret_id);

/**
 * Find the values of `count` symbols by exact name, in one pass over .symtab and then .dynsym.
 *
 * `values[i]` is the value of the symbol names[i], or 0 if there is none. Undefined symbols and
 * symbols with the value 0 are ignored. Returns how many symbols were found.
 */
int elf_file_symbols(const struct elf_file *f, const char *const *names, uint64_t *values,
                     unsigned count);

/** A function symbol. */
struct elf_symbol {
    const char *name;
    uint64_t value, size;
    bool is_chosen_late; /* the value is that of code that chooses the function (IFUNC) */
};

/** Call `visit` for each defined function symbol of .symtab and of .dynsym, or of .dynsym alone,
 * until it returns non-zero. Returns that value. A symbol of both comes twice. */
int elf_file_each_symbol(const struct elf_file *f, bool is_dynamic,
                         int (*visit)(void *arg, const struct elf_symbol *symbol), void *arg);
/** Whether the file has or needs a dynamic symbol of this name. */
bool elf_file_has_dynamic(const struct elf_file *f, const char *name);

/** Call `visit` for each defined function symbol until it returns non-zero. Returns that value. */
int elf_file_each_function(const struct elf_file *f,
                           int (*visit)(void *arg, const char *name, uint64_t value, uint64_t size),
                           void *arg);
