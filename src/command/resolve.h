/*
 * resolve.h - finds names of users and addresses, as this machine knows them.
 *
 * Two files implement these functions. resolve.c asks the C library, which loads the modules that
 * the machine is set up for (LDAP, DNS). resolve_static.c is for the statically linked command,
 * which must not load anything: it knows only /etc/passwd, numeric addresses and localhost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** The name of a user, cut if it is too long. Returns whether there is one. */
bool resolve_user(uid_t uid, char *ret, size_t size);
/**
 * The addresses to listen at: `host`; NULL: only the loopback addresses, or all addresses if
 * `every` is set. Errors: 0, or one of getaddrinfo(3). Owner: resolve_done(*ret).
 */
int resolve_door(const char *host, const char *port, bool every, struct addrinfo **ret);
void resolve_done(struct addrinfo *all);
