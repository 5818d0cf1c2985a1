/*
 * build_id.c - see build_id.h.
 *
 * The linker gives the address of the program's own ELF header a name. The build id is a note in a
 * segment that is loaded with the program. Source: ELF gABI chapter 5 (note section); ld(1),
 * --build-id.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/build_id.h"
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NOTE_ALIGN = 4 };

/* An array without a size, because more than the header is read. */
extern const unsigned char __ehdr_start[] __attribute__((visibility("hidden")));

static size_t padded(size_t bytes)
{
    return (bytes + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
}

/* Writes the build id if it is among these notes. */
static void find_note(const unsigned char *notes, size_t len, char text[BUILD_ID_TEXT])
{
    static const char owner[] = "GNU";
    ElfW(Nhdr) head;
    while (len >= sizeof(head)) {
        memcpy(&head, notes, sizeof(head));
        size_t name = padded(head.n_namesz), whole = sizeof(head) + name + padded(head.n_descsz);
        if (whole > len)
            return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof(owner) &&
            memcmp(notes + sizeof(head), owner, sizeof(owner)) == 0) {
            const unsigned char *id = notes + sizeof(head) + name;
            for (size_t i = 0; i < head.n_descsz && 2 * i + 2 < BUILD_ID_TEXT; i++)
                snprintf(text + 2 * i, 3, "%02x", id[i]);
            return;
        }
        notes += whole;
        len -= whole;
    }
}

void build_id_put(char text[BUILD_ID_TEXT])
{
    ElfW(Ehdr) head;
    memcpy(&head, __ehdr_start, sizeof(head));
    text[0] = '\0';
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) segment;
        memcpy(&segment, __ehdr_start + head.e_phoff + (size_t)i * head.e_phentsize,
               sizeof(segment));
        /* In a file, the header and the notes have the same distance as in memory. */
        if (segment.p_type == PT_NOTE && text[0] == '\0')
            find_note(__ehdr_start + segment.p_offset, segment.p_filesz, text);
    }
}
