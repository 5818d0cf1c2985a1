/*
 * beside.h - files that lie beside the command: in its build tree, or where both were installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * Finds `file` in the first of `folders` that has it as a readable regular file. The folders are
 * seen from the executable's own, symbolic links resolved, and may be patterns of glob(7); a NULL
 * ends them. Errors: 0 and *ret_path, absolute, malloc'ed, the caller frees it; -errno, -ENOENT
 * where none has it.
 */
int beside_find(const char *const *folders, const char *file, char **ret_path);

/** Whether `path` is a readable regular file: 0, or -errno. */
int beside_readable(const char *path);
