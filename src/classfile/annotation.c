/*
 * annotation.c - annotations: see annotation.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/annotation.h"
#include "base/err.h"
#include "base/rd.h"
#include "base/be.h"
#include "classfile/codeplan.h"

enum { DEPTH_MAX = 32 }; /* levels of annotations and arrays inside one another */

/* A row is: the type of the annotation, its meaning. Source: HotSpot, classFileParser.cpp. */
static const struct {
    const char *type;
    enum annotation_flag flag;
} known[] = {
    {"Ljdk/internal/vm/annotation/IntrinsicCandidate;", ANNOTATION_INTRINSIC},
    {"Ljdk/internal/HotSpotIntrinsicCandidate;", ANNOTATION_INTRINSIC},
    {"Ljdk/internal/vm/annotation/ChangesCurrentThread;", ANNOTATION_CHANGES_THREAD},
    {"Ljdk/internal/vm/annotation/JvmtiMountTransition;", ANNOTATION_CHANGES_THREAD},
};

/* Skips element values, with their names if `has_names`. It does not recurse: for each depth it
 * keeps the count of values that are still to come. */
static void skip_values(struct rd *r, uint32_t values, bool has_names)
{
    struct {
        uint32_t values;
        bool has_names;
    } open[DEPTH_MAX];
    int depth = 0;
    open[0].values = values;
    open[0].has_names = has_names;
    while (depth >= 0 && r->error == 0) {
        if (open[depth].values == 0) {
            depth--;
            continue;
        }
        open[depth].values--;
        if (open[depth].has_names)
            rd_skip(r, 2);
        uint8_t tag = rd_u1(r);
        if (tag != '@' && tag != '[') {
            rd_skip(r, tag == 'e' ? 4 : 2);
            continue;
        }
        if (++depth == DEPTH_MAX) {
            rd_fail(r, E_LIMIT);
            return;
        }
        open[depth].has_names = tag == '@';
        if (tag == '@')
            rd_skip(r, 2);
        open[depth].values = rd_u2(r);
    }
}

unsigned annotation_flags(const struct cpool *p, const uint8_t *bytes, size_t len)
{
    struct rd r;
    unsigned flags = 0;
    rd_init(&r, bytes, len);
    for (unsigned n = rd_u2(&r); n > 0 && r.error == 0; n--) {
        struct cpool_utf8 type;
        if (!cpool_utf8_at(p, rd_u2(&r), &type))
            return flags;
        for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
            if (cpool_utf8_is(type, known[i].type))
                flags |= known[i].flag;
        skip_values(&r, rd_u2(&r), 1);
    }
    return flags;
}

/* Replaces the two bytes that were read last. */
static void replace(const struct rd *r, uint8_t *bytes, uint32_t v)
{
    if (r->error == 0)
        be_put2(bytes + r->pos - 2, (uint16_t)v);
}

static void move_ranges(struct rd *r, uint8_t *bytes, const struct codeplan *plan)
{
    for (unsigned n = rd_u2(r); n > 0 && r->error == 0; n--) {
        uint32_t start = rd_u2(r);
        uint32_t end = start + rd_u2(r);
        rd_skip(r, 2);
        if (r->error != 0 || end > plan->code->len)
            continue; /* the range is outside of the code, so it has no meaning */
        uint32_t moved = codeplan_begin(plan, start);
        be_put2(bytes + r->pos - 6, (uint16_t)moved);
        be_put2(bytes + r->pos - 4, (uint16_t)(codeplan_begin(plan, end) - moved));
    }
}

/* Moves those bytes of a target_info that mean a place in the code. */
static void move_target(struct rd *r, uint8_t *bytes, const struct codeplan *plan,
                        uint32_t handlers_added)
{
    uint8_t type = rd_u1(r);
    uint32_t v;
    switch (type) {
    case 0x40: /* local variable */
    case 0x41: /* resource variable */
        move_ranges(r, bytes, plan);
        break;
    case 0x42: /* catch: index in the exception table */
        v = rd_u2(r);
        replace(r, bytes, v + handlers_added);
        break;
    /* the offset of an instruction: instanceof, new, method references, casts, type arguments */
    case 0x43:
    case 0x44:
    case 0x45:
    case 0x46:
    case 0x47:
    case 0x48:
    case 0x49:
    case 0x4A:
    case 0x4B:
        v = rd_u2(r);
        if (v < plan->code->len)
            replace(r, bytes, codeplan_instruction(plan, v));
        if (type >= 0x47)
            rd_skip(r, 1);
        break;
    default: /* the other kinds do not occur in Code */
        rd_fail(r, E_FORMAT);
    }
}

int annotation_move(uint8_t *bytes, size_t len, const struct codeplan *plan,
                    uint32_t handlers_added)
{
    struct rd r;
    rd_init(&r, bytes, len);
    for (unsigned n = rd_u2(&r); n > 0 && r.error == 0; n--) {
        move_target(&r, bytes, plan, handlers_added);
        rd_skip(&r, 2 * (size_t)rd_u1(&r)); /* type_path */
        rd_skip(&r, 2);
        skip_values(&r, rd_u2(&r), 1);
    }
    return r.error != 0 ? E_FORMAT : 0;
}
