/*
 * largetls.c - a library whose thread-local variables have no place in the static block.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/own_tls.h"

__attribute__((visibility("default"))) bool largetls_is_static(void);
__attribute__((visibility("default"))) char *largetls_room(void);

static __thread char room[1 << 20];

bool largetls_is_static(void)
{
    return own_tls_is_static();
}

/* The linker would leave out what nobody uses. */
char *largetls_room(void)
{
    return room;
}
