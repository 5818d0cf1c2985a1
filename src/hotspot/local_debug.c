/*
 * local_debug.c - see local_debug.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/local_debug.h"
#include "hotspot/code_scopes.h"
#include "hotspot/target.h"
#include "safe/release.h"

/* How a ScopeValue begins. */
enum {
    VALUE_LOCATION,
    VALUE_INT,
    VALUE_OOP,
    VALUE_LONG,
    VALUE_DOUBLE,
    VALUE_OBJECT,    /* removed by the compiler: its class and fields follow */
    VALUE_OBJECT_ID, /* the number of an object that was described before */
    VALUE_BOX,       /* like VALUE_OBJECT */
    VALUE_MARKER,
    VALUE_MERGE, /* one of several removed objects */
};

enum {
    VALUES_MAX = 1 << 16, /* of one scope */
    DEPTH_MAX = 16,       /* of objects in objects */
    SLOTS_MAX = 1 << 16,
    OOPS_MAX = 1 << 13, /* references that are constants of one nmethod */
};

/* A walk through the values of a scope, and the last value that was read. */
struct values {
    const struct code_scopes *scopes;
    struct packed_ints ints;
    uint32_t left; /* how many more are read */
    uint32_t kind;
    uint64_t value;
};

static uint32_t as_signed(uint32_t packed)
{
    return packed >> 1 ^ (0 - (packed & 1));
}

/* A double is written with the order of its bits turned round, as two halves. */
static uint64_t turned(uint32_t half)
{
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++)
        bits |= (half >> i & 1) << (31 - i);
    return bits;
}

static bool pass(struct values *v, int depth);

static bool pass_list(struct values *v, int depth)
{
    uint32_t count = packed_ints_take(&v->ints);
    for (uint32_t i = 0; i < count; i++)
        if (!pass(v, depth))
            return false;
    return true;
}

static bool pass_object(struct values *v, int depth)
{
    packed_ints_take(&v->ints); /* its number */
    if (v->scopes->target->layout->version >= RELEASE_MERGED_OBJECTS)
        packed_ints_byte(&v->ints); /* whether a variable refers to it */
    return pass(v, depth) && pass_list(v, depth);
}

static bool pass_merge(struct values *v, int depth)
{
    packed_ints_take(&v->ints);
    return pass(v, depth) && pass(v, depth) && pass_list(v, depth);
}

/* Reads the next value. Returns false if it makes no sense: then nothing that follows is known. */
static bool pass(struct values *v, int depth)
{
    struct packed_ints *p = &v->ints;
    uint32_t kind = packed_ints_take(p), low;
    bool makes_sense = v->left > 0 && depth < DEPTH_MAX;
    v->left -= v->left > 0;
    switch (kind) {
    case VALUE_LOCATION:
    case VALUE_OOP:
    case VALUE_OBJECT_ID:
        v->value = packed_ints_take(p);
        break;
    case VALUE_INT:
        v->value = as_signed(packed_ints_take(p));
        break;
    case VALUE_LONG:
        low = as_signed(packed_ints_take(p));
        v->value = (uint64_t)as_signed(packed_ints_take(p)) << 32 | low;
        break;
    case VALUE_DOUBLE:
        v->value = turned(packed_ints_take(p)) << 32;
        v->value |= turned(packed_ints_take(p));
        break;
    case VALUE_OBJECT:
    case VALUE_BOX:
        makes_sense = makes_sense && pass_object(v, depth + 1);
        break;
    case VALUE_MARKER:
        break;
    case VALUE_MERGE:
        makes_sense = makes_sense && pass_merge(v, depth + 1);
        break;
    default:
        return false;
    }
    v->kind = kind;
    return makes_sense && !p->is_cut;
}

static bool is_type(const struct target *t, const char *name, uint32_t type)
{
    return (int32_t)type == target_constant(t, name, -1);
}

