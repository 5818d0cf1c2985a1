/*
 * asgst_meta.c - see asgst_meta.h.
 * Source: HotSpot method.hpp, constMethod.hpp (the optional parts at its end), constantPool.hpp,
 * instanceKlass.hpp (_methods_jmethod_ids), arrayKlass.hpp, jniHandles.hpp (tags), zAddress.hpp
 * (colours).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_meta.h"

enum {
    MODIFIERS = 0x7fff, /* the bits that a class file has */
    /* public, final, abstract: the modifiers of an array class whose element type is public */
    ARRAY_MODIFIERS = 0x0411,
    HAS_GENERIC_SIGNATURE = 0x10,
};
#define HAS_ANNOTATIONS                                                                            \
    0x0780 /* annotations of the method, its parameters, types and defaults: one pointer each */
enum {
    LINE_BYTES_MAX = 1 << 20,
    PROBES_MAX = 64,
};

int asgst_meta_method(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                      struct asgst_meta_method *ret_method)
{
    struct asgst_meta_method m;
    uint32_t faults = v->faults;
    /* hs_method_read() demands code, but abstract methods are methods, too. */
    if (method < 0x1000 || (method & 7) != 0)
        return 0;
    m.const_method = mem_view_u8(v, method + (uint64_t)l->method_const);
    m.pool = mem_view_u8(v, m.const_method + (uint64_t)l->const_constants);
    m.holder = mem_view_u8(v, m.pool + (uint64_t)l->pool_holder);
    if (v->faults != faults || !asgst_meta_is_class(v, l, m.holder))
        return 0;
    *ret_method = m;
    return 1;
}

bool asgst_meta_is_class(struct mem_view *v, const struct hs_layout *l, uint64_t klass)
{
    uint32_t faults = v->faults;
    if (klass < 0x1000 || (klass & 7) != 0)
        return false;
    uint64_t name = mem_view_u8(v, klass + (uint64_t)l->klass_name);
    uint16_t len = mem_view_u2(v, name + (uint64_t)l->symbol_length);
    return v->faults == faults && len != 0;
}

int32_t asgst_meta_symbol(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char *dst,
                          int32_t size)
{
    uint32_t faults = v->faults;
    if (symbol == 0)
        return -1;
    int32_t len = mem_view_u2(v, symbol + (uint64_t)l->symbol_length);
    if (v->faults != faults)
        return -1;
    if (dst && size > 0) {
        int copied = hs_method_symbol_text(v, l, symbol, dst, (uint32_t)size - 1);
        if (copied < 0)
            return -1;
        dst[copied] = 0;
    }
    return len;
}

uint64_t asgst_meta_pool_symbol(struct mem_view *v, const struct hs_layout *l, uint64_t pool,
                                uint32_t index)
{
    uint32_t length = mem_view_u4(v, pool + (uint64_t)l->pool_length);
    if (index == 0 || index >= length || length > 0xffff)
        return 0;
    return mem_view_u8(v, pool + (uint64_t)l->pool_size + (uint64_t)index * 8);
}

/* The optional parts of a ConstMethod grow down from its end: first pointers to annotations, then
 * the u2 that is the index of the generic signature. */
uint64_t asgst_meta_method_generic(struct mem_view *v, const struct hs_layout *l,
                                   const struct asgst_meta_method *m)
{
    uint32_t faults = v->faults;
    if (l->const_full_size < 0 || l->const_flags < 0)
        return 0;
    uint16_t flags = mem_view_u2(v, m->const_method + (uint64_t)l->const_flags);
    uint32_t words = mem_view_u4(v, m->const_method + (uint64_t)l->const_full_size);
    if (v->faults != faults || !(flags & HAS_GENERIC_SIGNATURE) || words > 0x100000)
        return 0;
    uint64_t end = m->const_method + (uint64_t)words * 8;
    for (unsigned bit = 1; bit <= HAS_ANNOTATIONS; bit <<= 1) {
        if (flags & HAS_ANNOTATIONS & bit)
            end -= 8;
    }
    return asgst_meta_pool_symbol(v, l, m->pool, mem_view_u2(v, end - 2));
}

uint64_t asgst_meta_class_generic(struct mem_view *v, const struct hs_layout *l,
                                  const struct asgst_meta_facts *f, uint64_t klass)
{
    uint32_t faults = v->faults;
    if (f->klass_layout_helper < 0 || f->klass_constants < 0 ||
        mem_view_s4(v, klass + (uint64_t)f->klass_layout_helper) <= 0)
        return 0;
    uint64_t pool = mem_view_u8(v, klass + (uint64_t)f->klass_constants);
    uint16_t index = 0;
    if (f->pool_generic >= 0)
        index = mem_view_u2(v, pool + (uint64_t)f->pool_generic);
    else if (f->klass_generic >= 0)
        index = mem_view_u2(v, klass + (uint64_t)f->klass_generic);
    return v->faults == faults ? asgst_meta_pool_symbol(v, l, pool, index) : 0;
}

