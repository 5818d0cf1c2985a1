/*
 * paged.h - another memory, read page by page and kept: for thousands of small pieces close
 * together.
 *
 * The pages are a snapshot: a change after its page was read is not seen.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/mem.h"

struct paged;

/** Open a paged memory over `whole`. NULL: no memory. Owner: paged_close(). Context: any, not
 * signal; one thread at a time. */
struct paged *paged_open(struct mem *whole);
void paged_close(struct paged *p);
/** The memory to read from. Its reads have the same errors as reads of `whole`. */
struct mem *paged_mem(struct paged *p);
