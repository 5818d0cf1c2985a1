/*
 * nativemem_hooks.h - the hooks of event=nativemem: the functions that stand in the slots of
 * malloc, free, mmap, munmap and their like.
 *
 * Each hook calls its target and tells safe/memhook.h; see there for what a hook may do. Once a
 * slot has held a hook, the program may have copied it, so the hooks work for ever: without a
 * recording they pass through.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "imports/imports.h"

/** The table for imports_patch(). Owner: static. */
extern const struct imports_row nativemem_hooks[];
extern const uint32_t nativemem_hooks_count;
