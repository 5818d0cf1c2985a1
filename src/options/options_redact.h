/*
 * options_redact.h - what the option string says of secrets in what a recording tells of its JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/secret.h"
#include "options/options_group.h"

struct options_redact {
    char keys[OPTIONS_ROW_TEXT], arguments[OPTIONS_ROW_TEXT]; /* struct secret */
};

extern const struct options_group options_redact;

/** Valid as long as the options. Context: any. */
static inline struct secret options_redact_of(const struct options *o)
{
    const struct options_redact *own = options_group_own(o, &options_redact);
    return (struct secret){.keys = own->keys, .arguments = own->arguments};
}
