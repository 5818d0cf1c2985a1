/*
 * eh_frame.c - see eh_frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/eh_frame.h"
#include "base/err.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of registers in the information. */
enum { X86_FP = 6, X86_SP = 7, X86_RA = 16, ARM_FP = 29, ARM_RA = 30, ARM_SP = 31 };
/* How a pointer is written: size in the low bits, what it is relative to above. */
enum { PE_OMIT = 0xff, PE_SIZE = 0x0f, PE_BASE = 0x70, PE_PCREL = 0x10, PE_INDEX = 0x3b };
enum { STATES_MAX = 16, OP_BREG0 = 0x70, OP_DEREF = 0x06 };

/* A reader of the section: past its end it gives zeros and says so. */
struct reader {
    const unsigned char *p, *end;
    int failed;
};

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint32_t ra;
    uint8_t encoding;
    int is_signal, has_data;
    struct reader program;
};

struct fde {
    struct cie cie;
    uint64_t start, size;
    struct reader program;
};

struct state {
    uint32_t cfa_reg;
    int64_t cfa_offset;
    int cfa_kind; /* -1: by register */
    int64_t fp, ra;
    int is_end;
};

struct machine {
    uint32_t fp, sp;
    struct state now, first, saved[STATES_MAX];
    int depth;
};

static uint64_t take(struct reader *r, unsigned size)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->p) < size) {
        r->p = r->end;
        r->failed = 1;
        return 0;
    }
    memcpy(&value, r->p, size);
    r->p += size;
    return value;
}

static uint64_t take_uleb(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t b = take(r, 1);
        value |= (b & 0x7f) << shift;
        if (!(b & 0x80))
            break;
    }
    return value;
}

static int64_t take_sleb(struct reader *r)
{
    uint64_t value = 0, b;
    unsigned shift = 0;
    do {
        b = take(r, 1);
        value |= (b & 0x7f) << shift;
        shift += 7;
    } while ((b & 0x80) && shift < 63);
    if (shift < 64 && (b & 0x40))
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

/* An encoded pointer; `addr` is the address of its first byte. */
static uint64_t take_pointer(struct reader *r, uint8_t encoding, uint64_t addr)
{
    uint64_t value;
    switch (encoding & PE_SIZE) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = take(r, 8);
        break;
    case 0x01:
        value = take_uleb(r);
        break;
    case 0x02:
        value = take(r, 2);
        break;
    case 0x03:
        value = take(r, 4);
        break;
    case 0x09:
        value = (uint64_t)take_sleb(r);
        break;
    case 0x0a:
        value = (uint64_t)(int64_t)(int16_t)take(r, 2);
        break;
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)take(r, 4);
        break;
    default:
        r->failed = 1;
        return 0;
    }
    return (encoding & PE_BASE) == PE_PCREL ? value + addr : value;
}

static uint64_t addr_of(const struct eh_frame *e, const unsigned char *p)
{
    return e->addr + (uint64_t)(p - e->bytes);
}

/* A record's body. 1, or 0 at the end or at damage. *ret_id_at: where its id stands. */
static int open_record(const struct eh_frame *e, uint64_t offset, struct reader *ret_body,
                       uint64_t *ret_next)
{
    if (offset >= e->len)
        return 0;
    struct reader r = {e->bytes + offset, e->bytes + e->len, 0};
    uint64_t len = take(&r, 4);
    if (len == 0xffffffffu)
        len = take(&r, 8);
    if (r.failed || len < 4 || len > (uint64_t)(r.end - r.p))
        return 0;
    r.end = r.p + len;
    *ret_body = r;
    *ret_next = (uint64_t)(r.end - e->bytes);
    return 1;
}

