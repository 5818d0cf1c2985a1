/*
 * hs_names.c - see hs_names.h.
 *
 * Reads what hs_method.h reads; writes only `memory`. Bounded: PROBES_MAX slots, text and table
 * lengths below.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_names.h"

#define PROBES_MAX 32
#define TEXT_MAX 2048
#define LINES_MAX 8192
/* What an average method takes: class, name, signature, file and lines. */
#define ENTRY_BYTES_MEAN 256
#define SLOT_SHARE 8 /* one part in so many of the memory is the hash table */

/* An index is an entry's offset in `memory` in units of 8 bytes. */
struct entry {
    uint64_t method;
    struct hs_method_print print;
    _Atomic uint32_t epoch;
    uint16_t text_len[4]; /* class, name, signature, source file */
    uint16_t lines_len;
    unsigned char bytes[];
};

size_t hs_names_bytes(uint32_t methods)
{
    return (size_t)methods * (ENTRY_BYTES_MEAN + ENTRY_BYTES_MEAN / SLOT_SHARE) + (64u << 10);
}

void hs_names_init(struct hs_names *n, const struct hs_layout *layout, void *memory, size_t bytes)
{
    uint32_t slots = 1024;
    while ((size_t)slots * 2 * sizeof *n->slots <= bytes / SLOT_SHARE && slots < (1u << 24))
        slots *= 2;
    memset(n, 0, sizeof *n);
    n->layout = layout;
    n->memory = memory;
    n->bytes = bytes;
    n->slots = memory;
    n->slot_mask = slots - 1;
    atomic_store(&n->used, (uint64_t)slots * sizeof *n->slots);
    atomic_store(&n->epoch, 1);
}

void hs_names_new_epoch(struct hs_names *n)
{
    atomic_fetch_add(&n->epoch, 1);
}

static struct entry *entry_at(const struct hs_names *n, uint32_t index)
{
    return (struct entry *)(n->memory + (size_t)index * 8);
}

static int same_print(const struct hs_method_print *a, const struct hs_method_print *b)
{
    return a->const_method == b->const_method && a->holder == b->holder && a->name == b->name &&
           a->holder_name == b->holder_name;
}

static int entry_fits(struct hs_names *n, struct mem_view *v, struct entry *e, uint64_t method)
{
    struct hs_method_print print;
    uint32_t epoch = atomic_load_explicit(&n->epoch, memory_order_relaxed);
    if (e->method != method ||
        mem_view_u8(v, method + (uint64_t)n->layout->method_const) != e->print.const_method)
        return 0;
    if (atomic_load_explicit(&e->epoch, memory_order_relaxed) == epoch)
        return 1;
    if (!hs_method_print(v, n->layout, method, &print) || !same_print(&print, &e->print))
        return 0;
    atomic_store_explicit(&e->epoch, epoch, memory_order_relaxed);
    return 1;
}

/* Room for an entry; 0 when the memory is full. */
static uint32_t take_room(struct hs_names *n, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    uint64_t at = atomic_fetch_add(&n->used, size);
    if (at + size > n->bytes || at + size < at) {
        atomic_fetch_sub(&n->used, size);
        return 0;
    }
    return (uint32_t)(at / 8);
}

static uint32_t text_len(struct hs_names *n, struct mem_view *v, uint64_t symbol)
{
    uint32_t len = symbol == 0 ? 0 : mem_view_u2(v, symbol + (uint64_t)n->layout->symbol_length);
    return len > TEXT_MAX ? TEXT_MAX : len;
}

/* Copy a method into a new entry. 0: no room or not readable, counted. */
static uint32_t make_entry(struct hs_names *n, struct mem_view *v, uint64_t method)
{
    struct hs_method_symbols s;
    struct hs_method_print print;
    uint32_t len[4], faults = v->faults;
    uint64_t lines = 0;
    if (!hs_method_symbols(v, n->layout, method, &s) ||
        !hs_method_print(v, n->layout, method, &print))
        goto unreadable;
    uint64_t symbols[4] = {s.class_name, s.name, s.signature, s.source_file};
    size_t size = offsetof(struct entry, bytes);
    for (int i = 0; i < 4; i++) {
        len[i] = text_len(n, v, symbols[i]);
        size += len[i];
    }
    uint32_t lines_len = hs_method_line_table(v, n->layout, method, LINES_MAX, &lines);
    if (v->faults != faults)
        goto unreadable;
    uint32_t index = take_room(n, size + lines_len);
    if (index == 0) {
        atomic_fetch_add(&n->full, 1);
        return 0;
    }
    struct entry *e = entry_at(n, index);
    unsigned char *out = e->bytes;
    e->method = method;
    e->print = print;
    atomic_store_explicit(&e->epoch, atomic_load(&n->epoch), memory_order_relaxed);
    for (int i = 0; i < 4; i++) {
        int got =
            len[i] == 0 ? 0 : hs_method_symbol_text(v, n->layout, symbols[i], (char *)out, len[i]);
        e->text_len[i] = (uint16_t)(got < 0 ? 0 : got);
        out += e->text_len[i];
    }
    e->lines_len = (uint16_t)lines_len;
    if (lines_len != 0 && mem_read(v->mem, lines, out, lines_len) < 0)
        e->lines_len = 0;
    if (e->text_len[0] == 0 || e->text_len[1] == 0)
        goto unreadable;
    atomic_fetch_add(&n->count, 1);
    return index;
unreadable:
    atomic_fetch_add(&n->unreadable, 1);
    return 0;
}

uint32_t hs_names_find(struct hs_names *n, struct mem_view *v, uint64_t method)
{
    uint32_t hash = (uint32_t)((method >> 3) * 0x9e3779b97f4a7c15u >> 32), made = 0;
    for (uint32_t i = 0; i < PROBES_MAX; i++) {
        _Atomic uint32_t *slot = &n->slots[(hash + i) & n->slot_mask];
        uint32_t index = atomic_load_explicit(slot, memory_order_acquire);
        if (index == 0) {
            if (made == 0)
                made = make_entry(n, v, method);
            if (made == 0)
                return 0;
            if (atomic_compare_exchange_strong(slot, &index, made))
                return made;
        }
        /* here `index` is another handler's entry if it was quicker */
        if (entry_fits(n, v, entry_at(n, index), method))
            return index;
    }
    atomic_fetch_add(&n->full, 1);
    return made;
}

int hs_names_get(const struct hs_names *n, uint32_t index, struct hs_names_method *ret_method)
{
    if ((size_t)index * 8 < (size_t)(n->slot_mask + 1) * sizeof *n->slots ||
        (size_t)index * 8 + sizeof(struct entry) > n->bytes)
        return 0;
    const struct entry *e = entry_at(n, index);
    const char *text = (const char *)e->bytes;
    *ret_method = (struct hs_names_method){
        .class_name = text,
        .name = text + e->text_len[0],
        .signature = text + e->text_len[0] + e->text_len[1],
        .source_file = text + e->text_len[0] + e->text_len[1] + e->text_len[2],
        .class_name_len = e->text_len[0],
        .name_len = e->text_len[1],
        .signature_len = e->text_len[2],
        .source_file_len = e->text_len[3],
    };
    return 1;
}

int32_t hs_names_line(const struct hs_names *n, uint32_t index, int32_t bci)
{
    struct hs_names_method m;
    if (bci < 0 || !hs_names_get(n, index, &m))
        return -1;
    const struct entry *e = entry_at(n, index);
    const unsigned char *lines = (const unsigned char *)m.source_file + m.source_file_len;
    return hs_method_line(lines, e->lines_len, (uint32_t)n->layout->unsigned5_excluded, bci);
}
