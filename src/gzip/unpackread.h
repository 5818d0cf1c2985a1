/*
 * unpackread.h - reads a file or a pipe front to back, unpacked if it is packed.
 *
 * Takes a buffer of fixed size and maps nothing: a file that others cut while it is read makes the
 * bytes end early, and an address space may be as small as one likes. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct unpackread;

/** Reads the first bytes of `fd`, from where it stands. `fd` stays the caller's, and open until
 * unpackread_close(). Errors: 0; -ENOMEM; -errno. */
int unpackread_open(int fd, struct unpackread **ret);
void unpackread_close(struct unpackread *u);

/**
 * Reads at most `room` bytes to `to`. Returns how many; 0: this is the end.
 *
 * Errors: -errno of the file; as unpack_run(). What comes before an error is returned first. An
 * error stays.
 */
ssize_t unpackread_read(struct unpackread *u, unsigned char *to, size_t room);
/** What a static text says of the error; NULL: nothing. */
const char *unpackread_why(const struct unpackread *u);
