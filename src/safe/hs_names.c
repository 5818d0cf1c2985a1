/*
 * hs_names.c - see hs_names.h.
 *
 * The functions read what hs_method.h reads, and write only `memory`. Loops are bounded by
 * PROBES_MAX slots and by the text and table lengths below.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_names.h"
#include "safe/own_class.h"
#include "safe/ring.h"

enum {
    PROBES_MAX = 64,
    TEXT_MAX = 2048,
    LINES_MAX = 8192,
    TEXTS = 4, /* class, name, signature, source file */
    ENTER_TRIES = 16,
    /* bytes of an average method: its texts and lines */
    ENTRY_BYTES_MEAN = 256,
    SLOT_SHARE = 8, /* one part in 8 of the memory is hash tables */
};
#define NOT_COUNTED ((uint64_t)1 << 63)

/* One method. The index of an entry is its offset in `memory`, in units of 8 bytes. */
struct entry {
    uint64_t method;
    _Atomic uint64_t stamp; /* stamp of the last visit that found the entry right */
    uint16_t text_len[TEXTS];
    uint16_t lines_len;
    unsigned char bytes[];
};

/* The data that the VM has of a method, before it is copied or compared. */
struct source {
    uint64_t texts[TEXTS], lines; /* addresses */
    uint32_t text_len[TEXTS], lines_len;
};

size_t hs_names_bytes(uint32_t methods)
{
    return 2 * ((size_t)methods * (ENTRY_BYTES_MEAN + ENTRY_BYTES_MEAN / SLOT_SHARE) + (64u << 10));
}

void hs_names_init(struct hs_names *n, const struct hs_layout *layout, void *memory, size_t bytes)
{
    uint64_t half_bytes = bytes / 2 & ~(uint64_t)7;
    uint32_t slots = 1024;
    while ((size_t)slots * 2 * sizeof(*n->half->slots) <= half_bytes / SLOT_SHARE &&
           slots < (1u << 24))
        slots *= 2;
    memset(n, 0, sizeof(*n));
    n->layout = layout;
    n->memory = memory;
    n->slot_mask = slots - 1;
    for (uint32_t i = 0; i < 2; i++) {
        struct hs_names_half *h = &n->half[i];
        h->slots = (void *)(n->memory + i * half_bytes);
        h->first = i * half_bytes + slots * sizeof(*h->slots);
        h->end = (i + 1) * half_bytes;
        atomic_store(&h->next, h->first);
    }
    atomic_store(&n->generation, 1);
}

/* The VM's two counters as one number. No two states of the VM have the same number, because the
 * counters only grow. */
static uint64_t stamp_of(struct hs_names *n, struct mem_view *v)
{
    const struct hs_layout *l = n->layout;
    uint32_t faults = v->faults;
    if (l->count_unloaded != 0 && l->count_safepoints != 0) {
        uint64_t stamp = mem_view_u8(v, l->count_unloaded) << 32;
        stamp |= (uint32_t)mem_view_u8(v, l->count_safepoints);
        if (v->faults == faults)
            return stamp & ~NOT_COUNTED;
        v->faults = faults; /* the VM is ending; this fault says nothing about the walk */
    }
    return NOT_COUNTED | atomic_fetch_add_explicit(&n->unstamped, 1, memory_order_relaxed);
}

void hs_names_enter(struct hs_names *n, struct mem_view *v, struct hs_names_visit *ret_visit)
{
    *ret_visit = (struct hs_names_visit){.names = n};
    for (int i = 0; i < ENTER_TRIES; i++) {
        uint32_t generation = atomic_load(&n->generation);
        struct hs_names_half *half = &n->half[generation & 1];
        atomic_fetch_add(&half->inside, 1);
        if (atomic_load(&n->generation) == generation) {
            ret_visit->half = half;
            ret_visit->generation = generation;
            ret_visit->stamp = stamp_of(n, v);
            return;
        }
        atomic_fetch_sub(&half->inside, 1);
    }
}

void hs_names_leave(struct hs_names_visit *visit)
{
    if (visit->half)
        atomic_fetch_sub(&visit->half->inside, 1);
    visit->half = NULL;
}

static struct entry *entry_at(const struct hs_names *n, uint32_t index)
{
    return (struct entry *)(n->memory + (size_t)index * 8);
}

