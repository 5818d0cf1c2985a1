/*
 * options_group.h - an engine's part of the option string: its rows, the words that ask for it,
 * what it means for the file, and what it cannot be combined with.
 *
 * Each engine has one file options_NAME.c with one const group, and a header with the struct that
 * the rows of the group fill. The engine reads that struct with options_NAME_of(). The list of
 * engines in src/meson.build is the registry; no other place names a group. Something that several
 * engines use, such as the frozen heap, has a group too, which is listed in
 * src/options/meson.build.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"
#include "options/options_row.h"

/** The meaning of the chosen options for code that knows no engine. 0: nothing is measured. */
enum options_mark {
    OPTIONS_MARK_ASKED = 1,   /* something is measured */
    OPTIONS_MARK_SAMPLES = 2, /* the file is a file of samples */
    OPTIONS_MARK_OLD = 4,     /* the table is in the old prof format */
    OPTIONS_MARK_HEAP = 8,    /* the engine tells about allocation */
    /* contents of objects are in the file: no other user may read it, and ids are as wide as the
     * heap needs */
    OPTIONS_MARK_OBJECTS = 16,
    OPTIONS_MARK_ALL_TRACES = 32, /* the file has all traces, not only those of a table */
    OPTIONS_MARK_COUNTS = 64,     /* the engine has its own quality counts */
    OPTIONS_MARK_TRACKED = 128,   /* the engine needs to know where objects were allocated */
    /* the engine writes the allocation site of each object */
    OPTIONS_MARK_OBJECT_SITES = 256,
    OPTIONS_MARK_FROZEN = 512, /* the engine reads a frozen heap */
    /* the engine writes the table of sites; a file has only one */
    OPTIONS_MARK_SITES = 1024,
    OPTIONS_MARK_ENTERS = 2048,   /* the engine counts contended enters */
    OPTIONS_MARK_WATCHES = 4096,  /* a trigger: options_on.h */
    OPTIONS_MARK_WAITS = 8192,    /* a trigger that begins the recording */
    OPTIONS_MARK_STEERED = 16384, /* a trigger that ends or writes the recording */
    OPTIONS_MARK_MOMENTS = 32768, /* what the engine measures are events, each with its time */
    /* the file has no records that a file of the JVM itself does not have */
    OPTIONS_MARK_PLAIN = 65536,
    OPTIONS_MARK_RENAMED = 131072, /* the file has other names of threads, code and fields */
};

/** A word that asks for this engine. For example `cpu=times` gives the value 1. */
struct options_ask {
    const char *option, *word; /* NULL: the end */
    int value;      /* for options_group_asked(); 0: the word does not ask for the engine */
    bool is_hidden; /* messages and the help do not list the word */
};

enum { OPTIONS_SETTING_PRESETS = 2 }; /* settings=default, profile */

/** A setting of an event of the JDK's Flight Recorder that stands for an option of the engine. */
struct options_setting {
    /* "jdk.ThreadPark"; NULL: the end. The rows of one event stand together. */
    const char *event;
    const char *name; /* "enabled" first; "threshold" */
    /* the row that it sets, of the group or of options_general.c. NULL for "enabled": the engine is
     * asked for with the value of its first word. */
    const char *option;
    const char *presets[OPTIONS_SETTING_PRESETS]; /* its values in the presets; NULL: unchanged */
    /* values may also be rates of all processors together: 500/s */
    bool is_throttle;
    /* for "enabled": a word that asks for the engine does not turn the event on */
    bool is_named_only;
};

