/*
 * nmethods.c - see nmethods.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/nmethods.h"
#include "hotspot/target.h"
#include "safe/mem.h"

enum { NOT_OSR = -1 }; /* the value of _entry_bci of code that is entered at its beginning */

void nmethods_init(struct nmethods *n, const struct target *t)
{
    *n = (struct nmethods){
        .target = t,
        .state = target_field(t, "nmethod", "_state", HS_NONE),
        .consts = target_field(t, "nmethod", "_consts_offset", HS_NONE),
        .oops = target_field(t, "nmethod", "_oops_offset", HS_NONE),
        .dependencies = target_field(t, "nmethod", "_dependencies_offset", HS_NONE),
        .handlers = target_field(t, "nmethod", "_handler_table_offset", HS_NONE),
        .end = target_field(t, "nmethod", "_nmethod_end_offset", HS_NONE),
        .content = target_field(t, "CodeBlob", "_content_offset", HS_NONE),
        .data = target_field(t, "CodeBlob", "_data_offset", HS_NONE),
        .null_checks = target_field(t, "nmethod", "_nul_chk_table_offset", HS_NONE),
        .immutable_bytes = target_field(t, "nmethod", "_immutable_data_size", HS_NONE),
        .references = target_field(t, "nmethod", "_immutable_data_ref_count_offset", HS_NONE),
    };
}

/* A number of 4 bytes in the blob; 0 if the VM has no such field. */
static int64_t number(struct mem_view *v, const struct hs_blob *blob, int32_t offset)
{
    return offset >= 0 ? (int32_t)mem_view_u4(v, blob->start + (uint64_t)offset) : 0;
}

/* The sum of the parts that nmethod::total_size() adds up: constants, instructions, stubs, what the
 * compiler says about the code, the tables of exceptions and null checks; no oops, metadata and
 * dependencies. */
static int64_t total_size(const struct nmethods *n, struct mem_view *v, const struct hs_blob *b,
                          const struct hs_nmethod *nm)
{
    if (n->end >= 0 && n->consts >= 0 && n->oops >= 0 && n->dependencies >= 0 && n->handlers >= 0)
        return number(v, b, n->oops) - number(v, b, n->consts) + number(v, b, n->dependencies) -
               (int64_t)(nm->scopes - b->start) + number(v, b, n->end) - number(v, b, n->handlers);
    if (n->content >= 0 && n->data >= 0 && n->null_checks >= 0 && n->immutable_bytes >= 0) {
        int64_t end = number(v, b, n->references >= 0 ? n->references : n->immutable_bytes);
        return number(v, b, n->data) - number(v, b, n->content) + end -
               mem_view_u2(v, b->start + (uint64_t)n->null_checks);
    }
    return 0;
}

bool nmethods_read(const struct nmethods *n, const struct hs_blob *blob,
                   struct nmethods_row *ret_row)
{
    const struct hs_layout *l = n->target->layout;
    struct mem_view v = {.mem = n->target->mem};
    struct hs_nmethod nm;
    hs_code_nmethod(&v, l, blob, &nm);
    struct nmethods_row row = {
        .method = nm.method,
        .id = (uint32_t)number(&v, blob, l->nmethod_compile_id),
        .state = n->state >= 0 ? (int8_t)mem_view_u1(&v, blob->start + (uint64_t)n->state) : -1,
        .level = nm.level,
        .is_osr = l->nmethod_entry_bci >= 0 && number(&v, blob, l->nmethod_entry_bci) != NOT_OSR,
    };
    int64_t bytes = total_size(n, &v, blob, &nm);
    row.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    *ret_row = row;
    return v.faults == 0 && nm.method != 0;
}
