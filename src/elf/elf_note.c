/*
 * elf_note.c - see elf_note.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/elf_note.h"
#include <elf.h>
#include <string.h>

static uint64_t align4(uint64_t n)
{
    return (n + 3) & ~(uint64_t)3;
}

int elf_note_read(const unsigned char *bytes, uint64_t size, uint64_t at, struct elf_note *ret_note,
                  uint64_t *ret_next)
{
    Elf64_Nhdr head;
    if (at > size || size - at < sizeof(head))
        return 0;
    memcpy(&head, bytes + at, sizeof(head));
    uint64_t owner = at + sizeof(head), data = owner + align4(head.n_namesz);
    if (data > size || head.n_descsz > size - data)
        return 0;
    ret_note->type = head.n_type;
    ret_note->owner = (const char *)bytes + owner;
    ret_note->owner_len = head.n_namesz;
    ret_note->data = bytes + data;
    ret_note->len = head.n_descsz;
    *ret_next = data + align4(head.n_descsz);
    return 1;
}

int elf_note_next(const struct elf_file *f, struct elf_note_at *at, struct elf_note *ret_note)
{
    struct elf_segment s;
    for (; elf_file_segment(f, at->segment, &s) == 0; at->segment++, at->offset = 0) {
        if (s.type != PT_NOTE || s.offset > f->len)
            continue;
        uint64_t size = s.file_size < f->len - s.offset ? s.file_size : f->len - s.offset;
        if (elf_note_read(f->bytes + s.offset, size, at->offset, ret_note, &at->offset))
            return 1;
    }
    return 0;
}

bool elf_note_is(const struct elf_note *note, const char *owner, uint32_t type)
{
    size_t len = strlen(owner);
    return note->type == type && note->owner_len >= len && note->owner_len <= len + 1 &&
           memcmp(note->owner, owner, len) == 0;
}
