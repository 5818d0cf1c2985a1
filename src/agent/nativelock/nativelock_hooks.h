/*
 * nativelock_hooks.h - the hooks of event=nativelock: the functions that stand in the slots of
 * pthread_mutex_lock, pthread_cond_wait, sem_wait and their like.
 *
 * Each hook calls its target and tells safe/lockhook.h; see there for what a hook may do. Once a
 * slot has held a hook, the program may have copied it, so the hooks work for ever: without a
 * recording they pass through.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "imports/imports.h"

/** The table for imports_patch(). Owner: static. */
extern const struct imports_row nativelock_hooks[];
extern const uint32_t nativelock_hooks_count;
