/*
 * peer_owner.h - which user is at the other end of a connection of this machine.
 *
 * Every user can read the arguments of a program, and every user can connect to a port of the
 * loopback interface. So a server that gives away what one user may read decides by the user who
 * owns the socket at the other end. Source: proc(5), net/tcp. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Whether the peer of `fd`, a connection over IPv4, is our user or root, who can read everything
 * anyway. If this command runs under sudo, the peer may also be the user who called sudo. If the
 * owner is not known, the peer is not ours. */
bool peer_owner_is_ours(int fd);
