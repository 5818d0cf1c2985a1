/*
 * shrunk.h - handles files that become shorter while this command reads them.
 *
 * Profiles, cores and libraries are mapped. Reading a page that the file has lost raises SIGBUS.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Installs the handler: such a read ends the program with status 1 and names the file. */
void shrunk_watch(void);
