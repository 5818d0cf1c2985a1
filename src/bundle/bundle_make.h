/*
 * bundle_make.h - makes the archive of `hprof bundle`.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/secret.h"

struct jvm;
struct sink;

struct bundle_make {
    const struct jvm *jvm;
    const char *version; /* of this program */
    uint64_t during_ns;  /* of what takes its time: -d */
    struct secret secret;
    bool is_quiet; /* only what leaves the JVM alone: nothing is attached */
    /* set by a signal: what runs is ended, the archive is finished */
    const volatile sig_atomic_t *is_ended;
    /* Results: */
    uint32_t files, refused, redacted;
};

/** Says before it begins what the JVM will feel. */
void bundle_make_say(const struct bundle_make *m);
/** Writes the archive. Errors: 0; the sink's; -ENOMEM. */
int bundle_make_write(struct bundle_make *m, struct sink *out);
