/*
 * options_frozen.c - see options_frozen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_frozen.h"

static const struct options_frozen defaults = {
    .fork = true, .in_pause = "short", .fork_bytes = OPTIONS_FROZEN_NO_LIMIT};

static const char *const in_pause_names[] = {"y", "n", "short", NULL};

#define AT(field) .at = offsetof(struct options_frozen, field)

static const struct options_row rows[] = {
    {"fork", .kind = OPTIONS_ROW_SWITCH, .part = OPTIONS_ROW_NEW, AT(fork), .values = "y|n",
     .about = "heap dump by a forked child?", .shown = "y"},
    {"inpause", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_WORD_OF, .part = OPTIONS_ROW_NEW,
     AT(in_pause), .values = "y|n|short", .about = "heap dump in a pause?", .shown = "short",
     .missing = "inpause option value must be y, n or short", .what = "inpause",
     .names = in_pause_names},
    {"forkmem", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SIZE, .part = OPTIONS_ROW_NEW,
     AT(fork_bytes), .values = "<size>", .about = "memory limit of that child", .shown = "none",
     .missing = "syntax error parsing forkmem=size"},
    {0},
};

/* No word asks for this group: it serves engines that read a frozen heap. */
const struct options_group options_frozen = {
    .name = "frozen",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .serves = OPTIONS_MARK_FROZEN,
};