/* Find where the texts and lines of a method lie now. Returns 1, or 0 if they cannot be read. */
static int find_source(const struct hs_layout *l, struct mem_view *v, uint64_t method,
                       struct source *ret_source)
{
    struct hs_method_symbols s;
    uint32_t faults = v->faults;
    if (!hs_method_symbols(v, l, method, &s))
        return 0;
    *ret_source = (struct source){.texts = {s.class_name, s.name, s.signature, s.source_file}};
    for (int i = 0; i < TEXTS; i++) {
        uint64_t symbol = ret_source->texts[i];
        uint32_t len = symbol == 0 ? 0 : mem_view_u2(v, symbol + (uint64_t)l->symbol_length);
        ret_source->texts[i] = symbol + (uint64_t)l->symbol_body;
        ret_source->text_len[i] = len > TEXT_MAX ? TEXT_MAX : len;
    }
    ret_source->lines_len = hs_method_line_table(v, l, method, LINES_MAX, &ret_source->lines);
    return v->faults == faults;
}

static bool is_same(struct mem_view *v, uint64_t addr, const unsigned char *bytes, uint32_t len)
{
    unsigned char chunk[64];
    for (uint32_t at = 0; at < len; at += sizeof(chunk)) {
        uint32_t part = len - at < sizeof(chunk) ? len - at : sizeof(chunk);
        if (mem_read(v->mem, addr + at, chunk, part) < 0 || memcmp(chunk, bytes + at, part) != 0)
            return false;
    }
    return true;
}

/* Whether an entry with this method's address is still about the same method: everything that the
 * VM shows of the method is equal. */
static bool entry_fits(struct hs_names_visit *visit, struct mem_view *v, struct entry *e,
                       uint64_t method)
{
    const unsigned char *bytes = e->bytes;
    struct source s;
    if (atomic_load_explicit(&e->stamp, memory_order_relaxed) == visit->stamp)
        return true;
    if (!find_source(visit->names->layout, v, method, &s) || s.lines_len != e->lines_len)
        return false;
    for (int i = 0; i < TEXTS; i++) {
        if (s.text_len[i] != e->text_len[i] || !is_same(v, s.texts[i], bytes, e->text_len[i]))
            return false;
        bytes += e->text_len[i];
    }
    if (!is_same(v, s.lines, bytes, e->lines_len))
        return false;
    atomic_store_explicit(&e->stamp, visit->stamp, memory_order_relaxed);
    return true;
}

/* Take room for an entry. Returns its index; 0 if the half is full. */
static uint32_t take_room(struct hs_names_half *half, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    uint64_t at = atomic_fetch_add(&half->next, size);
    if (at + size > half->end) {
        atomic_fetch_sub(&half->next, size);
        return 0;
    }
    return (uint32_t)(at / 8);
}

/* Copy a method into a new entry. Returns its index. 0: there is no room, or the method cannot be
 * read; each is counted. */
static uint32_t make_entry(struct hs_names_visit *visit, struct mem_view *v, uint64_t method)
{
    struct hs_names *n = visit->names;
    struct source s;
    if (!find_source(n->layout, v, method, &s) || s.text_len[0] == 0 || s.text_len[1] == 0)
        goto unreadable;
    size_t size = offsetof(struct entry, bytes) + s.lines_len;
    for (int i = 0; i < TEXTS; i++)
        size += s.text_len[i];
    uint32_t index = take_room(visit->half, size);
    if (index == 0) {
        atomic_fetch_add(&n->full, 1);
        return 0;
    }
    struct entry *e = entry_at(n, index);
    unsigned char *out = e->bytes;
    e->method = method;
    atomic_store_explicit(&e->stamp, visit->stamp, memory_order_relaxed);
    for (int i = 0; i < TEXTS; i++) {
        e->text_len[i] = (uint16_t)s.text_len[i];
        if (s.text_len[i] != 0 && mem_read(v->mem, s.texts[i], out, s.text_len[i]) < 0)
            goto unreadable;
        out += s.text_len[i];
    }
    e->lines_len = (uint16_t)s.lines_len;
    if (s.lines_len != 0 && mem_read(v->mem, s.lines, out, s.lines_len) < 0)
        goto unreadable;
    atomic_fetch_add(&visit->half->count, 1);
    return index;
unreadable:
    atomic_fetch_add(&n->unreadable, 1);
    return 0;
}

