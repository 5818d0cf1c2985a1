/*
 * pages.h - large tables: zeroed memory that is only used as far as it is touched.
 *
 * Not counted as promised by the kernel (MAP_NORESERVE), so a table may be as large as it could
 * ever have to be. Context: any, also a forked child. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** NULL: no memory. */
void *pages_map(size_t bytes);
/**
 * The same in large pages where the system has some: for what is touched in no order, and nearly
 * everywhere.
 */
void *pages_map_large(size_t bytes);
/** Give it back; nothing for NULL. */
void pages_unmap(void *at, size_t bytes);
