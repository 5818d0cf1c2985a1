/*
 * eh_frame.c - see eh_frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/eh_frame.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "elf/eh_program.h"

/* A common information entry (CIE): the data that several functions share. */
struct cie {
    struct eh_program program;
    uint8_t encoding; /* encoding of addresses in the entries of its functions */
    bool has_data;
};

/* A frame description entry (FDE): the data of one function. */
struct fde {
    struct cie cie;
    uint64_t start, size;
    struct eh_read program;
};

static uint64_t addr_of(const struct eh_frame *e, const unsigned char *p)
{
    return e->addr + (uint64_t)(p - e->bytes);
}

/* Open a record's body, which begins with its id. Returns 1, or 0 at the end or at damage. */
static int open_record(const struct eh_frame *e, uint64_t offset, struct eh_read *ret_body,
                       uint64_t *ret_next)
{
    if (offset >= e->len)
        return 0;
    struct eh_read r = {e->bytes + offset, e->bytes + e->len, 0};
    uint64_t len = eh_read_take(&r, 4);
    if (len == 0xffffffffu)
        len = eh_read_take(&r, 8);
    if (r.failed || len < 4 || len > (uint64_t)(r.end - r.p))
        return 0;
    r.end = r.p + len;
    *ret_body = r;
    *ret_next = (uint64_t)(r.end - e->bytes);
    return 1;
}

/* Read the block that an augmentation such as "zPLR" describes, letter by letter. */
static void read_augmentation(struct cie *c, const char *letters, struct eh_read data)
{
    uint8_t encoding;
    c->has_data = true;
    for (; *letters != 0; letters++) {
        if (*letters == 'R') {
            c->encoding = (uint8_t)eh_read_take(&data, 1);
        } else if (*letters == 'P') { /* the routine for exceptions is skipped */
            encoding = (uint8_t)eh_read_take(&data, 1);
            eh_read_pointer(&data, encoding, 0);
        } else if (*letters == 'L') {
            eh_read_take(&data, 1);
        } else if (*letters == 'S') {
            c->program.is_signal = true;
        }
    }
}

static int read_cie(const struct eh_frame *e, uint64_t offset, struct cie *ret_cie)
{
    struct eh_read r;
    struct cie c = {.encoding = 0};
    uint64_t unused;
    if (!open_record(e, offset, &r, &unused) || eh_read_take(&r, 4) != 0)
        return 0;
    uint64_t version = eh_read_take(&r, 1);
    const char *augmentation = (const char *)r.p;
    if (!memchr(r.p, 0, (size_t)(r.end - r.p)))
        return 0;
    r.p += strlen(augmentation) + 1;
    c.program.code_align = eh_read_uleb(&r);
    c.program.data_align = eh_read_sleb(&r);
    c.program.ra = (uint32_t)(version == 1 ? eh_read_take(&r, 1) : eh_read_uleb(&r));
    eh_program_set_cpu(&c.program, e->file->machine);
    if (*augmentation == 'z')
        read_augmentation(&c, augmentation + 1, eh_read_block(&r));
    c.program.first = r;
    *ret_cie = c;
    return !r.failed;
}

static int read_fde(const struct eh_frame *e, uint64_t offset, struct fde *ret_fde,
                    uint64_t *ret_next)
{
    struct eh_read r;
    struct fde f;
    if (!open_record(e, offset, &r, ret_next))
        return 0;
    uint64_t id_at = (uint64_t)(r.p - e->bytes), id = eh_read_take(&r, 4);
    if (id == 0 || id > id_at || !read_cie(e, id_at - id, &f.cie))
        return 0;
    f.start = eh_read_pointer(&r, f.cie.encoding, addr_of(e, r.p));
    f.size = eh_read_pointer(&r, f.cie.encoding & EH_READ_SIZE, 0);
    if (f.cie.has_data)
        eh_read_block(&r);
    f.program = r;
    *ret_fde = f;
    return !r.failed;
}

static int run_fde(const struct fde *f, eh_program_emit emit, void *arg)
{
    return eh_program_run(&f->cie.program, f->program, f->start, emit, arg);
}

static const unsigned char *bytes_at(const struct elf_file *f, uint64_t addr, uint64_t *ret_len)
{
    struct elf_segment s;
    for (unsigned i = 0; elf_file_segment(f, i, &s) == 0; i++) {
        if (s.type != PT_LOAD || addr < s.addr || addr - s.addr >= s.file_size ||
            s.offset > f->len || s.file_size > f->len - s.offset)
            continue;
        *ret_len = s.file_size - (addr - s.addr);
        return f->bytes + s.offset + (addr - s.addr);
    }
    return NULL;
}

/* Read the index: version, three encodings, the address of .eh_frame, the count, the rows. */
static void read_index(struct eh_frame *e, uint64_t addr)
{
    uint64_t len;
    const unsigned char *bytes = bytes_at(e->file, addr, &len);
    if (!bytes || len < 12)
        return;
    struct eh_read r = {bytes, bytes + len, 0};
    uint64_t version = eh_read_take(&r, 1);
    uint8_t frame_encoding = (uint8_t)eh_read_take(&r, 1),
            count_encoding = (uint8_t)eh_read_take(&r, 1);
    uint8_t row_encoding = (uint8_t)eh_read_take(&r, 1);
    uint64_t frames = eh_read_pointer(&r, frame_encoding, addr + 4);
    if (version != 1 || r.failed || frame_encoding == EH_READ_OMIT)
        return;
    if (!e->bytes) {
        e->addr = frames;
        e->bytes = bytes_at(e->file, frames, &e->len);
    }
    if (row_encoding != EH_READ_INDEX || count_encoding == EH_READ_OMIT)
        return;
    uint64_t count = eh_read_pointer(&r, count_encoding, 0);
    if (r.failed || count > (uint64_t)(r.end - r.p) / 8)
        return;
    e->index_addr = addr;
    e->index = r.p;
    e->index_count = (uint32_t)count;
}

