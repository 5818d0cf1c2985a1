/*
 * injector_seen.h - classes that were watched, and for whom there is nothing to inject in them.
 *
 * By name, whatever the loader; memory is bounded, and a class for which there was none is taken
 * for one that is worth injecting. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** `user` has looked at a class of that name. Context: any thread. */
void injector_seen_note(const char *name, const void *user, bool is_plain);
/** Whether `user` has seen classes of that name, and there was nothing to inject in any of them. */
bool injector_seen_is_plain(const char *name, const void *user);
