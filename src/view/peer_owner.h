/*
 * peer_owner.h - finds the user who owns the socket at the other end of a local connection.
 *
 * Every user can read the arguments of a program, and every user can connect to a port of the
 * loopback interface. So the server decides by the user who may ask. Source: proc(5), net/tcp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

/**
 * The user who made the socket at the other end of `fd`, a connection over IPv4. Errors: 0;
 * -ENOENT: the socket is on another machine, or is closed there; another -errno: the kernel does
 * not tell.
 */
int peer_owner_find(int fd, uid_t *ret_uid);
