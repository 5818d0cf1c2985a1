/*
 * dumproom.h - whether a folder has room for the dump that is made of a JVM or a core.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/**
 * Says what room the dump of `name` may take, of the `room` bytes that `folder` has. Returns
 * whether there is enough.
 */
bool dumproom_say(const char *name, const char *folder, uint64_t heap_bytes, uint64_t room);
/** The same, of the room that `folder` has now. False also if that cannot be read, after saying so.
 */
bool dumproom_check(const char *name, const char *folder, uint64_t heap_bytes);
/** Makes the file for the dump: heapspool_open(). Errors: negative, after saying why. */
int dumproom_open(const char *name, const char *folder);