uint32_t hs_names_find(struct hs_names_visit *visit, struct mem_view *v, uint64_t method)
{
    struct hs_names *n = visit->names;
    uint32_t hash = (uint32_t)((method >> 3) * 0x9e3779b97f4a7c15u >> 32), made = 0;
    for (uint32_t i = 0; visit->half && i < PROBES_MAX; i++) {
        _Atomic uint32_t *slot = &visit->half->slots[(hash + i) & n->slot_mask];
        uint32_t index = atomic_load_explicit(slot, memory_order_acquire);
        if (index != 0) {
            struct entry *e = entry_at(n, index);
            if (e->method != method)
                continue;
            if (entry_fits(visit, v, e, method))
                return index;
        }
        if (made == 0)
            made = make_entry(visit, v, method);
        if (made == 0)
            return 0;
        /* The slot is empty, or the method of its entry is gone. In the second case old samples
         * still find that entry by its index. */
        if (atomic_compare_exchange_strong(slot, &index, made))
            return made;
        /* another handler was quicker and may have added the same method */
        if (entry_at(n, index)->method == method)
            return made;
    }
    atomic_fetch_add(&n->full, 1);
    return made;
}

static void empty(struct hs_names *n, struct hs_names_half *half)
{
    n->given_back += atomic_load(&half->count);
    memset((void *)half->slots, 0, ((size_t)n->slot_mask + 1) * sizeof(*half->slots));
    atomic_store(&half->count, 0);
    atomic_store(&half->next, half->first);
}

static bool is_half_full(const struct hs_names *n, const struct hs_names_half *half)
{
    return atomic_load(&half->next) - half->first >= (half->end - half->first) / 2 ||
           atomic_load(&n->full) != n->full_seen;
}

static bool is_among(const struct ring *ring, const struct ring *const *rings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (rings[i] == ring)
            return true;
    return false;
}

/* Whether the samples have been read that were in the rings when the last handler had left the old
 * half. A ring that came after that holds none of them; a ring that is gone has been read. What was
 * read once is not asked again: the ring may have begun anew since, with other memory. */
static bool are_read(struct hs_names *n, const struct ring *const *rings, uint32_t count)
{
    bool is_all = true;
    for (uint32_t i = 0; i < HS_NAMES_RINGS; i++) {
        const struct ring *ring = n->waits[i].ring;
        if (ring && is_among(ring, rings, count) && !ring_is_read(ring, n->waits[i].end))
            is_all = false;
        else
            n->waits[i].ring = NULL;
    }
    return is_all;
}

int hs_names_turn(struct hs_names *n, const struct ring *const *rings, uint32_t ring_count,
                  int *ret_emptied)
{
    uint32_t generation = atomic_load(&n->generation);
    int now = (int)(generation & 1), emptied = 0;
    if (n->state == HS_NAMES_WAIT_LEAVE && atomic_load(&n->half[!now].inside) == 0) {
        for (uint32_t i = 0; i < HS_NAMES_RINGS; i++)
            n->waits[i].ring = i < ring_count ? rings[i] : NULL;
        for (uint32_t i = 0; i < ring_count && i < HS_NAMES_RINGS; i++)
            n->waits[i].end = ring_end(rings[i]);
        n->state = HS_NAMES_WAIT_READ;
    }
    if (n->state == HS_NAMES_WAIT_READ && are_read(n, rings, ring_count)) {
        empty(n, &n->half[!now]);
        *ret_emptied = !now;
        emptied = 1;
        n->state = HS_NAMES_ONE_HALF;
    }
    if (n->state == HS_NAMES_ONE_HALF && is_half_full(n, &n->half[now])) {
        n->full_seen = atomic_load(&n->full);
        n->state = HS_NAMES_WAIT_LEAVE;
        atomic_store(&n->generation, generation + 1);
    }
    return emptied;
}

int hs_names_half_of(const struct hs_names *n, uint32_t index)
{
    return (uint64_t)index * 8 >= n->half[0].end;
}

int hs_names_get(const struct hs_names *n, uint32_t index, struct hs_names_method *ret_method)
{
    const struct hs_names_half *half = &n->half[hs_names_half_of(n, index)];
    uint64_t at = (uint64_t)index * 8;
    if (at < half->first || at + sizeof(struct entry) > half->end)
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

bool hs_names_is_own(const struct hs_names *n, uint32_t index)
{
    struct hs_names_method m;
    return hs_names_get(n, index, &m) && own_class_is(m.class_name, m.class_name_len);
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
