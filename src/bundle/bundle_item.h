/*
 * bundle_item.h - what goes into the archive of `hprof bundle`, as rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum bundle_item_at { BUNDLE_NOW, BUNDLE_DURING, BUNDLE_AFTER };

struct bundle_item {
    const char *file;
    enum bundle_item_at at;
    const char *does, *words;
};

/** The rows of bundle_item.def; the last one has no file. */
extern const struct bundle_item bundle_item_all[];
