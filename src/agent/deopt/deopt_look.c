/*
 * deopt_look.c - see deopt_look.h.
 *
 * The table of code is made anew by each look, so that code which the VM has freed leaves it. The
 * table of methods only grows: a method stays while its code comes and goes. In the first look it
 * also gets the methods of all loaded classes that have met a trap, so that a trap which a later
 * look finds in a method without a row is one that came after the first look.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/deopt/deopt_look.h"
#include <stdlib.h>
#include <string.h>
#include "base/splitmix.h"
#include "hotspot/code_cache.h"
#include "hotspot/hotspot_self.h"
#include "hotspot/loaded_classes.h"
#include "safe/mem.h"

enum {
    LAST_LEVEL = 4,
    ONLY_LEVEL = 1, /* code of C1 that counts nothing and is not replaced by code of C2 */
    SLOTS_FIRST = 1024,
    PLACES_MAX = 1 << 14,  /* of one piece of code, that are asked for their methods */
    INLINED_MAX = 64,      /* levels of inlining at one place */
    METHODS_MAX = 1 << 16, /* of one class */
    WORDS_AT = 8,          /* from the start of an Array<Method*> */
};

struct deopt_look_code {
    uint64_t start; /* 0: the slot is free */
    uint32_t id;
    bool is_osr, is_given_up;
};

struct deopt_look_method {
    uint64_t method; /* 0: the slot is free */
    struct trap_history_row row;
};

/* ---- the table of methods */

static uint32_t method_slot(const struct deopt_look *l, uint64_t method)
{
    uint32_t at = (uint32_t)splitmix_mix(method) & (l->method_slots - 1);
    while (l->methods[at].method != 0 && l->methods[at].method != method)
        at = (at + 1) & (l->method_slots - 1);
    return at;
}

static bool grow_methods(struct deopt_look *l)
{
    struct deopt_look_method *old = l->methods;
    uint32_t slots = l->method_slots;
    uint32_t more = slots ? slots * 2 : SLOTS_FIRST;
    struct deopt_look_method *grown = calloc(more, sizeof(*grown));
    if (!grown)
        return false;
    l->methods = grown;
    l->method_slots = more;
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].method != 0)
            grown[method_slot(l, old[i].method)] = old[i];
    free(old);
    return true;
}

/* The row of the method. A new row is all 0, as the history of a method without traps. NULL: there
 * is no room. */
static struct deopt_look_method *method_row(struct deopt_look *l, uint64_t method)
{
    bool is_full = l->method_count * 2 >= l->method_slots;
    if (is_full && (l->method_count * 2 >= DEOPT_LOOK_MAX || !grow_methods(l)))
        return NULL;
    struct deopt_look_method *row = &l->methods[method_slot(l, method)];
    if (row->method == 0) {
        row->method = method;
        l->method_count++;
    }
    return row;
}

static void watch(struct deopt_look *l, uint64_t method)
{
    if (!l->no_traps && !method_row(l, method))
        l->unwatched++;
}

/* ---- code */

static struct deopt_look_code *code_slot(struct deopt_look_code *table, uint32_t slots,
                                         const struct deopt_look_code *c)
{
    uint32_t at = (uint32_t)splitmix_mix(c->start ^ c->id) & (slots - 1);
    while (table[at].start != 0 &&
           (table[at].start != c->start || table[at].id != c->id || table[at].is_osr != c->is_osr))
        at = (at + 1) & (slots - 1);
    return &table[at];
}

static bool grow_code(struct deopt_look *l)
{
    struct deopt_look_code *old = l->code_now;
    uint32_t slots = l->code_now_slots;
    uint32_t more = slots ? slots * 2 : SLOTS_FIRST;
    struct deopt_look_code *grown = calloc(more, sizeof(*grown));
    if (!grown)
        return false;
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].start != 0)
            *code_slot(grown, more, &old[i]) = old[i];
    l->code_now = grown;
    l->code_now_slots = more;
    free(old);
    return true;
}

