/*
 * java_sets.c - see java_sets.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_sets.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"

enum {
    /* the greatest number of bins of a table (source: ConcurrentHashMap.MAXIMUM_CAPACITY) */
    BINS_MAX = 1 << 30,
    /* more entries in one bin mean that the set changed during the read */
    CHAIN_MAX = 10000000,
};

struct walk {
    struct oops *o;
    int (*each)(void *context, uint64_t key, uint64_t value);
    void *context;
    uint64_t next_table; /* the table to which a growing table moves its bins */
    uint32_t *damage;
};

/* Whether a node is not an entry, but a TreeBin (which has `first`) or a ForwardingNode (which has
 * `nextTable`). The hash of these nodes is negative; the hash of an entry of a Hashtable may be
 * negative, too. */
static bool is_no_entry(const struct walk *w, uint64_t node)
{
    uint64_t klass;
    if (node == 0 || (int32_t)oops_get_number(w->o, node, "hash", 4) >= 0)
        return false;
    klass = oops_klass(w->o, node);
    return klass != 0 &&
           (oops_field(w->o, klass, "first") >= 0 || oops_field(w->o, klass, "nextTable") >= 0);
}

/* The value of an entry. The field is `val` in a ConcurrentHashMap and `value` in a Hashtable. */
static uint64_t value_of(const struct walk *w, uint64_t node)
{
    uint64_t value = oops_get_object(w->o, node, "val");
    return value != 0 ? value : oops_get_object(w->o, node, "value");
}

/* Visit the entries of one bin. */
static int walk_bin(struct walk *w, uint64_t node)
{
    uint32_t n = 0;
    int result = 0;
    if (is_no_entry(w, node)) {
        uint64_t table = oops_get_object(w->o, node, "nextTable");
        if (table != 0)
            w->next_table = table;
        node = oops_get_object(w->o, node, "first");
    }
    for (; node != 0 && result == 0; node = oops_get_object(w->o, node, "next")) {
        uint64_t key = oops_get_object(w->o, node, "key");
        if (++n > CHAIN_MAX) {
            (*w->damage)++;
            break;
        }
        if (key != 0)
            result = w->each(w->context, key, value_of(w, node));
    }
    return result;
}

/* Whether a bin can be read. This is checked once per page, because a damaged table may claim any
 * number of bins. */
static bool is_readable(const struct oops *o, uint64_t table, uint32_t bin)
{
    enum { EACH = 512 };
    uint64_t size = o->refs.is_compressed ? 4 : 8, word;
    return bin % EACH != 0 || mem_read(o->target->mem, table + (uint64_t)o->array_oops + bin * size,
                                       &word, (size_t)size) == 0;
}

int java_sets_entries(struct oops *o, uint64_t set,
                      int (*each)(void *context, uint64_t key, uint64_t value), void *context,
                      uint32_t *damage)
{
    struct walk w = {o, each, context, 0, damage};
    uint64_t inner = oops_get_object(o, set, "map");
    uint64_t map = inner != 0 ? inner : set, klass = oops_klass(o, map);
    int result = 0;
    if (klass == 0 || oops_field(o, klass, "table") < 0) {
        (*damage)++;
        return 0;
    }
    uint64_t table = oops_get_object(o, map, "table");
    /* Bins that have moved are only in the next table; all other bins are only in this table. */
    for (int round = 0; table != 0 && result == 0 && round < 2; round++) {
        uint32_t bins = oops_length(o, table);
        if (bins == 0)
            (*damage)++;
        w.next_table = 0;
        for (uint32_t i = 0; i < bins && i < BINS_MAX && result == 0; i++) {
            if (!is_readable(o, table, i)) {
                (*damage)++;
                break;
            }
            result = walk_bin(&w, oops_element(o, table, i));
        }
        table = w.next_table;
    }
    return result;
}

struct elements {
    int (*each)(void *context, uint64_t element);
    void *context;
};

static int of_key(void *context, uint64_t key, uint64_t value)
{
    const struct elements *e = context;
    (void)value;
    return e->each(e->context, key);
}

int java_sets_each(struct oops *o, uint64_t set, int (*each)(void *context, uint64_t element),
                   void *context, uint32_t *damage)
{
    struct elements e = {each, context};
    return java_sets_entries(o, set, of_key, &e, damage);
}