static int read_cie(const struct eh_frame *e, uint64_t offset, struct cie *ret_cie)
{
    struct reader r;
    struct cie c = {.encoding = 0};
    uint64_t unused;
    if (!open_record(e, offset, &r, &unused) || take(&r, 4) != 0)
        return 0;
    uint64_t version = take(&r, 1);
    const char *augmentation = (const char *)r.p;
    if (memchr(r.p, 0, (size_t)(r.end - r.p)) == NULL)
        return 0;
    r.p += strlen(augmentation) + 1;
    c.code_align = take_uleb(&r);
    c.data_align = take_sleb(&r);
    c.ra = version == 1 ? (uint32_t)take(&r, 1) : (uint32_t)take_uleb(&r);
    if (*augmentation == 'z') {
        uint64_t len = take_uleb(&r);
        if (len > (uint64_t)(r.end - r.p))
            return 0;
        struct reader data = {r.p, r.p + len, 0};
        c.has_data = 1;
        for (const char *a = augmentation + 1; *a != 0; a++) {
            if (*a == 'R') {
                c.encoding = (uint8_t)take(&data, 1);
            } else if (*a == 'P') {
                uint8_t encoding = (uint8_t)take(&data, 1);
                take_pointer(&data, encoding, 0);
            } else if (*a == 'L') {
                take(&data, 1);
            } else if (*a == 'S') {
                c.is_signal = 1;
            }
        }
        r.p += len;
    }
    c.program = r;
    *ret_cie = c;
    return !r.failed;
}

static int read_fde(const struct eh_frame *e, uint64_t offset, struct fde *ret_fde,
                    uint64_t *ret_next)
{
    struct reader r;
    struct fde f;
    if (!open_record(e, offset, &r, ret_next))
        return 0;
    uint64_t id_at = (uint64_t)(r.p - e->bytes), id = take(&r, 4);
    if (id == 0 || id > id_at || !read_cie(e, id_at - id, &f.cie))
        return 0;
    f.start = take_pointer(&r, f.cie.encoding, addr_of(e, r.p));
    f.size = take_pointer(&r, f.cie.encoding & PE_SIZE, 0);
    if (f.cie.has_data) {
        uint64_t len = take_uleb(&r);
        if (len > (uint64_t)(r.end - r.p))
            return 0;
        r.p += len;
    }
    f.program = r;
    *ret_fde = f;
    return !r.failed;
}

static void set_register(struct machine *m, const struct cie *cie, uint64_t reg, int64_t value)
{
    if (reg == m->fp)
        m->now.fp = value;
    else if (reg == cie->ra)
        m->now.ra = value;
}

static void restore(struct machine *m, const struct cie *cie, uint64_t reg)
{
    if (reg == m->fp)
        m->now.fp = m->first.fp;
    else if (reg == cie->ra)
        m->now.ra = m->first.ra;
}

/* The CFA by an expression: the linker's stub, or one load from the frame pointer's frame. */
static void read_expression(struct machine *m, struct reader *r)
{
    uint64_t len = take_uleb(r);
    if (len > (uint64_t)(r->end - r->p)) {
        r->failed = 1;
        return;
    }
    struct reader e = {r->p, r->p + len, 0};
    uint64_t op = take(&e, 1);
    int64_t offset = take_sleb(&e);
    m->now.cfa_kind = CFI_CFA_UNKNOWN;
    if (op == OP_BREG0 + m->fp && take(&e, 1) == OP_DEREF && e.p == e.end) {
        m->now.cfa_kind = CFI_CFA_FP_DEREF;
        m->now.cfa_offset = offset;
    } else if (m->sp == X86_SP && op == OP_BREG0 + X86_SP && offset == 8 && len == 11) {
        m->now.cfa_kind = CFI_CFA_PLT;
    }
    r->p += len;
}

static void skip_block(struct reader *r)
{
    uint64_t len = take_uleb(r);
    if (len > (uint64_t)(r->end - r->p))
        r->failed = 1;
    else
        r->p += len;
}

static void def_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    m->now.cfa_kind = -1;
    m->now.cfa_reg = (uint32_t)reg;
    m->now.cfa_offset = offset;
}

/* A factor of a rule as an offset. In a damaged table the product may be too large; then it wraps
 * and is as wrong as the table. */
static int64_t scaled(const struct cie *cie, uint64_t factor)
{
    return (int64_t)(factor * (uint64_t)cie->data_align);
}

