/*
 * options_share.h - several option strings at once: what they have together, and what can be only
 * once.
 *
 * Each recording has options of its own; what is measured for all of them at once has the settings
 * of a fold: the finest interval, the deepest stacks, all engines. What a row does with several
 * values is said in the row (enum options_row_share). Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

enum { OPTIONS_SHARE_PARTS = 16 };

/**
 * Whether `more` can be measured beside what `all` has; what `more` does not say and is fixed it
 * takes from `all`. Errors: 0; E_VM_STATE with "NAME=" of an option that is fixed in *ret_error.
 */
int options_share_check(const struct options *all, struct options *more,
                        struct options_error *ret_error);
/**
 * `all` becomes the fold of `count` options, 1 to OPTIONS_SHARE_PARTS: what is fixed stays as it is
 * there, or is that of the first where nothing was folded before. Values that `all` has stay where
 * they are. Errors: 0, -ENOMEM: all is as before.
 */
int options_share_fold(struct options *all, const struct options *const *parts, int count);