int eh_frame_open(const struct elf_file *f, struct eh_frame *ret_frames)
{
    struct eh_frame e = {.file = f};
    struct elf_section section;
    struct elf_segment s;
    for (unsigned i = 0; i < f->section_count; i++) {
        if (elf_file_section(f, i, &section) == 0 && strcmp(section.name, ".eh_frame") == 0 &&
            section.type != SHT_NOBITS) {
            e.addr = section.addr;
            e.len = section.size;
            e.bytes = f->bytes + section.offset;
        }
    }
    for (unsigned i = 0; elf_file_segment(f, i, &s) == 0; i++) {
        if (s.type == PT_GNU_EH_FRAME)
            read_index(&e, s.addr);
    }
    if (!e.bytes)
        return E_NOT_FOUND;
    *ret_frames = e;
    return 0;
}

/* Find the offset in .eh_frame of the record that the index has for `addr`. */
static int find_in_index(const struct eh_frame *e, uint64_t addr, uint64_t *ret_offset)
{
    uint32_t low = 0, high = e->index_count;
    int32_t row[2];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(row, e->index + (size_t)middle * 8, sizeof(row));
        if (e->index_addr + (uint64_t)(int64_t)row[0] <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    memcpy(row, e->index + (size_t)(low - 1) * 8, sizeof(row));
    *ret_offset = e->index_addr + (uint64_t)(int64_t)row[1] - e->addr;
    return *ret_offset < e->len;
}

struct want {
    uint64_t addr;
    struct cfi_row row;
    int found;
};

/* Keep the last row that does not start after the wanted address. */
static int emit_wanted(void *arg, uint64_t addr, const struct cfi_row *row)
{
    struct want *want = arg;
    if (addr > want->addr)
        return 1;
    want->row = *row;
    want->found = 1;
    return 0;
}

int eh_frame_find(const struct eh_frame *e, uint64_t addr, struct cfi_row *ret_row)
{
    struct want want = {.addr = addr};
    struct fde f;
    uint64_t offset = 0, next;
    int found = 0;
    if (e->index) {
        found = find_in_index(e, addr, &offset) && read_fde(e, offset, &f, &next) &&
                addr - f.start < f.size;
    } else {
        struct eh_read r;
        for (; !found && open_record(e, offset, &r, &next); offset = next)
            found = read_fde(e, offset, &f, &next) && addr - f.start < f.size;
    }
    if (!found || run_fde(&f, emit_wanted, &want) < 0 || !want.found)
        return 0;
    *ret_row = want.row;
    return want.row.cfa != CFI_CFA_UNKNOWN;
}

int eh_frame_function(const struct eh_frame *e, uint64_t addr, uint64_t *ret_start)
{
    struct fde f;
    uint64_t offset, next;
    if (!find_in_index(e, addr, &offset) || !read_fde(e, offset, &f, &next) ||
        addr - f.start >= f.size)
        return 0;
    *ret_start = f.start;
    return 1;
}

struct rows {
    struct cfi_row *rows;
    uint32_t count, capacity;
    uint64_t base;
};

static int emit_row(void *arg, uint64_t addr, const struct cfi_row *row)
{
    struct rows *all = arg;
    if (addr < all->base || addr - all->base > UINT32_MAX)
        return 0;
    if (all->count == all->capacity) {
        uint32_t capacity = all->capacity == 0 ? 4096 : all->capacity * 2;
        struct cfi_row *rows = reallocarray(all->rows, capacity, sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        all->rows = rows;
        all->capacity = capacity;
    }
    all->rows[all->count] = *row;
    all->rows[all->count++].pc = (uint32_t)(addr - all->base);
    return 0;
}

/* Sort by address; at one address, the end of a function comes in front of the next start. */
static int by_pc(const void *a, const void *b)
{
    const struct cfi_row *x = a, *y = b;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return (x->cfa != CFI_CFA_UNKNOWN) - (y->cfa != CFI_CFA_UNKNOWN);
}

int eh_frame_rows(const struct eh_frame *e, uint64_t base, struct cfi_row **ret_rows,
                  uint32_t *ret_count)
{
    static const struct cfi_row gap = {.cfa = CFI_CFA_UNKNOWN};
    struct rows all = {.base = base};
    struct eh_read r;
    uint64_t next;
    for (uint64_t offset = 0; open_record(e, offset, &r, &next); offset = next) {
        struct fde f;
        uint32_t before = all.count;
        if (!read_fde(e, offset, &f, &next))
            continue;
        int error = run_fde(&f, emit_row, &all);
        if (error != -ENOMEM && error < 0)
            all.count = before; /* damaged: this function gets no rows */
        else if (error == 0)
            error = emit_row(&all, f.start + f.size, &gap);
        if (error == -ENOMEM) {
            free(all.rows);
            return -ENOMEM;
        }
    }
    if (all.count > 0)
        qsort(all.rows, all.count, sizeof(*all.rows), by_pc);
    *ret_rows = all.rows;
    *ret_count = all.count;
    return 0;
}
