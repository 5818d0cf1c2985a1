/*
 * weave.h - the probes of one method, put into its code at once.
 *
 * What each probe inserts comes from probecode.h, where it goes from codeplan.h, and codemove.h
 * writes it. Here it is decided which of the probes fit: each one that would not fit into what the
 * earlier ones made of the method leaves it alone, and the others go on.
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

/** What one probe has to do with the method that is being woven. */
struct weave_part {
    const struct instrument_probe *probe;
    struct probecode refs; /* of the class: empty at first */
    int32_t number;        /* that the probe's calls pass; negative: it has no part in the method */
    enum instrument_verdict verdict;
};

/** A class, and memory that its methods use one after the other: empty at first. */
struct weave {
    struct classfile *file;
    struct weave_part *parts; /* [part_count], INSTRUMENT_PROBES_MAX at most */
    uint32_t part_count;
    struct arena *arena;
    struct bytecode_room code_room;
    struct frames_room map_room;
    uint32_t *at; /* struct codeplan's */
    uint32_t at_cap;
};

/**
 * Append the contents of the method's new Code attribute to `o`: with the probes of all parts whose
 * number is not negative and that fit. Their verdicts say which did; `o` is useless if none did.
 *
 * Errors:  0; -ENOMEM or what `o` remembers: then the class cannot be injected.
 */
int weave_code(struct weave *w, const struct classfile_method *m, struct outbuf *o);
