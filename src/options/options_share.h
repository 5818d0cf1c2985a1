/*
 * options_share.h - combines the option strings of several recordings that run at one time.
 *
 * Each recording has its own options. What is measured once for all of them uses the settings of a
 * fold: the finest interval, the deepest stacks, all engines. Each row says how its values are
 * combined (enum options_row_share). Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

enum { OPTIONS_SHARE_PARTS = 16 };

/**
 * Check whether `more` can be measured beside what `all` has. Fixed options that `more` does not
 * give are copied from `all`. Errors: 0; E_VM_STATE, with "NAME=" of the option that differs in
 * *ret_error.
 */
int options_share_check(const struct options *all, struct options *more,
                        struct options_error *ret_error);
/**
 * Make `all` the fold of `count` options (1 to OPTIONS_SHARE_PARTS). Fixed options keep their value
 * in `all`; if nothing was folded before, they get the value of the first part. The values in `all`
 * keep their addresses. Errors: 0; -ENOMEM: nothing has changed.
 */
int options_share_fold(struct options *all, const struct options *const *parts, int count);
