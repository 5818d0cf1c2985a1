/*
 * asgst_classes.c - see asgst_classes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_classes.h"
#include "safe/asgst_meta.h"
#include "safe/hs_layout.h"
#include "safe/mem_self.h"

enum {
    LOADERS_MAX = 10000000,
    CLASSES_MAX = 10000000,
    CLD_BYTES = 256,
    SAMPLE = 20,
};

static bool is_class_of(const struct asgst_classes *c, struct mem_view *v, uint64_t klass,
                        uint64_t cld)
{
    return asgst_meta_is_class(v, c->layout, klass) &&
           mem_view_u8(v, klass + (uint64_t)c->facts->klass_cld) == cld;
}

/* Whether a word of a class loader's data is the head of a chain of its classes: each of the first
 * SAMPLE links leads to a class of this loader. */
static bool is_class_list(const struct asgst_classes *c, uint64_t cld, int32_t at)
{
    struct mem_view v = {.mem = &mem_self};
    uint64_t klass = mem_view_u8(&v, cld + (uint64_t)at);
    int found = 0;
    for (; found < SAMPLE && klass != 0; found++) {
        if (!is_class_of(c, &v, klass, cld))
            return false;
        klass = mem_view_u8(&v, klass + (uint64_t)c->klass_next);
    }
    return found == SAMPLE;
}

int asgst_classes_open(struct asgst_classes *c, const struct hs_layout *layout,
                       const struct asgst_meta_facts *facts)
{
    struct mem_view v = {.mem = &mem_self};
    const struct hs_layout *l = layout;
    *c = (struct asgst_classes){layout, facts, l->cld_klasses, l->klass_next_link};
    if (facts->klass_cld < 0 || facts->klass_layout_helper < 0 || l->cld_head == 0 ||
        l->cld_next < 0 || l->klass_methods < 0)
        return 0;
    /* JDK 8 does not export Klass::_next_link, which stands in front of _class_loader_data. Source:
     * klass.hpp of JDK 8. */
    if (c->klass_next < 0)
        c->klass_next = facts->klass_cld - 8;
    uint64_t cld = mem_view_u8(&v, l->cld_head);
    for (int i = 0; cld != 0 && i < LOADERS_MAX; i++) {
        for (int32_t at = 8; c->cld_klasses < 0 && at < CLD_BYTES; at += 8) {
            if (is_class_list(c, cld, at))
                c->cld_klasses = at;
        }
        if (c->cld_klasses >= 0)
            return 1;
        cld = mem_view_u8(&v, cld + (uint64_t)l->cld_next);
    }
    return 0;
}

int asgst_classes_each(const struct asgst_classes *c, void (*visit)(uint64_t klass, void *arg),
                       void *arg)
{
    struct mem_view v = {.mem = &mem_self};
    const struct hs_layout *l = c->layout;
    uint64_t cld = mem_view_u8(&v, l->cld_head);
    uint32_t classes = 0;
    for (int i = 0; cld != 0; i++) {
        uint64_t klass = mem_view_u8(&v, cld + (uint64_t)c->cld_klasses);
        while (klass != 0) {
            if (!is_class_of(c, &v, klass, cld) || ++classes > CLASSES_MAX)
                return 0;
            if (mem_view_s4(&v, klass + (uint64_t)c->facts->klass_layout_helper) > 0)
                visit(klass, arg);
            klass = mem_view_u8(&v, klass + (uint64_t)c->klass_next);
        }
        cld = mem_view_u8(&v, cld + (uint64_t)l->cld_next);
        if (v.faults != 0 || i > LOADERS_MAX)
            return 0;
    }
    return v.faults == 0;
}

enum {
    /* How many classes are compared, at least and at most. A VM that is ready has loaded some
     * hundreds. */
    SERIALS_MIN = 64,
    SERIALS_MAX = 256,
    KLASS_BYTES = 256,
    /* No VM has loaded so many classes. The low bits of the word are flags of the flight recorder,
     * of which at most SERIAL_FLAGS_MAX different values are accepted. */
    SERIAL_MAX = 1 << 26,
    SERIAL_FLAGS_MAX = 8,
};

