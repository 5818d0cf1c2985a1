/*
 * paged.h - another memory, read page by page and kept: for thousands of small pieces close
 * together.
 *
 * A snapshot: what changes after its page was read is not seen. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/mem.h"

struct paged;

/** NULL: no memory. Owner: paged_close(). Context: any, not signal; one thread at a time. */
struct paged *paged_open(struct mem *whole);
void paged_close(struct paged *p);
/** The memory to read from. Its reads have the errors that reads of `whole` have. */
struct mem *paged_mem(struct paged *p);
