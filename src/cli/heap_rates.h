/*
 * heap_rates.h - reads the allocations of a recording for `hprof heap FILE join`.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct allocrates;

/** Reads a profile of any format. Errors: negative after saying why. Owner: allocrates_free(). */
int heap_rates_read(const char *path, struct allocrates **ret_rates);
