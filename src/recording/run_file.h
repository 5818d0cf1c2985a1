/*
 * run_file.h - the file that `hprof run` makes the agent write.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct format;

/** The program that uses the file. */
enum run_file_for {
    RUN_FILE_AGENT,   /* no command runs afterwards, so the agent draws any picture */
    RUN_FILE_SUMS,    /* this command; the file has sums */
    RUN_FILE_MOMENTS, /* this command; the file has events with their times */
};

struct run_file {
    /* Absolute, in the form of the agent's file=, where %p, %t, %c and %% are placeholders. */
    char *path;
    const char *named; /* as the user wrote it; not used if it has a '%' */
    char *old;         /* the new name of an existing file that was moved; or NULL */
    bool binary;
    bool is_recording;      /* the suffix is that of a JFR file */
    bool is_agents_picture; /* the suffix is that of a picture that the agent draws */
    /* The format of the picture that is drawn after the run, if the name has its suffix. The
     * agent's file then has another name, `own_name`. */
    const struct format *picture;
    bool is_timed;              /* the picture shows times, so the agent writes a recording */
    const char *picture_suffix; /* in the user's name: .html, .html.gz; borrowed */
    char *own_name;
};

/**
 * Decides the name of the file. `named` NULL: hprof-%p.txt (.hprof if binary) in the working
 * directory. `binary` < 0: the suffix of the name decides.
 *
 * If the name has the suffix of a format that is made afterwards (x.collapsed), the agent writes
 * x.hprof.txt. It writes x.jfr if the format needs times, or shows times and there are some.
 *
 * Nothing is moved yet. Errors: 0, or negative after saying why. Owner: borrows `named`;
 * run_file_done(), also after an error.
 */
int run_file_init(struct run_file *o, const char *named, int binary, enum run_file_for whose);
/** The agent's name for the format of its file. */
const char *run_file_format(const struct run_file *o);
/** The name of the picture for the profile that the agent wrote at `path`; malloc'ed; NULL: no
 * memory. */
char *run_file_picture_path(const struct run_file *o, const char *path);
/** The name of the picture of all JVMs: each %p and %t of the user's name becomes "all"; if there
 * are none, ".all" stands before the suffix. malloc'ed; NULL: no memory. */
char *run_file_picture_of_all(const struct run_file *o);
/** Moves an existing file of that name aside, and says where. Errors: as above. */
int run_file_set_aside(struct run_file *o);
/** Moves the file back, because nothing was written. */
void run_file_restore(struct run_file *o);
void run_file_done(struct run_file *o);
