/*
 * injector_seen.h - classes that were watched, and the users that have nothing to inject in them.
 *
 * Classes are known by name, whatever their loader is. The memory is bounded: a class for which
 * there was no memory counts as one with something to inject.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/**
 * Note that `user` has looked at a class of this name. `is_plain`: there was nothing to inject.
 * Context: any thread.
 */
void injector_seen_note(const char *name, const void *user, bool is_plain);
/** Whether `user` has seen classes of this name and had nothing to inject in any of them. */
bool injector_seen_is_plain(const char *name, const void *user);