int32_t asgst_meta_method_modifiers(struct mem_view *v, const struct hs_layout *l, uint64_t method)
{
    return mem_view_u2(v, method + (uint64_t)l->method_access) & MODIFIERS;
}

int32_t asgst_meta_class_modifiers(struct mem_view *v, const struct asgst_meta_facts *f,
                                   uint64_t klass)
{
    if (f->klass_modifiers >= 0)
        return mem_view_s4(v, klass + (uint64_t)f->klass_modifiers) & MODIFIERS;
    if (f->klass_access >= 0)
        return mem_view_u2(v, klass + (uint64_t)f->klass_access) & MODIFIERS;
    if (f->instance_access < 0 || f->klass_layout_helper < 0)
        return 0;
    if (mem_view_s4(v, klass + (uint64_t)f->klass_layout_helper) < 0)
        return ARRAY_MODIFIERS;
    return mem_view_u2(v, klass + (uint64_t)f->instance_access) & MODIFIERS;
}

int32_t asgst_meta_idnum(struct mem_view *v, const struct hs_layout *l,
                         const struct asgst_meta_facts *f, uint64_t const_method)
{
    int32_t at = f->const_orig_idnum >= 0 ? f->const_orig_idnum : l->const_idnum;
    return at >= 0 ? mem_view_u2(v, const_method + (uint64_t)at) : 0;
}

/* The array of ids of a class begins with its length. The number of a method is its index. */
uint64_t asgst_meta_jmethod_id(struct mem_view *v, const struct hs_layout *l, uint64_t method)
{
    struct asgst_meta_method m;
    uint32_t faults = v->faults;
    if (l->klass_jmethod_ids < 0 || l->const_idnum < 0 || !asgst_meta_method(v, l, method, &m))
        return 0;
    uint64_t ids = mem_view_u8(v, m.holder + (uint64_t)l->klass_jmethod_ids);
    uint16_t number = mem_view_u2(v, m.const_method + (uint64_t)l->const_idnum);
    if (ids == 0)
        return 0;
    uint64_t count = mem_view_u8(v, ids);
    uint64_t id = number < count ? mem_view_u8(v, ids + ((uint64_t)number + 1) * 8) : 0;
    return v->faults == faults ? id : 0;
}

/* A compressed table that is read in pieces. */
struct line_stream {
    struct mem_view *view;
    uint64_t at;
    uint32_t excluded, left, have, next;
    unsigned char piece[64];
};

static uint32_t next_byte(struct line_stream *s)
{
    if (s->next == s->have) {
        /* read to the next multiple of the piece's size: no piece crosses a page */
        uint32_t len = (uint32_t)(sizeof(s->piece) - s->at % sizeof(s->piece));
        if (s->left == 0 || mem_read(s->view->mem, s->at, s->piece, len) < 0) {
            s->left = 0;
            return 0;
        }
        s->at += len;
        s->left = s->left > len ? s->left - len : 0;
        s->have = len;
        s->next = 0;
    }
    return s->piece[s->next++];
}

static int32_t next_signed(struct line_stream *s)
{
    uint32_t sum = 0;
    for (int i = 0; i < 5; i++) {
        uint32_t b = next_byte(s);
        sum += (b - s->excluded) << (6 * i);
        if (b < 256 - 64)
            break;
    }
    return (int32_t)(sum >> 1) ^ -(int32_t)(sum & 1);
}

static int open_lines(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                      struct line_stream *s)
{
    struct hs_method shape;
    if (!hs_method_read(v, l, method, &shape))
        return 0;
    uint16_t flags = mem_view_u2(v, shape.const_method + (uint64_t)l->const_flags);
    *s = (struct line_stream){.view = v,
                              .at = shape.code + shape.code_size,
                              .excluded = (uint32_t)l->unsigned5_excluded,
                              .left = LINE_BYTES_MAX};
    return (flags & HS_CONST_HAS_LINES) != 0;
}

static int next_line(struct line_stream *s, struct asgst_meta_line *line)
{
    uint32_t b = next_byte(s);
    if (b == 0)
        return 0;
    if (b == 0xff) {
        line->bci += next_signed(s);
        line->line += next_signed(s);
    } else {
        line->bci += (int32_t)(b >> 3);
        line->line += (int32_t)(b & 7);
    }
    return 1;
}