static bool keep_code(struct deopt_look *l, const struct deopt_look_code *c)
{
    bool is_full = l->code_now_count * 2 >= l->code_now_slots;
    if (is_full && (l->code_now_count * 2 >= DEOPT_LOOK_MAX || !grow_code(l)))
        return false;
    struct deopt_look_code *slot = code_slot(l->code_now, l->code_now_slots, c);
    if (slot->start == 0)
        l->code_now_count++;
    *slot = *c;
    return true;
}

/* Watch all methods that the code is made of: a trap counts for the method in which it happens. */
static void watch_inlined(struct deopt_look *l, const struct hs_blob *blob)
{
    const struct hs_layout *layout = l->target.layout;
    struct mem_view v = {.mem = l->target.mem};
    struct hs_nmethod nm;
    uint64_t last = 0;
    hs_code_nmethod(&v, layout, blob, &nm);
    uint64_t pc = nm.pcs;
    for (int i = 0; i < PLACES_MAX && pc < nm.pcs_end; i++, pc += (uint64_t)layout->pcdesc_size) {
        uint64_t at = blob->code + mem_view_u4(&v, pc + (uint64_t)layout->pcdesc_pc);
        struct hs_scope scope;
        bool is_exact,
            has_more = v.faults == 0 && hs_code_scope(&v, layout, blob, &nm, at, &scope, &is_exact);
        for (int level = 0; has_more && level < INLINED_MAX; level++) {
            if (scope.method != last)
                watch(l, scope.method);
            last = scope.method;
            has_more = hs_code_scope_sender(&v, layout, &nm, &scope);
        }
    }
}

static void see_code(const struct code_cache_piece *piece, void *with)
{
    struct deopt_look *l = with;
    struct mem_view v = {.mem = l->target.mem};
    struct hs_blob blob;
    struct nmethods_row row;
    if (piece->kind != HS_BLOB_NMETHOD ||
        !hs_code_find(&v, l->target.layout, piece->start, &blob) || blob.kind != HS_BLOB_NMETHOD ||
        !nmethods_read(&l->nmethods, &blob, &row) ||
        (row.level != LAST_LEVEL && row.level != ONLY_LEVEL))
        return;
    struct deopt_look_code now = {.start = blob.start, .id = row.id, .is_osr = row.is_osr};
    const struct deopt_look_code *before =
        l->code_slots ? code_slot(l->code, l->code_slots, &now) : NULL;
    bool was_given_up = before && before->start != 0 && before->is_given_up;
    now.is_given_up = row.state >= NMETHODS_NOT_ENTRANT;
    if (!keep_code(l, &now)) {
        l->unwatched++;
        return;
    }
    if (!before || before->start == 0)
        watch_inlined(l, &blob);
    if (now.is_given_up && !was_given_up && !l->is_first)
        l->tell(l->with,
                &(struct deopt_look_found){
                    .method = row.method, .id = row.id, .level = row.level, .is_osr = row.is_osr});
}

static void look_at_code(struct deopt_look *l)
{
    l->code_now = NULL;
    l->code_now_slots = l->code_now_count = 0;
    (void)code_cache_each(&l->target, see_code, l);
    free(l->code);
    l->code = l->code_now;
    l->code_slots = l->code_now_slots;
    l->code_now = NULL;
}

/* ---- traps */

static bool is_another(const struct deopt_look *l, const struct trap_history_row *before,
                       const struct trap_history_row *now)
{
    bool is_less = now->overflow < before->overflow;
    for (uint32_t i = 0; i < l->history.length; i++)
        is_less = is_less || now->counts[i] < before->counts[i];
    return is_less || (before->const_method != 0 && before->const_method != now->const_method);
}

/* The reason of traps that were counted together because the byte of their reason was full: it is
 * known if only one is. */
