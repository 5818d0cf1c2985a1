/*
 * core_files.h - the files that a core's process had mapped, found again on this machine.
 *
 * A core leaves out pages that can be read from files: program code, libraries, the VM's archive of
 * classes. If the core has the build-id of a file, only a file with the same build-id is used.
 * A file is looked for below the sysroot if one is given, else at its own path. After that it is
 * looked for relative to the program that the user gave (--exe), which stands for the core's own
 * program: a JDK that was copied from the other machine is found by its java launcher.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct core_file {
    char *path;                 /* the path in the process */
    char *found;                /* the path on this machine; NULL: not found */
    const unsigned char *bytes; /* the mapped file; NULL: not mapped */
    size_t len;
    int error; /* 0; -ENOENT, ...; E_OTHER_BUILD: the file that was found has another build-id */
    uint64_t wanted; /* reads that needed the file and failed */
};

struct core_files {
    const char *sysroot, *exe; /* given by the user, or NULL; borrowed */
    char *core_exe;            /* path of the core's own program; NULL: unknown */
    struct core_file **rows;
    uint32_t count;
};

/**
 * The file with the path `path`; the first call looks for it. `build_id` has `id_len` bytes; 0: it
 * is not known. NULL only if there is no memory. Owner: the table.
 */
struct core_file *core_files_get(struct core_files *files, const char *path,
                                 const unsigned char *build_id, int id_len);

void core_files_done(struct core_files *files);