struct options_group {
    const char *name; /* name of the engine */
    size_t bytes;     /* size of its own struct; 0: it has none */
    const void *defaults;
    const struct options_row *rows;
    const struct options_ask *asks;
    const struct options_setting *settings; /* NULL: it has no settings */
    /** Take a setting that is in no group's `settings`. Errors: 0; E_NOT_FOUND: this group does not
     * know it either; E_SYNTAX: wrong value; E_LIMIT: too many. NULL: the group takes none. */
    int (*take_setting)(void *own, const char *event, const char *name, const char *value);
    /**
     * Take a word of event= that is in no group's list: the name of an event that the kernel has.
     * `own` NULL: say only whether it is such a word. Errors: 0; E_NOT_FOUND: it is none; E_SYNTAX,
     * with the reason in `ret_why`. NULL: the group takes none.
     */
    int (*take_word)(void *own, const char *word, char *ret_why, size_t size);
    /**
     * Whether this machine can measure what was asked for: 0, or negative with the reason in
     * `ret_why`. It asks the kernel; the command calls it before it touches a JVM, and the engine
     * when it starts. NULL: every machine can.
     */
    int (*works_here)(const void *own, char *ret_why, size_t size);
    const char *asked_by; /* what asks for it; for "has no effect without" */
    /* the name of a row of which any value asks for the engine too; NULL: none */
    const char *asked_with;
    /**
     * The marks of what was asked for. `asked` is the value of the last word. NULL: see `serves`.
     */
    unsigned (*marks)(int asked, const void *own);
    /* the engine is wanted in each recording with this format=, and refused in others; 0: the
     * format does not matter */
    char of_format;
    /* recordings that run at one time may ask for it with different values */
    bool is_asked_apart;
    /* the engine is wanted if another one has one of these marks */
    unsigned serves;
    /* the kinds of events that it makes; a format whose files cannot hold one of them is refused.
     * 0: what it writes is no event */
    uint32_t kinds;
    const char *not_beside; /* why it is refused beside other engines; NULL: allowed */
};

/** All groups in the order of the list; NULL at the end. */
extern const struct options_group *const options_group_all[];

/** The group's own struct; its defaults if nothing was parsed. */
const void *options_group_own(const struct options *o, const struct options_group *group);

/** Whether everything that is measured is an event with a time, so that a recording is more than a
 * table. Context: any. */
bool options_group_has_moments(const struct options *o);
/** Whether the engine of this group is wanted, by the user or by another engine. Context: any. */
bool options_group_wanted(const struct options *o, const struct options_group *group);
/** The value (an enum of the group) of the last word that asked for this group; 0: no word did. */
int options_group_asked(const struct options *o, const struct options_group *group);
/** Whether the options turn off this event of the group's settings. Other events of the group may
 * be on. */
bool options_group_is_off(const struct options *o, const struct options_group *group,
                          const char *event);
/** The marks (enum options_mark) of all groups that are measured. */
unsigned options_group_marks(const struct options *o);
/** How many engines that are asked for have this mark. */
int options_group_count(const struct options *o, unsigned mark);

/**
 * Whether this machine can measure what the options ask for. Errors: 0; negative, with the reason
 * in `ret_why`.
 */
int options_group_works_here(const struct options *o, char *ret_why, size_t size);

/* ---- for the parser */

/**
 * Allocate the structs of all groups for one option string, with their defaults. NULL: no memory.
 */
struct options_own *options_group_new(void);
/** The writable struct of the group with index `i`. */
void *options_group_at(struct options_own *own, int i);
/**
 * Ask with the word `word` of `option`. Returns whether any engine has this word. The engines that
 * have it are noted in `own` (NULL: nowhere). The last word of an option counts; with `is_more` the
 * word with the greatest value counts.
 */
bool options_group_ask(struct options_own *own, const char *option, const char *word, bool is_more);
/** Ask with a word that is in no list: see options_group.take_word. `own` may be NULL. */
int options_group_take_word(struct options_own *own, const char *word, char *ret_why, size_t size);
/** A value was given to the row `name` of the group with index `i`: this may ask for the group. */
void options_group_ask_with(struct options_own *own, int i, const char *name);
/** Turn an event of the group with index `i` on or off. If all its events are off, the group is not
 * asked for. */
void options_group_turn(struct options_own *own, int i, const char *event, bool is_on);
/** The listed words of `option`, each once: "dump|sites". Returns how many there are. */
int options_group_words(const char *option, const char **ret_words, int max);
/** options_group_take() copies from `from` what it says about the group with index `i`.
 * options_group_drop() notes that the group is not asked for. */
void options_group_take(struct options_own *own, const struct options_own *from, int i);
void options_group_drop(struct options_own *own, int i);
/** Work out what is measured, after all words and the format are known. */
void options_group_settle(struct options_own *own, char format);

/*
 * options_general.c: the rows that no engine owns: options of the file and of all engines.
 */

extern const struct options_row options_general_rows[]; /* ends with a row without a name */
extern const struct options options_general_defaults;