static const char *full_reason(const struct deopt_look *l, const struct trap_history_row *now)
{
    uint32_t full = 0, which = 0;
    for (uint32_t i = 0; i < l->history.length; i++)
        if (now->counts[i] == TRAP_HISTORY_FULL) {
            full++;
            which = i;
        }
    return full == 1 ? trap_history_reason(&l->history, which) : "unknown";
}

static void see_traps(struct deopt_look *l, struct deopt_look_method *m)
{
    struct trap_history_row now;
    struct deopt_look_found found = {.method = m->method};
    if (!trap_history_read(&l->history, m->method, &now))
        return;
    bool is_known = !l->is_first && !is_another(l, &m->row, &now);
    for (uint32_t i = 0; is_known && i < l->history.length; i++) {
        found.traps = now.counts[i] - m->row.counts[i];
        found.reason = trap_history_reason(&l->history, i);
        if (found.traps > 0)
            l->tell(l->with, &found);
    }
    found.traps = now.overflow - m->row.overflow;
    found.reason = full_reason(l, &now);
    if (is_known && found.traps > 0)
        l->tell(l->with, &found);
    m->row = now;
}

static void look_at_traps(struct deopt_look *l)
{
    for (uint32_t i = 0; i < l->method_slots && !l->no_traps; i++)
        if (l->methods[i].method != 0)
            see_traps(l, &l->methods[i]);
}

/* Make a row for each method of the class that has met a trap. */
static int see_class(void *arg, const struct loaded_class *c)
{
    struct deopt_look *l = arg;
    struct mem_view v = {.mem = l->target.mem};
    int32_t shape = (int32_t)mem_view_u4(&v, c->klass + (uint64_t)l->shape_at);
    if (l->shape_at < 0 || shape < 0) /* an array */
        return 0;
    uint64_t methods = mem_view_u8(&v, c->klass + (uint64_t)l->target.layout->klass_methods);
    uint32_t count = mem_view_u4(&v, methods);
    for (uint32_t i = 0; i < count && i < METHODS_MAX && v.faults == 0; i++) {
        static const struct trap_history_row none;
        struct trap_history_row row;
        uint64_t method = mem_view_u8(&v, methods + WORDS_AT + (uint64_t)i * 8);
        if (v.faults == 0 && trap_history_read(&l->history, method, &row) &&
            (row.overflow != 0 || memcmp(row.counts, none.counts, sizeof(row.counts)) != 0))
            watch(l, method);
    }
    return 0;
}

/* ---- the looks */

int deopt_look_open(struct deopt_look *l, const char **ret_missing)
{
    const char *missing;
    memset(l, 0, sizeof(*l));
    /* with the guard against faults: a look reads millions of words */
    struct hotspot *vm;
    int error = hotspot_self_open(&vm, ret_missing);
    if (error == 0)
        error = target_of_vm(vm, &l->target);
    if (error)
        return error;
    l->shape_at = target_field(&l->target, "Klass", "_layout_helper", HS_NONE);
    nmethods_init(&l->nmethods, &l->target);
    if (trap_history_init(&l->history, &l->target, &missing) != 0)
        l->no_traps = missing;
    return 0;
}

void deopt_look_close(struct deopt_look *l)
{
    free(l->code);
    free(l->methods);
    target_close(&l->target);
    memset(l, 0, sizeof(*l));
}

void deopt_look_begin(struct deopt_look *l)
{
    const char *missing;
    uint32_t broken;
    l->is_first = true;
    look_at_code(l);
    if (!l->no_traps && loaded_classes_each(&l->target, see_class, l, &broken, &missing) != 0)
        l->no_traps = missing;
    look_at_traps(l);
    l->is_first = false;
}

void deopt_look_again(struct deopt_look *l, deopt_look_tell *tell, void *with)
{
    l->tell = tell;
    l->with = with;
    look_at_code(l);
    look_at_traps(l);
}
