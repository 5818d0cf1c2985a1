/*
 * options_redact.h - the options that hide secrets in what a recording tells about its JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/secret.h"
#include "options/options_group.h"

struct options_redact {
    char keys[OPTIONS_ROW_TEXT], arguments[OPTIONS_ROW_TEXT]; /* patterns as in struct secret */
};

extern const struct options_group options_redact;

/** The options as a struct secret. It is valid as long as `o`. Context: any. */
static inline struct secret options_redact_of(const struct options *o)
{
    const struct options_redact *own = options_group_own(o, &options_redact);
    return (struct secret){.keys = own->keys, .arguments = own->arguments};
}