/* The place that a location means. */
static struct local_debug of_location(const struct target *t, uint64_t sp, uint32_t location)
{
    uint32_t type = location & 15, is_register = location >> 4 & 1;
    struct local_debug ret = {LOCAL_DEBUG_NONE, sp + (uint64_t)(location >> 5) * 4};
    if (is_register)
        return ret;
    if (is_type(t, "Location::normal", type) || is_type(t, "Location::int_in_long", type))
        ret.kind = LOCAL_DEBUG_INT;
    else if (is_type(t, "Location::float_in_dbl", type))
        ret.kind = LOCAL_DEBUG_DOUBLED;
    else if (is_type(t, "Location::lng", type) || is_type(t, "Location::dbl", type))
        ret.kind = LOCAL_DEBUG_LONG;
    else if (is_type(t, "Location::oop", type))
        ret.kind = LOCAL_DEBUG_REFERENCE;
    else if (is_type(t, "Location::narrowoop", type))
        ret.kind = LOCAL_DEBUG_NARROW;
    return ret;
}

/* The constant reference number `index`, from 1 on; 0 is null. */
static struct local_debug of_constant(const struct code_scopes *s, uint64_t index)
{
    const struct target *t = s->target;
    int32_t at = target_field(t, "nmethod", "_oops_offset", -1);
    if (at < 0)
        at = target_field(t, "CodeBlob", "_data_offset", -1);
    if (index == 0)
        return (struct local_debug){LOCAL_DEBUG_NULL, 0};
    if (at < 0 || index > OOPS_MAX)
        return (struct local_debug){LOCAL_DEBUG_NONE, 0};
    uint64_t low = s->blob.start + target_u4(t, s->blob.start + (uint64_t)at);
    return (struct local_debug){LOCAL_DEBUG_REFERENCE, low + (index - 1) * 8};
}

static struct local_debug meaning(const struct values *v, uint64_t sp)
{
    switch (v->kind) {
    case VALUE_LOCATION:
        return of_location(v->scopes->target, sp, (uint32_t)v->value);
    case VALUE_OOP:
        return of_constant(v->scopes, v->value);
    case VALUE_INT:
        return (struct local_debug){LOCAL_DEBUG_CONSTANT_INT, v->value};
    case VALUE_LONG:
    case VALUE_DOUBLE:
        return (struct local_debug){LOCAL_DEBUG_CONSTANT_LONG, v->value};
    default:
        return (struct local_debug){LOCAL_DEBUG_NONE, 0};
    }
}

/* Go to the scope of the frame's level. */
static bool find_scope(struct code_scopes *s, const struct local_debug_frame *frame,
                       struct code_scope *ret)
{
    if (frame->level >= CODE_SCOPES_LEVELS || !code_scopes_read(s, ret))
        return false;
    for (uint32_t level = 0; level < frame->level; level++)
        if (!code_scopes_leave(s, ret) || !code_scopes_read(s, ret))
            return false;
    return ret->method != 0 && ret->bci == frame->bci &&
           target_u8(s->target, s->nm.metadata + (uint64_t)(ret->method - 1) * 8) == frame->method;
}

struct local_debug local_debug_find(const struct target *t, const struct local_debug_frame *frame,
                                    uint32_t slot)
{
    const struct local_debug none = {LOCAL_DEBUG_NONE, 0};
    struct code_scopes s;
    struct code_scope scope;
    struct values v = {.scopes = &s, .left = VALUES_MAX};
    if (slot >= SLOTS_MAX || !code_scopes_at(t, frame->pc, &s) || !find_scope(&s, frame, &scope) ||
        scope.locals == 0)
        return none;
    code_scopes_begin(&s, scope.locals, &v.ints);
    if (slot >= packed_ints_take(&v.ints))
        return none;
    for (uint32_t i = 0; i <= slot; i++)
        if (!pass(&v, 0))
            return none;
    return meaning(&v, frame->sp);
}
