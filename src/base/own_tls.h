/*
 * own_tls.h - whether a signal handler may read the thread-local variables of this library.
 *
 * The variables are compiled for TLS descriptors. musl accepts them too; it refuses a library that
 * is loaded late with variables of the initial-exec kind. glibc places such variables into the
 * static block of each thread while there is room; for a few dozen bytes there nearly always is.
 * Without room, the first read in a thread allocates memory. musl has allocated the memory for all
 * threads when dlopen() returns, and for a new thread before the thread runs.
 * Source: glibc's elf/dl-reloc.c and sysdeps/x86_64/tlsdesc.sym, musl's ldso/dynlink.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Whether the variables lie in the static block. If not, nothing of this library may run in a
 * handler. Context: any. */
bool own_tls_is_static(void);
