/*
 * outfile.h - the file that `hprof run` has the agent write.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct format;
struct newfile;

struct outfile {
    char *path; /* absolute, as the agent's file= wants it: %p, %t, %c and %% mean something */
    const char *named; /* as the user wrote it; not used if it has a '%' */
    char *old;         /* where a file of that name was moved to, or NULL */
    bool binary;
    bool is_recording; /* a JFR file, by its suffix */
    /* What the profile is drawn as behind the run, when the name has its suffix; then the agent's
     * file has another name, `own_name`. */
    const struct format *picture;
    const char *picture_suffix; /* borrowed from the user's name: .html, .html.gz */
    char *own_name;
};

/**
 * Decides the name. `named` NULL: hprof-%p.txt (.hprof if binary) in the working directory.
 * `binary` < 0: by the suffix of the name. A name with the suffix of a format that profiles are
 * written in afterwards (x.html) has the agent write x.hprof.txt. Moves nothing yet.
 * Errors: 0, or negative after saying why. Owner: borrows `named`; outfile_done(), also after an
 * error.
 */
int outfile_init(struct outfile *o, const char *named, int binary);
/** Whether a file can be made where `name` says: asked before the program runs for an hour. Errors:
 * 0, or negative after saying why in the name of `command`. */
int outfile_check_folder(const char *command, const char *name);
/** The name of the picture of the profile that the agent wrote at `path`; malloc'ed, NULL: no
 * memory. */
char *outfile_picture_path(const struct outfile *o, const char *path);
/** Move an existing file of that name out of the way, and say where. Errors as above. */
int outfile_set_aside(struct outfile *o);
/**
 * Move the file or link at `path` to PATH.old, or PATH.old.2 and so on where that is taken, and say
 * so in the name of `command`. *ret_old, malloc'ed, stays as it is when nothing was there, or what
 * is used as it is: a device, a FIFO, /dev/stdout. Errors as above.
 */
int outfile_move_aside(const char *command, const char *path, char **ret_old);
/**
 * Opens a new file for writing, "-" being standard output; what has the name is moved aside.
 * Errors: 0, or negative after saying why in the name of `command`.
 */
int outfile_open(const char *command, const char *path, struct newfile *ret_file);
/** Nothing was written: move it back. */
void outfile_restore(struct outfile *o);
void outfile_done(struct outfile *o);
