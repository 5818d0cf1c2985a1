/*
 * footprint_files.c - mappings of files: which row a path belongs to, and where the data of a
 * library end.
 * Source: proc_pid_maps(5), elf(5).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <string.h>
#include <unistd.h>
#include "footprint/footprint.h"

enum { SEGMENTS = 32, SAME = 16 };

/* The length of the path without the kernel's mark. */
static size_t path_length(const char *path)
{
    static const char mark[] = " (deleted)";
    size_t len = strlen(path), n = sizeof(mark) - 1;
    return len >= n && strcmp(path + len - n, mark) == 0 ? len - n : len;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *path, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && strncmp(path + len - n, with, n) == 0;
}

/* Whether mapping `i`, or one of the same file beside it, is executable. */
static bool is_program(const struct smaps *s, uint32_t i)
{
    const char *path = s->rows[i].path;
    uint32_t low = i, high = i;
    while (low > 0 && i - low < SAME && strcmp(s->rows[low - 1].path, path) == 0)
        low--;
    while (high + 1 < s->count && high - i < SAME && strcmp(s->rows[high + 1].path, path) == 0)
        high++;
    for (; low <= high; low++)
        if (s->rows[low].can_execute)
            return true;
    return false;
}

static enum footprint_row row_of_file(const struct smaps *s, uint32_t i)
{
    static const struct {
        const char *ending;
        enum footprint_row row;
    } endings[] = {
        {"/lib/modules", FOOTPRINT_MODULES},
        {"/lib/rt.jar", FOOTPRINT_MODULES},
        {".jsa", FOOTPRINT_ARCHIVE},
        {".aot", FOOTPRINT_ARCHIVE},
        {".jar", FOOTPRINT_JARS},
        {".zip", FOOTPRINT_JARS},
        {".war", FOOTPRINT_JARS},
        {".so", FOOTPRINT_LIBRARIES},
    };
    const char *path = s->rows[i].path;
    size_t len = path_length(path);
    for (size_t j = 0; j < sizeof(endings) / sizeof(*endings); j++)
        if (ends(path, len, endings[j].ending))
            return endings[j].row;
    return is_program(s, i) ? FOOTPRINT_LIBRARIES : FOOTPRINT_FILES;
}

enum footprint_row footprint_files_row(const struct smaps *s, uint32_t i)
{
    static const struct {
        const char *beginning;
        enum footprint_row row;
    } beginnings[] = {
        {"/memfd:java_heap", FOOTPRINT_HEAP}, {"/memfd:", FOOTPRINT_SHARED},
        {"/dev/shm/", FOOTPRINT_SHARED},      {"/dev/zero", FOOTPRINT_SHARED},
        {"/SYSV", FOOTPRINT_SHARED},          {"/anon_hugepage", FOOTPRINT_SHARED},
        {"[stack", FOOTPRINT_STACKS},         {"[heap]", FOOTPRINT_MALLOC},
        {"[anon:", FOOTPRINT_OTHER},          {"[", FOOTPRINT_KERNEL},
        {"anon_inode:", FOOTPRINT_KERNEL},    {"/dev/", FOOTPRINT_KERNEL},
    };
    const struct smaps_region *r = &s->rows[i];
    for (size_t j = 0; j < sizeof(beginnings) / sizeof(*beginnings); j++)
        if (begins(r->path, beginnings[j].beginning))
            return beginnings[j].row;
    if (r->path[0] == '/')
        return row_of_file(s, i);
    return r->is_shared ? FOOTPRINT_SHARED : FOOTPRINT_OTHER;
}

/* ---- the zeroed data of libraries */

/* The end of the data of the ELF file whose header is mapped at `start`; 0: it is none. */
static uint64_t data_end(struct footprint *f, uint64_t start)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    uint64_t low = UINT64_MAX, high = 0;
    if (!footprint_load(f, start, &head, sizeof(head)) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(segment))
        return 0;
    for (unsigned i = 0; i < head.e_phnum && i < SEGMENTS; i++) {
        if (!footprint_load(f, start + head.e_phoff + i * sizeof(segment), &segment,
                            sizeof(segment)))
            return 0;
        if (segment.p_type != PT_LOAD)
            continue;
        uint64_t end = segment.p_vaddr + segment.p_memsz;
        low = segment.p_vaddr < low ? segment.p_vaddr : low;
        high = end > high ? end : high;
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return low < high ? (start + (high - low) + page - 1) & ~(page - 1) : 0;
}

static bool is_libjvm(const char *path)
{
    return ends(path, path_length(path), "/libjvm.so");
}

void footprint_files_bss(struct footprint *f)
{
    const struct smaps *s = &f->smaps;
    struct footprint_jvm *vm = &f->vm;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct smaps_region *r = &s->rows[i];
        if (r->path[0] != '/' || r->offset != 0 || !is_program(s, i))
            continue;
        uint64_t end = data_end(f, r->start);
        uint32_t last = i;
        while (last + 1 < s->count && strcmp(s->rows[last + 1].path, r->path) == 0) {
            last++;
            if (is_libjvm(r->path) && s->rows[last].can_write && vm->data_start == 0)
                vm->data_start = s->rows[last].start;
        }
        if (is_libjvm(r->path) && vm->data_start != 0)
            vm->data_end = end > s->rows[last].end ? end : s->rows[last].end;
        const struct smaps_region *behind = footprint_anonymous(f, s->rows[last].end);
        if (behind && end > behind->start)
            footprint_claim(f, behind->start, end < behind->end ? end : behind->end,
                            FOOTPRINT_LIBRARIES);
    }
    footprint_settle(f);
}
