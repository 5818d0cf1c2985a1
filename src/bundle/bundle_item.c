/*
 * bundle_item.c - see bundle_item.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bundle/bundle_item.h"

const struct bundle_item bundle_item_all[] = {
#define BUNDLE(file, at, does, words) {file, BUNDLE_##at, does, words},
#include "bundle/bundle_item.def"
#undef BUNDLE
    {0},
};
