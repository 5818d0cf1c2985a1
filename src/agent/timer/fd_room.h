/*
 * fd_room.h - how many descriptors the agent may hold beside the program's.
 *
 * A program near its limit must find as many as without us, so timers take few, none where they are
 * short, and give all back when they become so. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** RLIMIT_NOFILE as it is now; 1 << 30 where there is none, or a larger one. */
long fd_room_limit(void);
/**
 * How many more the process can open. Exact from Linux 6.2 on, which tells the number of those that
 * are open; before it, and where /proc is hidden, numbers above the lowest free one count as free.
 */
long fd_room_free(void);
/** One who holds `held` may open another: at most a 32nd of the limit, while a quarter is free. */
int fd_room_grants(int held);
/** Less than an eighth is free: all that can be given back should be. */
bool fd_room_is_short(void);
