/*
 * weave.h - inserts the probes of one method into its code at once.
 *
 * probecode.h makes the instructions that each probe inserts, codeplan.h computes their places, and
 * codemove.h writes the code. This file decides which probes fit. A probe that does not fit into
 * the result of the earlier ones is left out, and the others go on.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/bytecode.h"
#include "classfile/instrument_probe.h"
#include "classfile/probecode.h"
#include "classfile/stackmap.h"

struct arena;
struct classfile;
struct classfile_method;
struct outbuf;

/** One probe's part in the method that is being woven. */
struct weave_part {
    const struct instrument_probe *probe;
    struct probecode refs; /* for this class; zeroed at first */
    /* the number that the probe's calls pass; negative: it has no part in this method */
    int32_t number;
    enum instrument_verdict verdict;
};

/** A class, and memory that its methods use one after another; the memory is zeroed at first. */
struct weave {
    struct classfile *file;
    struct weave_part *parts; /* [part_count], at most INSTRUMENT_PROBES_MAX */
    uint32_t part_count;
    struct arena *arena;
    struct bytecode_room code_room;
    struct frames_room map_room;
    uint32_t *at; /* memory for codeplan.at */
    uint32_t at_cap;
};

/**
 * Append the contents of the method's new Code attribute to `o`. It has the probes of all parts
 * that fit and whose number is not negative. The verdict of each part says whether its probe was
 * injected; if none was, `o` is useless.
 *
 * Errors:  0; -ENOMEM or the error of `o`: the class cannot be injected.
 */
int weave_code(struct weave *w, const struct classfile_method *m, struct outbuf *o);
