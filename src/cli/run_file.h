/*
 * run_file.h - the file that `hprof run` has the agent write.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct format;

/** For whom the file is. */
enum run_file_for {
    RUN_FILE_AGENT,   /* nobody of us is there afterwards, and a picture is one that the agent draws
                       */
    RUN_FILE_SUMS,    /* for us, of what has no times */
    RUN_FILE_MOMENTS, /* for us, of events with their times */
};

struct run_file {
    char *path; /* absolute, as the agent's file= wants it: %p, %t, %c and %% mean something */
    const char *named; /* as the user wrote it; not used if it has a '%' */
    char *old;         /* where a file of that name was moved to, or NULL */
    bool binary;
    bool is_recording;      /* a JFR file, by its suffix */
    bool is_agents_picture; /* drawn by the agent itself, by its suffix */
    /* What the profile is drawn as behind the run, when the name has its suffix; then the agent's
     * file has another name, `own_name`. */
    const struct format *picture;
    bool is_timed; /* the picture shows when things were, so the agent's file is a recording */
    const char *picture_suffix; /* borrowed from the user's name: .html, .html.gz */
    char *own_name;
};

/**
 * Decides the name. `named` NULL: hprof-%p.txt (.hprof if binary) in the working directory.
 * `binary` < 0: by the suffix of the name. A name with the suffix of a format that profiles are
 * written in afterwards (x.collapsed) has the agent write x.hprof.txt, or x.jfr where it shows
 * times that there are or cannot do without them.
 * Moves nothing yet. Errors: 0, or negative after saying why. Owner: borrows `named`;
 * run_file_done(), also after an error.
 */
int run_file_init(struct run_file *o, const char *named, int binary, enum run_file_for whose);
/** What the agent calls the format of the file that it writes. */
const char *run_file_format(const struct run_file *o);
/** The name of the picture of the profile that the agent wrote at `path`; malloc'ed, NULL: no
 * memory. */
char *run_file_picture_path(const struct run_file *o, const char *path);
/** The name of the picture of all JVMs: "all" in place of each %p and %t of the user's name, or
 * before its suffix. Malloc'ed, NULL: no memory. */
char *run_file_picture_of_all(const struct run_file *o);
/** Move an existing file of that name out of the way, and say where. Errors as above. */
int run_file_set_aside(struct run_file *o);
/** Nothing was written: move it back. */
void run_file_restore(struct run_file *o);
void run_file_done(struct run_file *o);
