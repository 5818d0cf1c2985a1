/* options_nativelock.c - see options_nativelock.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_nativelock.h"
#include "kind/kind.h"

enum { DEFAULT_NS = 10000 };

static const struct options_nativelock defaults = {.threshold_ns = DEFAULT_NS};

static const struct options_row rows[] = {
    {"nativelock", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_nativelock, threshold_ns), .values = "<time>",
     .about = "event=nativelock: shortest wait", .shown = "10us",
     .missing = "syntax error parsing nativelock=time",
     .wrong = "nativelock option value must be a time, such as 10us"},
    {"nativelockvm", .share = OPTIONS_ROW_MOST, .kind = OPTIONS_ROW_SWITCH, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_nativelock, with_vm), .values = "y|n",
     .about = "event=nativelock: the VM's own idle waits?", .shown = "n"},
    {0},
};

static const struct options_setting settings[] = {
    {"hprof.NativeLockWait", "enabled", .presets = {"false", "false"}},
    {"hprof.NativeLockWait", "threshold", .option = "nativelock"},
    {0},
};

static const struct options_ask asks[] = {{"event", "nativelock", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_nativelock = {
    .name = "nativelock",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=nativelock",
    .asked_with = "nativelock",
    .marks = marks,
    .kinds = 1 << KIND_NATIVE_LOCK,
};
