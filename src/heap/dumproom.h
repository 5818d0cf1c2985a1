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
