/*
 * fd_room.h - how many file descriptors the agent may hold.
 *
 * A program that is near its limit must find as many descriptors as without the agent. So timers
 * take few descriptors, none if they are short, and give all back when they become short. Context:
 * any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** The current RLIMIT_NOFILE; 1 << 30 if there is no limit or a larger one. */
long fd_room_limit(void);
/**
 * How many more descriptors the process can open. Exact from Linux 6.2 on, which reports the count
 * of open ones. Before 6.2, and if /proc is hidden, all numbers above the lowest free one count as
 * free.
 */
long fd_room_free(void);
/**
 * Whether a holder of `held` descriptors may open another: it may hold a 32nd of the limit, and a
 * quarter of the limit must be free.
 */
int fd_room_grants(int held);
/** Give a descriptor of the agent's a number that is out of the way of select(), if the limit
 * allows. Returns the new number, or `fd`. */
int fd_room_move_up(int fd);
/** Whether less than an eighth is free, so that everything that can be given back should be. */
bool fd_room_is_short(void);
