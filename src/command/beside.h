/*
 * beside.h - files that lie beside the command: in its build tree, or where both were installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * Finds `file` in the first of `folders` that has it as a readable regular file. The folders are
 * relative to the folder of the executable (symbolic links are resolved), and may be patterns of
 * glob(7). A NULL ends the list.
 * Errors: 0 and *ret_path, absolute, malloc'ed, the caller frees it; -errno; -ENOENT if no folder
 * has the file.
 */
int beside_find(const char *const *folders, const char *file, char **ret_path);

/** Whether `path` is a readable regular file: 0, or -errno. */
int beside_readable(const char *path);
