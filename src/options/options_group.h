/*
 * options_group.h - what an engine owns of the option string: its rows, the words that ask for it,
 * what it means for the file, and what it cannot stand beside.
 *
 * Each engine has one file options_NAME.c with one const group, and a header with the struct that
 * the group's rows fill, which the engine reads by options_NAME_of(). The list of engines in
 * src/meson.build is the registry: nothing else names a group. What several engines stand on (the
 * frozen heap) has a group likewise, listed in src/options/meson.build.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"
#include "options/options_row.h"

/** What a recording means for those who know no engine; 0: nothing is measured. */
enum options_mark {
    OPTIONS_MARK_ASKED = 1,       /* it is measured */
    OPTIONS_MARK_SAMPLES = 2,     /* the file is one of samples */
    OPTIONS_MARK_OLD = 4,         /* its table is in the old prof format */
    OPTIONS_MARK_HEAP = 8,        /* it tells of allocation */
    OPTIONS_MARK_OBJECTS = 16,    /* what objects hold is in the file: nobody else may read it, and
                                     ids are as wide as the heap needs */
    OPTIONS_MARK_ALL_TRACES = 32, /* the file has all traces, not only those of a table */
    OPTIONS_MARK_COUNTS = 64,     /* it has quality counts of its own */
    OPTIONS_MARK_TRACKED = 128,   /* it wants to know where objects were allocated, */
    OPTIONS_MARK_OBJECT_SITES = 256, /* and says it of each object */
    OPTIONS_MARK_FROZEN = 512,       /* it reads a frozen heap */
    OPTIONS_MARK_SITES = 1024,    /* its table is the one of sites, of which a file has one only */
    OPTIONS_MARK_ENTERS = 2048,   /* it counts contended enters */
    OPTIONS_MARK_WATCHES = 4096,  /* a trigger, options_on.h, */
    OPTIONS_MARK_WAITS = 8192,    /* that begins the recording, */
    OPTIONS_MARK_STEERED = 16384, /* or ends or writes it */
    OPTIONS_MARK_MOMENTS = 32768, /* what it measures are events, each with its time */
    OPTIONS_MARK_PLAIN = 65536,   /* no records in its file that the JVM's own has not */
};

/** A word that asks for this engine: `cpu=times` gives the value 1. */
struct options_ask {
    const char *option, *word; /* NULL at the end */
    int value;                 /* options_group_asked(); 0: does not ask for it */
    bool is_hidden;            /* not among the words that messages and the help list */
};

enum { OPTIONS_SETTING_PRESETS = 2 }; /* settings=default, profile */

/** A setting of an event of the JDK's Flight Recorder that stands for an option of the engine. */
struct options_setting {
    const char *event;  /* "jdk.ThreadPark"; NULL at the end. Those of one event stand together, */
    const char *name;   /* "enabled" first; "threshold" */
    const char *option; /* the row that it sets: of the group, or of all. NULL, of "enabled": the
                           engine is asked for with the value of its first word */
    const char *presets[OPTIONS_SETTING_PRESETS]; /* its values there; NULL: as it is */
    bool is_throttle;   /* its values may be rates of all processors together, too: 500/s */
    bool is_named_only; /* of "enabled": a word that asks for the engine leaves the event off */
};

struct options_group {
    const char *name; /* of the engine */
    size_t bytes;     /* of its own struct; 0: it has none */
    const void *defaults;
    const struct options_row *rows;
    const struct options_ask *asks;
    const struct options_setting *settings; /* NULL: it understands none */
    /** A setting that is in nobody's list. Errors: 0; E_NOT_FOUND it is none of this group's
     * either; E_SYNTAX its value is none; E_LIMIT there are too many. NULL: the group takes none.
     */
    int (*take_setting)(void *own, const char *event, const char *name, const char *value);
    const char *asked_by;   /* what asks for it, for "has no effect without" */
    const char *asked_with; /* the name of a row of which any value asks for it, too; NULL: none */
    /** Marks of what was asked for; `asked` is the value of the last word. NULL: see `serves`. */
    unsigned (*marks)(int asked, const void *own);
    char of_format;         /* it is wanted in each recording whose format= this is, and is for
                             * no other; 0: the format does not matter */
    bool is_asked_apart;    /* recordings at one time may ask for it with different values */
    unsigned serves;        /* it is wanted where another one has a mark of these */
    const char *not_binary; /* why it is refused with format=b; NULL: it is not */
    const char *not_beside; /* why it is refused beside others; NULL: it is not */
};

/** In the order of the list; NULL at the end. */
extern const struct options_group *const options_group_all[];

/** The group's own struct, or its defaults where nothing was parsed. */
const void *options_group_own(const struct options *o, const struct options_group *group);

/** Whether all that is measured are events with their times, of which a recording is more than a
 * table. Context: any. */
bool options_group_has_moments(const struct options *o);
/** Whether the engine of this group is wanted, directly or by another one. Context: any. */
bool options_group_wanted(const struct options *o, const struct options_group *group);
/** The value of the last word that asked for this group (its own enum); 0: none did. */
int options_group_asked(const struct options *o, const struct options_group *group);
/** Whether the options turn off this event of the group's settings, which may be on for others. */
bool options_group_is_off(const struct options *o, const struct options_group *group,
                          const char *event);
/** All marks (enum options_mark) of what is measured. */
unsigned options_group_marks(const struct options *o);
/** How many engines are asked for that have this mark. */
int options_group_count(const struct options *o, unsigned mark);

/* ---- for the parser */

/** Room for the groups of one option string, with their defaults; NULL without memory. */
struct options_own *options_group_new(void);
/** The group at place `i` of the list, writable. */
void *options_group_at(struct options_own *own, int i);
/**
 * Whether any engine is asked by the word `word` of `option`; those that are, are noted in
 * `own` (NULL: nowhere). The last word of an option counts, or, where `is_more`, that with the
 * greatest value.
 */
bool options_group_ask(struct options_own *own, const char *option, const char *word, bool is_more);
/** A value was given to the row `name` of the group at place `i`: it may ask for the group. */
void options_group_ask_with(struct options_own *own, int i, const char *name);
/** The group at place `i` shall measure this event of its settings, or not; without any of them
 * nobody asks for it. */
void options_group_turn(struct options_own *own, int i, const char *event, bool is_on);
/** The words of `option` that are listed, each once: "dump|sites"; returns how many there are. */
int options_group_words(const char *option, const char **ret_words, int max);
/** The group at place `i` has what `from` says of it; nobody asks for it any more. */
void options_group_take(struct options_own *own, const struct options_own *from, int i);
void options_group_drop(struct options_own *own, int i);
/** All words are known, and the format: work out what is measured. */
void options_group_settle(struct options_own *own, char format);
