/*
 * compare.c - see compare.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compare.h"

const char *const compare_words[COMPARE_COUNT] = {"same", "top bci", "bci", "length", "method"};

uint64_t compare_id_of(struct mem_view *v, const struct hs_layout *l, uint64_t method)
{
    uint64_t cm = mem_view_u8(v, method + (uint64_t)l->method_const);
    uint64_t pool = mem_view_u8(v, cm + (uint64_t)l->const_constants);
    uint64_t holder = mem_view_u8(v, pool + (uint64_t)l->pool_holder);
    uint64_t ids = mem_view_u8(v, holder + (uint64_t)l->klass_jmethod_ids);
    uint64_t count = ids == 0 ? 0 : mem_view_u8(v, ids);
    uint32_t idnum = mem_view_u2(v, cm + (uint64_t)l->const_idnum);
    return idnum < count ? mem_view_u8(v, ids + 8 * ((uint64_t)idnum + 1)) : 0;
}

static int64_t normal_bci(int64_t bci)
{
    return bci == -1 ? 0 : bci;
}

enum compare_result compare_stacks(struct mem_view *v, const struct hs_layout *l,
                                   const struct walk_frame *ours, int our_count,
                                   const struct compare_frame *theirs, int their_count, int *ret_at)
{
    int n = our_count < their_count ? our_count : their_count;
    enum compare_result result = COMPARE_SAME;
    *ret_at = 0;
    for (int i = 0; i < n; i++) {
        if (compare_id_of(v, l, ours[i].method) != theirs[i].id) {
            *ret_at = i;
            return our_count == their_count ? COMPARE_METHOD : COMPARE_LENGTH;
        }
        if (normal_bci(ours[i].bci) != normal_bci(theirs[i].bci) && result == COMPARE_SAME) {
            *ret_at = i;
            result = i == 0 ? COMPARE_TOP_BCI : COMPARE_BCI;
        }
    }
    if (our_count != their_count) {
        *ret_at = n;
        return COMPARE_LENGTH;
    }
    return result;
}
