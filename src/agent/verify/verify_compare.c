/*
 * verify_compare.c - see verify_compare.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_compare.h"
#include <stdbool.h>

static bool is_same_method(const struct verify_frame *a, const struct verify_frame *b)
{
    return (a->id != 0 && a->id == b->id) || (a->name != 0 && a->name == b->name);
}

static bool is_same_place(const struct verify_frame *a, const struct verify_frame *b)
{
    int32_t x = a->bci == -1 ? 0 : a->bci, y = b->bci == -1 ? 0 : b->bci;
    return x == y;
}

/* Whether `many` has all frames of `few`, in order. */
static bool is_part(const struct verify_frame *many, uint32_t many_count,
                    const struct verify_frame *few, uint32_t few_count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < many_count && found < few_count; i++)
        found += (uint32_t)is_same_method(&many[i], &few[found]);
    return found == few_count;
}

static enum verify_kind kind_of_bcis(const struct verify_frame *ours,
                                     const struct verify_frame *theirs, uint32_t count,
                                     uint32_t *ret_at)
{
    for (uint32_t i = count; i-- > 1;) {
        if (!is_same_place(&ours[i], &theirs[i])) {
            *ret_at = i;
            return VERIFY_BCI;
        }
    }
    *ret_at = 0;
    return count == 0 || is_same_place(&ours[0], &theirs[0]) ? VERIFY_SAME : VERIFY_TOP_BCI;
}

enum verify_kind verify_compare(const struct verify_frame *ours, uint32_t our_count,
                                const struct verify_frame *theirs, uint32_t their_count,
                                uint32_t *ret_at)
{
    uint32_t same = 0, fewest = our_count < their_count ? our_count : their_count;
    while (same < fewest && is_same_method(&ours[same], &theirs[same]))
        same++;
    if (same == our_count && same == their_count)
        return kind_of_bcis(ours, theirs, same, ret_at);
    *ret_at = same;
    if (same == their_count)
        return VERIFY_CUT;
    if (same == our_count)
        return VERIFY_WALK_CUT;
    if (is_part(ours, our_count, theirs, their_count))
        return VERIFY_SKIPS;
    return is_part(theirs, their_count, ours, our_count) ? VERIFY_WALK_SKIPS : VERIFY_METHODS;
}

uint32_t verify_compare_common(const struct verify_frame *ours, uint32_t our_count,
                               const struct verify_frame *theirs, uint32_t their_count, int bcis)
{
    uint32_t same = 0;
    while (same < our_count && same < their_count) {
        const struct verify_frame *a = &ours[our_count - 1 - same];
        const struct verify_frame *b = &theirs[their_count - 1 - same];
        if (!is_same_method(a, b) || (bcis && !is_same_place(a, b)))
            break;
        same++;
    }
    return same;
}

uint32_t verify_compare_contains(const uint64_t *frames, uint32_t frame_count,
                                 const uint64_t *wanted, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = frame_count; i-- > 0 && found < count;)
        found += frames[i] == wanted[found];
    return found;
}
