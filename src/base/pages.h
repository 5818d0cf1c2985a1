/*
 * pages.h - large tables: zeroed memory that costs only the pages that are touched.
 *
 * The kernel does not count the memory as promised (MAP_NORESERVE), so a table may be as large as
 * it could ever need to be. Context: any, also a forked child.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** Returns NULL if there is no memory. */
void *pages_map(size_t bytes);
/**
 * Like pages_map(), in large pages if the system has some. For memory that is touched in random
 * order and nearly everywhere.
 */
void *pages_map_large(size_t bytes);
/** Give the memory back. Does nothing for NULL. */
void pages_unmap(void *at, size_t bytes);
