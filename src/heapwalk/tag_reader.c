/*
 * tag_reader.c - see tag_reader.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/tag_reader.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/pair.h"
#include "safe/mem.h"

enum {
    ENV_WORDS = 128, /* words of the environment that are searched for the tag map */
    MAP_WORDS = 32,  /* words of the tag map that are searched for the table */
    SIZE_MAX_LOG = 30,
    BATCH = 128,    /* chains that are followed together, so that their cache misses overlap */
    TURN = 1 << 14, /* chains that one thread takes at a time */
};

/* A row is the shape of the table since a JDK, as offsets. The table: the number of chains, the
 * number of entries (4 bytes each), the array of chains. A node: the object, or a handle that leads
 * to it; the tag; the next node of its chain. */
struct layout {
    int since;
    uint32_t size, count, chains;
    uint32_t object;
    bool is_handle;
    uint32_t tag, next;
};

static const struct layout layouts[] = {
    {28, 0, 16, 8, 8, 1, 32, 40}, /* a flag and a pointer to the object follow the handle */
    {18, 0, 16, 8, 8, 1, 24, 32},
    {16, 0, 20, 8, 16, 1, 24, 8},
    {8, 0, 8, 32, 0, 0, 8, 16},
};

struct table {
    struct mem *mem;
    const struct layout *layout;
    uint64_t chains;
    uint32_t size, count;
};

static bool is_pointer(uint64_t word)
{
    return word >> 12 != 0 && word >> 48 == 0 && word % 8 == 0;
}

/* Reads the table at `at`. Returns 0 if it cannot be a table. */
static int open_table(struct table *t, uint64_t at)
{
    const struct layout *l = t->layout;
    uint64_t word;
    if (mem_load4(t->mem, at + l->size, &t->size) < 0 ||
        mem_load4(t->mem, at + l->count, &t->count) < 0 ||
        mem_load8(t->mem, at + l->chains, &t->chains) < 0)
        return 0;
    return t->size > 0 && t->size >> SIZE_MAX_LOG == 0 && t->count > 0 && is_pointer(t->chains) &&
           mem_load8(t->mem, t->chains + (uint64_t)(t->size - 1) * 8, &word) == 0;
}

static void prefetch(uint64_t address)
{
    __builtin_prefetch((const void *)(uintptr_t)address);
}

/* Prefetches the whole node, which may lie in two cache lines. */
static void prefetch_node(const struct layout *l, uint64_t node)
{
    prefetch(node + l->object);
    prefetch(node + (l->next > l->tag ? l->next : l->tag));
}

/* Loads the heads of up to BATCH chains, without the empty ones. Returns how many, or -1. */
static int load_heads(const struct table *t, uint32_t from, uint32_t to, uint64_t *ret_nodes)
{
    int count = 0;
    for (uint32_t i = from; i < to && i < from + BATCH; i++) {
        uint64_t head;
        if (mem_load8(t->mem, t->chains + (uint64_t)i * 8, &head) < 0)
            return -1;
        if (head == 0)
            continue;
        prefetch_node(t->layout, head);
        ret_nodes[count++] = head;
    }
    return count;
}

struct entry {
    uint64_t object; /* or a handle of it */
    int64_t tag;
};

/* Reads the nodes and replaces each by the next node of its chain. Returns how many are left, or
 * -1. */
static int step(const struct table *t, uint64_t *nodes, int count, struct entry *ret_entries)
{
    const struct layout *l = t->layout;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        uint64_t next;
        if (!is_pointer(nodes[i]) ||
            mem_load8(t->mem, nodes[i] + l->object, &ret_entries[i].object) < 0 ||
            mem_load8(t->mem, nodes[i] + l->tag, (uint64_t *)&ret_entries[i].tag) < 0 ||
            mem_load8(t->mem, nodes[i] + l->next, &next) < 0)
            return -1;
        if (l->is_handle)
            prefetch(ret_entries[i].object);
        if (next == 0)
            continue;
        prefetch_node(l, next);
        nodes[kept++] = next;
    }
    return kept;
}

static int tell(const struct table *t, const struct entry *entries, int count,
                tag_reader_seen *seen, void *arg)
{
    for (int i = 0; i < count; i++) {
        uint64_t object = entries[i].object;
        if (t->layout->is_handle && mem_load8(t->mem, object, &object) < 0)
            return -1;
        /* 0: the object is dead, and the VM has not removed the entry yet */
        if (object != 0)
            seen(arg, object, entries[i].tag);
    }
    return 0;
}

/* A table that two threads are reading. */
struct reading {
    const struct table *table;
    tag_reader_seen *seen;
    void *const *args;
    atomic_uint next; /* the first chain that no thread has taken */
    _Atomic uint64_t total;
    atomic_int is_wrong;
};

/* Reads the chains. Returns their number of entries; -1: an error, or more entries than the table
 * has. */
static int64_t read_chains(const struct reading *r, uint32_t from, uint32_t to, void *arg)
{
    uint64_t nodes[BATCH], total = 0;
    struct entry entries[BATCH];
    for (; from < to; from += BATCH) {
        int count = load_heads(r->table, from, to, nodes), next;
        for (; count > 0; count = next) {
            next = step(r->table, nodes, count, entries);
            total += (uint64_t)count;
            if (next < 0 || total > r->table->count ||
                tell(r->table, entries, count, r->seen, arg) != 0)
                return -1;
        }
        if (count < 0)
            return -1;
    }
    return (int64_t)total;
}

static void read_turns(void *arg, int member)
{
    struct reading *r = arg;
    uint32_t size = r->table->size, from;
    while (!r->is_wrong && (from = atomic_fetch_add(&r->next, TURN)) < size) {
        uint32_t to = size - from < TURN ? size : from + TURN;
        int64_t count = read_chains(r, from, to, r->args[member]);
        if (count < 0)
            r->is_wrong = true;
        else
            r->total += (uint64_t)count;
    }
}

/* Returns 1 if the table has as many entries as it says. */
static int read_table(const struct table *t, tag_reader_seen *seen, void *const args[2])
{
    struct reading r = {.table = t, .seen = seen, .args = args};
    pair_run(read_turns, &r);
    return !r.is_wrong && r.total == t->count;
}

/* Finds the first table of the environment that looks like one. With `seen` it must also be
 * readable as one. */
static int find_table(struct mem *m, int version, uint64_t env, tag_reader_seen *seen,
                      void *const args[2])
{
    struct table t = {.mem = m, .layout = layouts};
    while (t.layout->since > version) {
        if (++t.layout == layouts + sizeof(layouts) / sizeof(layouts[0]))
            return E_FACT_MISSING;
    }
    for (uint64_t i = 0; i < ENV_WORDS; i++) {
        uint64_t map, owner;
        if (mem_load8(m, env + i * 8, &map) < 0 || !is_pointer(map) ||
            mem_load8(m, map, &owner) < 0 || owner != env)
            continue;
        for (uint64_t k = 1; k < MAP_WORDS; k++) {
            uint64_t at;
            if (mem_load8(m, map + k * 8, &at) == 0 && is_pointer(at) && open_table(&t, at) &&
                (!seen || read_table(&t, seen, args)))
                return 0;
        }
    }
    return E_FACT_MISSING;
}

int tag_reader_read(struct mem *m, int version, uint64_t env, tag_reader_seen *seen,
                    void *const args[2])
{
    return find_table(m, version, env, seen, args);
}

int tag_reader_expect(struct mem *m, int version, uint64_t env)
{
    return find_table(m, version, env, NULL, NULL);
}