struct some_classes {
    uint64_t list[SERIALS_MAX];
    uint32_t count;
};

static void collect_class(uint64_t klass, void *arg)
{
    struct some_classes *some = arg;
    if (some->count < SERIALS_MAX)
        some->list[some->count++] = klass;
}

static bool is_in(const uint64_t *list, uint32_t count, uint64_t value)
{
    uint32_t i = 0;
    while (i < count && list[i] != value)
        i++;
    return i < count;
}

/* Whether the word at this offset is the serial number: in each class it is another small number
 * above a few flag bits, which are nearly always the same. A word with an address fails, because
 * addresses differ in their low bits. */
static bool is_serial(const struct some_classes *some, int32_t at)
{
    struct mem_view v = {.mem = &mem_self};
    uint64_t seen[SERIALS_MAX], flags[SERIAL_FLAGS_MAX];
    uint32_t flags_count = 0;
    for (uint32_t i = 0; i < some->count; i++) {
        uint64_t word = mem_view_u8(&v, some->list[i] + (uint64_t)at);
        uint64_t flag = word & ((1u << ASGST_META_SERIAL_SHIFT) - 1);
        seen[i] = word >> ASGST_META_SERIAL_SHIFT;
        if (v.faults != 0 || seen[i] == 0 || seen[i] > SERIAL_MAX || is_in(seen, i, seen[i]))
            return false;
        if (is_in(flags, flags_count, flag))
            continue;
        if (flags_count == SERIAL_FLAGS_MAX)
            return false;
        flags[flags_count++] = flag;
    }
    return true;
}

int32_t asgst_classes_find_serial(const struct hs_layout *layout,
                                  const struct asgst_meta_facts *facts)
{
    struct asgst_classes c;
    struct some_classes some = {.count = 0};
    if (!asgst_classes_open(&c, layout, facts))
        return HS_NONE;
    asgst_classes_each(&c, collect_class, &some);
    for (int32_t at = 8; some.count >= SERIALS_MIN && at < KLASS_BYTES; at += 8) {
        if (is_serial(&some, at))
            return at;
    }
    return HS_NONE;
}

struct id_search {
    const struct hs_layout *layout;
    const struct asgst_meta_facts *facts;
    uint64_t id, method;
};

/* Look for the id in the class's array of ids. If the id is there, find the method that has this
 * id. */
static void visit_ids(uint64_t klass, void *arg)
{
    struct id_search *s = arg;
    const struct hs_layout *l = s->layout;
    struct mem_view v = {.mem = &mem_self};
    uint64_t ids = mem_view_u8(&v, klass + (uint64_t)l->klass_jmethod_ids);
    uint64_t count = ids != 0 ? mem_view_u8(&v, ids) : 0;
    bool has_id = false;
    for (uint64_t i = 1; i <= count && i <= 0xffff && !has_id && s->method == 0; i++)
        has_id = mem_view_u8(&v, ids + i * 8) == s->id;
    if (!has_id || v.faults != 0)
        return;
    uint64_t methods = mem_view_u8(&v, klass + (uint64_t)l->klass_methods);
    uint32_t method_count = mem_view_u4(&v, methods + (uint64_t)s->facts->array_length);
    for (uint32_t i = 0; i < method_count && i <= 0xffff && v.faults == 0; i++) {
        uint64_t at = methods + (uint64_t)s->facts->array_data + (uint64_t)i * 8;
        uint64_t method = mem_view_u8(&v, at);
        if (asgst_meta_jmethod_id(&v, l, method) == s->id)
            s->method = method;
    }
}

uint64_t asgst_classes_method_of_id(const struct hs_layout *layout,
                                    const struct asgst_meta_facts *facts, uint64_t id)
{
    struct asgst_classes c;
    struct id_search s = {layout, facts, id, 0};
    if (layout->klass_jmethod_ids < 0 || !asgst_classes_open(&c, layout, facts))
        return 0;
    asgst_classes_each(&c, visit_ids, &s);
    return s.method;
}
