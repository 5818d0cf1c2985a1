/*
 * notcore.h - says what a file is that was given as a core and is none.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

void notcore_say(const char *path);