uint32_t asgst_meta_lines(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                          struct asgst_meta_line *lines, uint32_t max)
{
    struct line_stream s;
    struct asgst_meta_line line = {0, 0};
    uint32_t count = 0;
    if (!open_lines(v, l, method, &s))
        return 0;
    for (; count < LINE_BYTES_MAX && next_line(&s, &line); count++) {
        if (lines && count < max)
            lines[count] = line;
    }
    return count;
}

int32_t asgst_meta_line(struct mem_view *v, const struct hs_layout *l, uint64_t method, int32_t bci)
{
    struct line_stream s;
    struct asgst_meta_line line = {0, 0}, best = {-1, -1};
    if (bci < 0 || !open_lines(v, l, method, &s))
        return -1;
    for (uint32_t i = 0; i < LINE_BYTES_MAX && next_line(&s, &line); i++) {
        if (line.bci == bci)
            return line.line;
        if (line.bci < bci && line.bci >= best.bci)
            best = line;
    }
    return best.line;
}

/* In generational ZGC the address lies above 16 bits of colour and is shifted by 13 to 16. The
 * older ZGC has the colour in bits above the address; such a coloured address is mapped and can be
 * read as it is. */
uint64_t asgst_meta_uncolor(uint64_t reference, unsigned which)
{
    if (which == 0)
        return reference;
    return which <= 4 ? reference >> (17 - which) & ~(uint64_t)7 : 0;
}

uint64_t asgst_meta_mirror_slot(struct mem_view *v, const struct hs_layout *l,
                                const struct asgst_meta_facts *f, uint64_t klass)
{
    uint64_t field = klass + (uint64_t)l->klass_mirror;
    if (l->klass_mirror < 0 || !asgst_meta_is_class(v, l, klass))
        return 0;
    return f->mirror_is_handle ? mem_view_u8(v, field) : field;
}

uint64_t asgst_meta_of_jclass(struct mem_view *v, const struct hs_layout *l,
                              const struct asgst_meta_facts *f, uint64_t jclass)
{
    uint32_t faults = v->faults;
    uint64_t slot = jclass & ~(uint64_t)3; /* without the tags of weak and global references */
    int32_t klass_at = mem_view_s4(v, f->mirror_klass_at);
    uint64_t reference = mem_view_u8(v, slot);
    if (slot == 0 || v->faults != faults || klass_at <= 0)
        return 0;
    for (unsigned i = 0; i <= 4; i++) {
        uint64_t mirror = asgst_meta_uncolor(reference, i);
        uint64_t klass = mem_view_u8(v, mirror + (uint64_t)klass_at);
        uint64_t back_slot = asgst_meta_mirror_slot(v, l, f, klass);
        uint64_t back = back_slot != 0 ? mem_view_u8(v, back_slot) : 0;
        /* The class must have this mirror, in any colour. */
        for (unsigned j = 0; back != 0 && j <= 4; j++) {
            if (asgst_meta_uncolor(back, j) == mirror)
                return klass;
        }
    }
    return 0;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

uint64_t asgst_meta_serial(struct mem_view *v, const struct asgst_meta_facts *f, uint64_t klass)
{
    if (f->klass_serial < 0)
        return 0;
    return mem_view_u8(v, klass + (uint64_t)f->klass_serial) >> ASGST_META_SERIAL_SHIFT;
}

/* A slot holds the fingerprint of a class, and the place of the slot is the id. One atomic word is
 * therefore the whole entry: a handler that interrupts another handler never finds a slot half
 * filled. */
int64_t asgst_meta_class_id(struct asgst_meta_ids *ids, struct mem_view *v,
                            const struct hs_layout *l, const struct asgst_meta_facts *f,
                            uint64_t klass)
{
    if (!ids->slots || !asgst_meta_is_class(v, l, klass))
        return 0;
    uint64_t print = mix(0x5bd1e995u, klass);
    print = mix(print, mem_view_u8(v, klass + (uint64_t)l->klass_name));
    print = mix(print, f->klass_cld >= 0 ? mem_view_u8(v, klass + (uint64_t)f->klass_cld) : 0);
    print = mix(print, asgst_meta_serial(v, f, klass)) | 1;
    uint32_t at = (uint32_t)(print >> 32);
    for (int i = 0; i < PROBES_MAX; i++, at++) {
        _Atomic uint64_t *slot = &ids->slots[at & ids->mask];
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(slot, &there, print) || there == print)
            return (int64_t)(at & ids->mask) + 1;
    }
    return 0;
}
