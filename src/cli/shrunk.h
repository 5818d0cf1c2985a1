/*
 * shrunk.h - a file that becomes shorter while we read it.
 *
 * Profiles, cores and libraries are mapped; the pages that a file has lost raise SIGBUS.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** From now on such a read ends the program with a message that names the file, and status 1. */
void shrunk_watch(void);
