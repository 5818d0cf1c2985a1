/* options_alloc.c - see options_alloc.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_alloc.h"

static const struct options_alloc defaults = {0};

static const struct options_row rows[] = {
    {"sample", .kind = OPTIONS_ROW_SIZE, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_alloc, sample_bytes), .most = INT32_MAX, .values = "<size>",
     .about = "heap=: bytes between samples", .shown = "0: count all",
     .missing = "syntax error parsing sample=size",
     .wrong = "sample option value must be a size below 2g", .acts_with = OPTIONS_MARK_HEAP},
    {0},
};

/* No word asks for this engine: it serves engines that need to know where objects were
 * allocated. */
const struct options_group options_alloc = {
    .name = "alloc",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asked_by = "heap=sites",
    .serves = OPTIONS_MARK_TRACKED,
};