/* One instruction that does not move the location. 1, or 0: of an unknown kind. */
static int run_rule(struct machine *m, const struct cie *cie, unsigned op, struct reader *r)
{
    uint64_t reg;
    switch (op) {
    case 0x05: /* offset_extended */
        reg = take_uleb(r);
        set_register(m, cie, reg, scaled(cie, take_uleb(r)));
        return 1;
    case 0x11: /* offset_extended_sf */
        reg = take_uleb(r);
        set_register(m, cie, reg, scaled(cie, (uint64_t)take_sleb(r)));
        return 1;
    case 0x2f: /* GNU_negative_offset_extended */
        reg = take_uleb(r);
        set_register(m, cie, reg, scaled(cie, 0 - take_uleb(r)));
        return 1;
    case 0x06: /* restore_extended */
        restore(m, cie, take_uleb(r));
        return 1;
    case 0x07: /* undefined: of the return address, this is the first frame */
        if (take_uleb(r) == cie->ra)
            m->now.is_end = 1;
        return 1;
    case 0x08: /* same_value */
        set_register(m, cie, take_uleb(r), CFI_SAME);
        return 1;
    case 0x09: /* register */
    case 0x14: /* val_offset */
        take_uleb(r);
        take_uleb(r);
        return 1;
    case 0x15: /* val_offset_sf */
        take_uleb(r);
        take_sleb(r);
        return 1;
    case 0x0a: /* remember_state */
        if (m->depth == STATES_MAX)
            return 0;
        m->saved[m->depth++] = m->now;
        return 1;
    case 0x0b: /* restore_state */
        if (m->depth == 0)
            return 0;
        m->now = m->saved[--m->depth];
        return 1;
    case 0x0c: /* def_cfa */
        reg = take_uleb(r);
        def_cfa(m, reg, (int64_t)take_uleb(r));
        return 1;
    case 0x12: /* def_cfa_sf */
        reg = take_uleb(r);
        def_cfa(m, reg, scaled(cie, (uint64_t)take_sleb(r)));
        return 1;
    case 0x0d: /* def_cfa_register */
        def_cfa(m, take_uleb(r), m->now.cfa_offset);
        return 1;
    case 0x0e: /* def_cfa_offset */
        m->now.cfa_offset = (int64_t)take_uleb(r);
        return 1;
    case 0x13: /* def_cfa_offset_sf */
        m->now.cfa_offset = scaled(cie, (uint64_t)take_sleb(r));
        return 1;
    case 0x0f: /* def_cfa_expression */
        read_expression(m, r);
        return 1;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        take_uleb(r);
        skip_block(r);
        return 1;
    case 0x2e: /* GNU_args_size */
        take_uleb(r);
        return 1;
    case 0x00: /* nop */
    case 0x2d: /* AARCH64_negate_ra_state */
        return 1;
    default:
        return 0;
    }
}

static int16_t fit(int64_t offset)
{
    return offset > INT16_MIN && offset <= INT16_MAX ? (int16_t)offset : CFI_SAME;
}

static struct cfi_row row_of(const struct machine *m, const struct cie *cie, uint32_t pc)
{
    struct cfi_row row = {.pc = pc, .cfa_offset = (int32_t)m->now.cfa_offset};
    row.fp_offset = fit(m->now.fp);
    row.ra_offset = fit(m->now.ra);
    if (cie->is_signal)
        row.cfa = CFI_CFA_SIGNAL;
    else if (m->now.is_end)
        row.cfa = CFI_CFA_END;
    else if (m->now.cfa_kind >= 0)
        row.cfa = (uint8_t)m->now.cfa_kind;
    else
        row.cfa = m->now.cfa_reg == m->sp   ? CFI_CFA_SP
                  : m->now.cfa_reg == m->fp ? CFI_CFA_FP
                                            : CFI_CFA_UNKNOWN;
    return row;
}

/* Run a program from address `at`; `emit` gets the row of each piece of code. 0, or negative. */
static int run(struct machine *m, const struct cie *cie, struct reader r, uint64_t at,
               int (*emit)(void *arg, uint64_t addr, const struct cfi_row *row), void *arg)
{
    while (r.p < r.end && !r.failed) {
        unsigned op = (unsigned)take(&r, 1), low = op & 0x3f;
        uint64_t delta;
        switch (op >> 6) {
        case 1:
            delta = low;
            break;
        case 2:
            set_register(m, cie, low, scaled(cie, take_uleb(&r)));
            continue;
        case 3:
            restore(m, cie, low);
            continue;
        default:
            if (op < 0x02 || op > 0x04) {
                if (op == 0x01 || !run_rule(m, cie, op, &r))
                    return E_FORMAT; /* set_loc is not used in .eh_frame of our CPUs */
                continue;
            }
            delta = take(&r, 1u << (op - 0x02));
        }
        if (emit != NULL) {
            struct cfi_row row = row_of(m, cie, 0);
            int result = emit(arg, at, &row);
            if (result != 0)
                return result;
        }
        at += delta * cie->code_align;
    }
    if (r.failed)
        return E_TRUNCATED;
    if (emit == NULL)
        return 0;
    struct cfi_row row = row_of(m, cie, 0);
    return emit(arg, at, &row);
}

