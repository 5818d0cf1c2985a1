/*
 * peer_owner.h - whose socket the other end of a connection on this machine is.
 *
 * What stands in a program's arguments every user can read, and every user can connect to a port of
 * the loopback interface: so who may ask is decided by who he is. Source: proc(5), net/tcp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

/**
 * The user who made the socket at the other end of `fd`, a connection over IPv4. Errors: 0;
 * -ENOENT: it is none of this machine, or is closed there; another -errno: the kernel does not
 * tell.
 */
int peer_owner_find(int fd, uid_t *ret_uid);
