/*
 * stapsdt.c - see stapsdt.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/stapsdt.h"
#include <elf.h>
#include <string.h>
#include "elf/elf_note.h"

/* A file may claim to have any number of sites and segments; a libjvm.so has 600 and 4. */
enum { VERSION = 3, WORDS = 3, TEXT_MOST = 1024, SITES_MOST = 1 << 16, SEGMENTS_MOST = 256 };

/* The address of .stapsdt.base now; the notes say which address it had when they were made. */
static uint64_t find_base(const struct elf_file *f)
{
    struct elf_section s;
    for (unsigned i = 0; i < f->section_count; i++)
        if (elf_file_section(f, i, &s) == 0 && strcmp(s.name, ".stapsdt.base") == 0)
            return s.addr;
    return 0;
}

/* The offset in the file of an address in a loadable segment with these flags. */
static bool find_offset(const struct elf_file *f, uint64_t addr, uint32_t flags,
                        uint64_t *ret_offset)
{
    struct elf_segment s;
    for (unsigned i = 0; i < SEGMENTS_MOST && elf_file_segment(f, i, &s) == 0; i++) {
        if (s.type != PT_LOAD || (s.flags & flags) != flags || addr < s.addr ||
            addr - s.addr >= s.file_size || s.offset > f->len || addr - s.addr >= f->len - s.offset)
            continue;
        *ret_offset = s.offset + (addr - s.addr);
        return true;
    }
    return false;
}

/* The next text of a note, which ends with a 0; NULL: it does not. Moves *at behind it. */
static const char *next_text(const struct elf_note *note, uint32_t *at)
{
    const char *text = (const char *)note->data + *at;
    uint32_t left = note->len - *at;
    const char *end = left > 0 ? memchr(text, 0, left < TEXT_MOST ? left : TEXT_MOST) : NULL;
    if (!end)
        return NULL;
    *at += (uint32_t)(end - text) + 1;
    return text;
}

static bool read_site(const struct elf_file *f, uint64_t base, const struct elf_note *note,
                      struct stapsdt_site *ret)
{
    uint64_t words[WORDS]; /* the instruction, the base, the counter */
    uint32_t at = sizeof(words);
    if (!elf_note_is(note, "stapsdt", VERSION) || note->len < sizeof(words))
        return false;
    memcpy(words, note->data, sizeof(words));
    uint64_t moved = base ? base - words[1] : 0;
    ret->provider = next_text(note, &at);
    ret->name = ret->provider ? next_text(note, &at) : NULL;
    ret->args = ret->name ? next_text(note, &at) : NULL;
    if (!ret->args || !ret->provider[0] || !ret->name[0] ||
        !find_offset(f, words[0] + moved, PF_X, &ret->offset))
        return false;
    ret->semaphore = 0;
    return words[2] == 0 || find_offset(f, words[2] + moved, PF_W, &ret->semaphore);
}

int stapsdt_next(const struct elf_file *f, struct stapsdt_at *at, struct stapsdt_site *ret_site)
{
    if (!at->has_base) {
        at->base = find_base(f);
        at->has_base = true;
    }
    for (; at->section < f->section_count; at->section++, at->offset = 0) {
        struct elf_section s;
        struct elf_note note;
        if (elf_file_section(f, at->section, &s) != 0 || s.type != SHT_NOTE ||
            strcmp(s.name, ".note.stapsdt") != 0)
            continue;
        while (at->count++ < SITES_MOST &&
               elf_note_read(f->bytes + s.offset, s.size, at->offset, &note, &at->offset))
            if (read_site(f, at->base, &note, ret_site))
                return 1;
    }
    return 0;
}
