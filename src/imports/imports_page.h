/*
 * imports_page.h - writes a word into a page that may be write-protected.
 *
 * Context: any, not signal; one thread at a time. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/**
 * Replace the word at `at`, which is mapped, if it is `from`. If the page is protected, it gets
 * back the protection that /proc/self/maps names.
 * Errors: 1: replaced; 0: another word was there; -EACCES: the page could not be made writable, or
 * its protection is not known.
 */
int imports_page_replace(uint64_t *at, uint64_t from, uint64_t to);
