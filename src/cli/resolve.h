/*
 * resolve.h - names of users and of addresses, as this machine knows them.
 *
 * Two files have these functions. resolve.c asks the C library, which loads what the machine is set
 * up for (LDAP, DNS). resolve_static.c is for the command that is linked statically, which must
 * load nothing: it knows /etc/passwd, addresses in numbers, and localhost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** The user's name, cut where there is no room. Returns whether there is one. */
bool resolve_user(uid_t uid, char *ret, size_t size);
/**
 * Where to listen: at `host`, NULL: at this machine's own addresses only, or at all of them if
 * `every`. Errors: 0, or one of getaddrinfo(3). Owner: resolve_done(*ret).
 */
int resolve_door(const char *host, const char *port, bool every, struct addrinfo **ret);
void resolve_done(struct addrinfo *all);
