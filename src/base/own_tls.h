/*
 * own_tls.h - whether the thread-local variables of this library may be read in a signal handler.
 *
 * They are compiled for TLS descriptors, which musl takes as well: it refuses libraries that are
 * loaded late with variables of the initial-exec kind. glibc gives such variables a place in each
 * thread's static block as long as there is room, as for a few dozen bytes there nearly always is;
 * without room the first read in a thread allocates. musl has allocated for all threads when
 * dlopen() returns, and for a new thread before that runs.
 * Source: glibc's elf/dl-reloc.c and sysdeps/x86_64/tlsdesc.sym, musl's ldso/dynlink.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** If not, nothing of this library may run in a handler. Context: any. */
bool own_tls_is_static(void);