static int run_fde(const struct eh_frame *e, const struct fde *f,
                   int (*emit)(void *arg, uint64_t addr, const struct cfi_row *row), void *arg)
{
    int is_arm = e->file->machine == EM_AARCH64;
    struct machine m = {.fp = is_arm ? ARM_FP : X86_FP, .sp = is_arm ? ARM_SP : X86_SP};
    m.now = (struct state){.cfa_kind = CFI_CFA_UNKNOWN, .fp = CFI_SAME, .ra = CFI_SAME};
    m.first = m.now;
    int error = run(&m, &f->cie, f->cie.program, f->start, NULL, NULL);
    if (error < 0)
        return error;
    m.first = m.now;
    return run(&m, &f->cie, f->program, f->start, emit, arg);
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

/* The index: version, three encodings, the address of .eh_frame, the count, the rows. */
static void read_index(struct eh_frame *e, uint64_t addr)
{
    uint64_t len;
    const unsigned char *bytes = bytes_at(e->file, addr, &len);
    if (bytes == NULL || len < 12)
        return;
    struct reader r = {bytes, bytes + len, 0};
    uint64_t version = take(&r, 1);
    uint8_t frame_encoding = (uint8_t)take(&r, 1), count_encoding = (uint8_t)take(&r, 1);
    uint8_t row_encoding = (uint8_t)take(&r, 1);
    uint64_t frames = take_pointer(&r, frame_encoding, addr + 4);
    if (version != 1 || r.failed || frame_encoding == PE_OMIT)
        return;
    if (e->bytes == NULL) {
        e->addr = frames;
        e->bytes = bytes_at(e->file, frames, &e->len);
    }
    if (row_encoding != PE_INDEX || count_encoding == PE_OMIT)
        return;
    uint64_t count = take_pointer(&r, count_encoding, 0);
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
    if (e.bytes == NULL)
        return E_NOT_FOUND;
    *ret_frames = e;
    return 0;
}

/* Offset in .eh_frame of the record that the index has for `addr`. */
static int find_in_index(const struct eh_frame *e, uint64_t addr, uint64_t *ret_offset)
{
    uint32_t low = 0, high = e->index_count;
    int32_t row[2];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(row, e->index + (size_t)middle * 8, sizeof row);
        if (e->index_addr + (uint64_t)(int64_t)row[0] <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    memcpy(row, e->index + (size_t)(low - 1) * 8, sizeof row);
    *ret_offset = e->index_addr + (uint64_t)(int64_t)row[1] - e->addr;
    return *ret_offset < e->len;
}

struct want {
    uint64_t addr;
    struct cfi_row row;
    int found;
};

/* Keeps the last row that starts at or before the address. */
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
    if (e->index != NULL) {
        found = find_in_index(e, addr, &offset) && read_fde(e, offset, &f, &next) &&
                addr - f.start < f.size;
    } else {
        struct reader r;
        for (; !found && open_record(e, offset, &r, &next); offset = next)
            found = read_fde(e, offset, &f, &next) && addr - f.start < f.size;
    }
    if (!found || run_fde(e, &f, emit_wanted, &want) < 0 || !want.found)
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
        struct cfi_row *rows = reallocarray(all->rows, capacity, sizeof *rows);
        if (rows == NULL)
            return -ENOMEM;
        all->rows = rows;
        all->capacity = capacity;
    }
    all->rows[all->count] = *row;
    all->rows[all->count++].pc = (uint32_t)(addr - all->base);
    return 0;
}

/* By address; at the same address the end of a function goes before the start of the next. */
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
    struct reader r;
    uint64_t next;
    for (uint64_t offset = 0; open_record(e, offset, &r, &next); offset = next) {
        struct fde f;
        uint32_t before = all.count;
        if (!read_fde(e, offset, &f, &next))
            continue;
        int error = run_fde(e, &f, emit_row, &all);
        if (error != -ENOMEM && error < 0)
            all.count = before; /* damaged: no rows for this function */
        else if (error == 0)
            error = emit_row(&all, f.start + f.size, &gap);
        if (error == -ENOMEM) {
            free(all.rows);
            return -ENOMEM;
        }
    }
    if (all.count > 0)
        qsort(all.rows, all.count, sizeof *all.rows, by_pc);
    *ret_rows = all.rows;
    *ret_count = all.count;
    return 0;
}
