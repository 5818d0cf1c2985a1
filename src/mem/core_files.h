/*
 * core_files.h - the files that a core's process had mapped, found again on this machine.
 *
 * A core leaves out pages that can be read from files: program code, libraries, the VM's archive of
 * classes. A file counts only if it is the same build (build-id), where the core tells that.
 * A file is looked for under the sysroot if one is given, else at its own path; then beside the
 * program that was given (--exe), which stands for the core's own program: a JDK copied from the
 * other machine is found by its java launcher. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct core_file {
    char *path;                 /* as the process saw it */
    char *found;                /* here; NULL not found */
    const unsigned char *bytes; /* mapped, NULL */
    size_t len;
    int error;       /* 0; -ENOENT, ...; E_OTHER_BUILD: the file found is of another build */
    uint64_t wanted; /* reads that needed the file and failed */
};

struct core_files {
    const char *sysroot, *exe; /* of the user, or NULL; borrowed */
    char *core_exe;            /* path of the core's own program, NULL unknown */
    struct core_file **rows;
    uint32_t count;
};

/**
 * The file of `path`, looked for on the first call. `build_id` of `id_len` bytes; 0: not known.
 * Never NULL but for want of memory. Owner: the table.
 */
struct core_file *core_files_get(struct core_files *files, const char *path,
                                 const unsigned char *build_id, int id_len);

void core_files_done(struct core_files *files);
