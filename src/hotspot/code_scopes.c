/*
 * code_scopes.c - see code_scopes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/code_scopes.h"
#include "hotspot/target.h"

enum { PCS_BYTES_MAX = 0x10000000 };

/* The offset of the scope at return address `pc`; 0: none. */
static uint32_t offset_at(const struct code_scopes *s, uint64_t pc)
{
    const struct target *t = s->target;
    const struct hs_layout *l = t->layout;
    const struct hs_nmethod *nm = &s->nm;
    uint64_t size = (uint64_t)l->pcdesc_size;
    if (nm->pcs_end <= nm->pcs || nm->pcs_end - nm->pcs > PCS_BYTES_MAX)
        return 0;
    uint32_t low = 0, high = (uint32_t)((nm->pcs_end - nm->pcs) / size);
    int32_t rel = (int32_t)(pc - s->blob.code);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t desc = nm->pcs + middle * size;
        int32_t at = (int32_t)target_u4(t, desc + (uint64_t)l->pcdesc_pc);
        if (at == rel)
            return target_u4(t, desc + (uint64_t)l->pcdesc_scope);
        if (at < rel)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

bool code_scopes_at(const struct target *t, uint64_t pc, struct code_scopes *ret)
{
    struct mem_view view = {.mem = t->mem};
    ret->target = t;
    if (!hs_code_find(&view, t->layout, pc, &ret->blob) || ret->blob.kind != HS_BLOB_NMETHOD)
        return false;
    hs_code_nmethod(&view, t->layout, &ret->blob, &ret->nm);
    ret->offset = offset_at(ret, pc);
    return (int32_t)ret->offset > 0;
}

void code_scopes_begin(const struct code_scopes *s, uint32_t offset, struct packed_ints *ret)
{
    packed_ints_begin(ret, s->target, s->nm.scopes + offset);
}

bool code_scopes_read(const struct code_scopes *s, struct code_scope *ret)
{
    struct packed_ints p;
    code_scopes_begin(s, s->offset, &p);
    ret->sender = packed_ints_take(&p);
    ret->method = packed_ints_take(&p);
    ret->bci = (int32_t)packed_ints_take(&p) - 1;
    ret->locals = packed_ints_take(&p);
    ret->expressions = packed_ints_take(&p);
    ret->monitors = packed_ints_take(&p);
    return !p.is_cut;
}

/* Callers are written first: no cycles. */
bool code_scopes_leave(struct code_scopes *s, const struct code_scope *scope)
{
    if (scope->sender == 0 || scope->sender >= s->offset)
        return false;
    s->offset = scope->sender;
    return true;
}
