/*
 * testfile.h - files that tests read and write.
 *
 * A failure here ends the test.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** A whole file below $TEST_DATA, unpacked if its name ends in .gz, NUL-terminated; free() it. */
char *testfile_read(const char *name, size_t *ret_len);
/** Everything in an open file from its start, NUL-terminated; free() it. */
char *testfile_contents(int fd, size_t *ret_len);
/** An empty file without a name, open for reading and writing. */
int testfile_temp(void);
/** Write a file below `folder`, with the folders in its name. A "@" in the text becomes the path of
 * `folder`. */
void testfile_put(const char *folder, const char *name, const char *text);
/** Remove a folder and everything in it. */
void testfile_remove_folder(const char *folder);
