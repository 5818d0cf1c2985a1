/*
 * hs_method.c - see hs_method.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_method.h"

int hs_method_guess(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                    struct hs_method *ret_method)
{
    struct hs_method m;
    struct hs_method_symbols s;
    bool has_names = l->const_constants >= 0 && l->pool_holder >= 0 && l->klass_name >= 0;
    if (!hs_method_read(v, l, method, &m) || (has_names && !hs_method_symbols(v, l, method, &s)))
        return 0;
    *ret_method = m;
    return 1;
}

uint16_t hs_method_max_stack(struct mem_view *v, const struct hs_layout *l,
                             const struct hs_method *m)
{
    return mem_view_u2(v, m->const_method + (uint64_t)l->const_max_stack);
}

/* The slots of the constant pool follow its header; each slot is one word. */
static uint64_t pool_slot(struct mem_view *v, const struct hs_layout *l, uint64_t pool,
                          uint32_t index)
{
    uint32_t length = mem_view_u4(v, pool + (uint64_t)l->pool_length);
    if (index == 0 || index >= length || length > 0xffff)
        return 0;
    return mem_view_u8(v, pool + (uint64_t)l->pool_size + (uint64_t)index * 8);
}

int hs_method_symbols(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                      struct hs_method_symbols *ret_symbols)
{
    struct hs_method_symbols s = {0, 0, 0, 0};
    uint32_t faults = v->faults;
    uint64_t cm = mem_view_u8(v, method + (uint64_t)l->method_const);
    uint64_t pool = mem_view_u8(v, cm + (uint64_t)l->const_constants);
    uint64_t holder = mem_view_u8(v, pool + (uint64_t)l->pool_holder);
    s.class_name = mem_view_u8(v, holder + (uint64_t)l->klass_name);
    s.name = pool_slot(v, l, pool, mem_view_u2(v, cm + (uint64_t)l->const_name));
    s.signature = pool_slot(v, l, pool, mem_view_u2(v, cm + (uint64_t)l->const_signature));
    if (v->faults != faults || s.name == 0 || s.signature == 0 || s.class_name == 0)
        return 0;
    uint64_t source_at = l->pool_source_file >= 0 ? pool + (uint64_t)l->pool_source_file
                                                  : holder + (uint64_t)l->klass_source_file;
    s.source_file = pool_slot(v, l, pool, mem_view_u2(v, source_at));
    *ret_symbols = s;
    return 1;
}

int hs_method_symbol_text(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char *dst,
                          uint32_t size)
{
    uint32_t faults = v->faults;
    uint32_t len = mem_view_u2(v, symbol + (uint64_t)l->symbol_length);
    if (v->faults != faults)
        return -1;
    if (len > size)
        len = size;
    if (len != 0 && mem_read(v->mem, symbol + (uint64_t)l->symbol_body, dst, len) < 0)
        return -1;
    return (int)len;
}

/* A 0 ends the table, except inside the two numbers that follow a 0xff: there the byte 0 is a digit
 * (to JDK 19). A number ends with its fifth byte, or with a byte below 192. */
uint32_t hs_method_line_table(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                              uint32_t max, uint64_t *ret_addr)
{
    unsigned char chunk[64];
    uint32_t faults = v->faults;
    uint64_t cm = mem_view_u8(v, method + (uint64_t)l->method_const);
    uint16_t flags = mem_view_u2(v, cm + (uint64_t)l->const_flags);
    uint16_t code_size = mem_view_u2(v, cm + (uint64_t)l->const_code_size);
    uint64_t at = cm + (uint64_t)l->const_size + code_size;
    int numbers = 0, digits = 0;
    if (v->faults != faults || !(flags & HS_CONST_HAS_LINES))
        return 0;
    for (uint32_t len = 0; len < max; len++) {
        uint32_t in_chunk = (uint32_t)((at + len) % sizeof(chunk));
        if (len == 0 || in_chunk == 0) {
            if (mem_read(v->mem, at + len, chunk + in_chunk, sizeof(chunk) - in_chunk) < 0)
                return 0;
        }
        uint8_t b = chunk[in_chunk];
        if (numbers > 0) {
            if (++digits == 5 || b < 192) {
                numbers--;
                digits = 0;
            }
        } else if (b == 0xff) {
            numbers = 2;
        } else if (b == 0) {
            *ret_addr = at;
            return len + 1;
        }
    }
    return 0;
}

static int32_t read_signed(const unsigned char *table, uint32_t len, uint32_t excluded,
                           uint32_t *pos)
{
    uint32_t sum = 0;
    for (int i = 0; i < 5 && *pos < len; i++) {
        uint32_t b = table[(*pos)++];
        sum += (b - excluded) << (6 * i);
        if (b < 256 - 64)
            break;
    }
    return (int32_t)(sum >> 1) ^ -(int32_t)(sum & 1);
}

/* A damaged table may have any numbers. */
static int32_t plus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

int hs_method_next_line(struct hs_method_lines *l, uint32_t excluded)
{
    if (l->pos >= l->len || l->table[l->pos] == 0)
        return 0;
    uint8_t b = l->table[l->pos++];
    if (b == 0xff) {
        l->bci = plus(l->bci, read_signed(l->table, l->len, excluded, &l->pos));
        l->line = plus(l->line, read_signed(l->table, l->len, excluded, &l->pos));
    } else {
        l->bci = plus(l->bci, b >> 3);
        l->line = plus(l->line, b & 7);
    }
    return 1;
}

int32_t hs_method_line(const unsigned char *table, uint32_t len, uint32_t excluded, int32_t bci)
{
    struct hs_method_lines at = {.table = table, .len = len};
    int32_t best_bci = -1, best_line = -1;
    while (hs_method_next_line(&at, excluded)) {
        if (at.bci == bci)
            return at.line;
        if (at.bci < bci && at.bci >= best_bci) { /* entries may be unsorted */
            best_bci = at.bci;
            best_line = at.line;
        }
    }
    return best_line;
}
