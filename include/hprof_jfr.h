/*
 * hprof_jfr.h - reads recordings of the JVM's Flight Recorder: libhprofjfr.so.
 *
 * The recordings may be of JDK 8u262 to 28, of Oracle's JDK 9 and 10, of async-profiler or of hprof
 * itself. A recording is a sequence of chunks. A chunk has types, constants and events, and can be
 * read without the others. The library reads one chunk at a time and gives its events one after the
 * other, in the order of the file, which is not exactly the order of time.
 *
 *     struct hprof_jfr_error error;
 *     struct hprof_jfr *jfr = hprof_jfr_open_file("app.jfr", NULL, &error);
 *     const struct hprof_jfr_event *event;
 *
 *     while (hprof_jfr_next(jfr, &event) == HPROF_JFR_EVENT)
 *         puts(hprof_jfr_type_name(hprof_jfr_event_type(event)));
 *     hprof_jfr_close(jfr);
 *
 * The library never prints, never ends the process, installs no signal handler, starts no thread,
 * and has no state outside of its handles.
 *
 * Threads: any number of handles may be used at the same time by as many threads. One handle, and
 * all that it has given, may be used by one thread at a time. No function may be called in a signal
 * handler.
 *
 * Lifetimes: what a handle gives (events, types, fields, values, stacks, texts) belongs to the
 * handle. Events, values, stacks and texts are valid until the next call of hprof_jfr_next(),
 * hprof_jfr_next_chunk() or hprof_jfr_close(). Types and fields, and their texts, are valid until
 * the next chunk begins: no call but these three can begin one.
 *
 * NULL may be passed for a handle, an event, a type or a field: the result is NULL, 0, false or
 * HPROF_JFR_ARGUMENT.
 *
 * Texts are UTF-8 and end with a 0. Illegal characters of the file are U+FFFD in them.
 *
 * Memory: a handle takes at most as many bytes as its limit says (struct hprof_jfr_options). What
 * needs more fails with HPROF_JFR_LIMIT. The work for a chunk is in proportion to its bytes.
 * Constants may lead to each other in circles: who follows them without a plan must count how deep
 * it is.
 *
 * Times are ns since 1970-01-01T00:00:00Z, spans are ns. INT64_MIN is an unknown time or span;
 * INT64_MAX is the span of what has not ended.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hprof_jfr;       /* a recording that is being read */
struct hprof_jfr_event; /* the present event of a handle */
struct hprof_jfr_type;  /* what events or values of one type consist of */
struct hprof_jfr_field; /* a field of a type */

/** What functions return. Errors are negative. */
enum hprof_jfr_code {
    HPROF_JFR_END = 0, /* the recording has no more events, or no more chunks */
    HPROF_JFR_OK = 0,
    HPROF_JFR_EVENT = 1, /* there is an event */
    HPROF_JFR_CHUNK = 1, /* there is a chunk */
    HPROF_JFR_WAIT = 2,  /* a live repository has nothing new now; ask again later */

    HPROF_JFR_SYSTEM = -1,   /* a call of the system failed: see system_error */
    HPROF_JFR_MEMORY = -2,   /* the system has no memory */
    HPROF_JFR_LIMIT = -3,    /* more memory would be needed than memory_limit says */
    HPROF_JFR_FORMAT = -4,   /* this is no JFR recording */
    HPROF_JFR_VERSION = -5,  /* the recording has a version that is not known */
    HPROF_JFR_DAMAGED = -6,  /* the recording is cut or damaged, and salvage was not asked for */
    HPROF_JFR_ARGUMENT = -7, /* an argument makes no sense */
    HPROF_JFR_NO_FIELD = -8, /* the type has no such field */
    HPROF_JFR_NO_VALUE = -9, /* the field is null, or the array has no such element */
    HPROF_JFR_KIND = -10,    /* the value is of another kind than was asked for */
    HPROF_JFR_STALE = -11,   /* the value belongs to an earlier event */
};

/** Why a call failed. */
struct hprof_jfr_error {
    int code;           /* enum hprof_jfr_code; HPROF_JFR_OK: the call did not fail */
    int system_error;   /* an errno for HPROF_JFR_SYSTEM; otherwise 0 */
    uint64_t offset;    /* where in the file, in bytes */
    const char *detail; /* what is wrong, in English; static, never NULL */
    /* Which file of a repository; NULL: there is only one file. Valid until the next call. */
    const char *file;
    uint64_t reserved[3]; /* 0 */
};

/** How a recording is read. Set everything else to 0. */
struct hprof_jfr_options {
    size_t size; /* sizeof(struct hprof_jfr_options) */
    /* The most memory in bytes that the handle may take; 0: 256 MB. Bytes that the caller gave to
     * hprof_jfr_open_memory() do not count. A recording of a JVM needs as many bytes as its
     * largest chunk has, mostly 12 to 16 MB, and 2 MB more. */
    size_t memory_limit;
    /* The names of the events that are wanted, with NULL at the end: "jdk.ExecutionSample",
     * "ExecutionSample", "jdk.GC*". A text may have several with commas between them. NULL: all
     * events. The texts are copied. */
    const char *const *events;
    /* Pass over what is damaged and go on; hprof_jfr_get_lost() says what was passed over. If
     * false, the first damage is an error and the end of the reading. */
    bool salvage;
    /* Read no constants: stacks, threads, classes and most texts are null, and a chunk is opened
     * faster. For programs that need types, times and plain numbers only. */
    bool no_constants;
    /* Of a repository: begin with its newest chunk, and leave out what was written before it was
     * opened. */
    bool only_new;
};

/**
 * Open a file, memory, or the repository of a running JVM.
 *
 * A file must be a regular file; it stays open until the handle is closed, and bytes that are
 * written to it later are not read. Memory stays the caller's, and must stay as it is until the
 * handle is closed. A repository is the folder of chunk files that a running JVM writes; what
 * `jcmd PID JFR.configure` calls "Repository path" is the folder above it, or it itself. Its files
 * are read in the order of their names, from the oldest on; events become visible when the JVM
 * flushes them, as a rule once a second (JDK 14 and later; before that, when a chunk ends). Files
 * that the JVM has removed in the meantime are passed over without a word. `folder` may also be one
 * of its files, which is then followed alone.
 *
 * Shape:   `options` may be NULL. `ret_error` may be NULL; it is always written otherwise.
 * Errors:  NULL, and *ret_error says why: SYSTEM, MEMORY, LIMIT, FORMAT, VERSION, ARGUMENT.
 * Context: any thread, not signal.   Owner: hprof_jfr_close().
 */
struct hprof_jfr *hprof_jfr_open_file(const char *path, const struct hprof_jfr_options *options,
                                      struct hprof_jfr_error *ret_error);
struct hprof_jfr *hprof_jfr_open_memory(const void *bytes, size_t len,
                                        const struct hprof_jfr_options *options,
                                        struct hprof_jfr_error *ret_error);
struct hprof_jfr *hprof_jfr_open_repository(const char *folder,
                                            const struct hprof_jfr_options *options,
                                            struct hprof_jfr_error *ret_error);
/** Free the handle and all that it has given. NULL is no handle, and nothing is done. */
void hprof_jfr_close(struct hprof_jfr *jfr);

/**
 * Get the next event that is wanted. Begins the next chunk when the present one has no more events.
 *
 * Returns HPROF_JFR_EVENT and the event; HPROF_JFR_END; HPROF_JFR_WAIT, of a repository only. A
 * repository ends when its JVM has ended or its recording was stopped; if the JVM begins another
 * recording, later calls give its events. The repository of a JVM that was killed has no end: a
 * program that waits looks whether the process is there.
 * Errors:  SYSTEM, MEMORY, LIMIT, VERSION, DAMAGED. After an error each call returns the same.
 */
int hprof_jfr_next(struct hprof_jfr *jfr, const struct hprof_jfr_event **ret_event);
/**
 * Begin the next chunk, whatever is left of the present one. So a program can read the types alone.
 *
 * Returns HPROF_JFR_CHUNK, HPROF_JFR_END or HPROF_JFR_WAIT. In a repository the same chunk begins
 * again when the JVM has written more of it; events that were given are not given again.
 * Errors:  as hprof_jfr_next().
 */
int hprof_jfr_next_chunk(struct hprof_jfr *jfr);
/** Why the last call that took the handle or its event failed. Valid until the next such call. */
const struct hprof_jfr_error *hprof_jfr_last_error(const struct hprof_jfr *jfr);
/** A short English sentence for a code; static, never NULL. Context: any thread. */
const char *hprof_jfr_strerror(int code);

/** The header of the present chunk. */
struct hprof_jfr_chunk {
    uint64_t offset;         /* where the chunk begins in its file */
    uint64_t size;           /* bytes that can be read of it, with its header */
    int64_t start_ns;        /* since the epoch */
    int64_t duration_ns;     /* 0: its writer has not set it yet */
    double ticks_per_second; /* of the clock of its events */
    int64_t gmt_offset_ms;   /* time zone of the machine that recorded */
    uint16_t major, minor;   /* version of the format */
    bool is_finished;        /* false: it is cut, or its writer has not finished it */
    bool is_last;            /* it says that it is the last one of its recording */
    uint64_t reserved[4];    /* 0 */
};

/** Errors: NO_VALUE: no chunk has begun yet, or all have ended. */
int hprof_jfr_get_chunk(const struct hprof_jfr *jfr, struct hprof_jfr_chunk *ret_chunk);

/** What was passed over so far. */
struct hprof_jfr_lost {
    uint64_t places;          /* damaged places */
    uint64_t bytes;           /* bytes that were skipped in them */
    uint64_t first_offset;    /* where the first one is, in its file */
    const char *first_reason; /* what is wrong there; static; NULL: there is none */
    uint64_t unknown_events;  /* events of types that their chunk does not declare; no damage */
    uint64_t reserved[3];     /* 0 */
};

void hprof_jfr_get_lost(const struct hprof_jfr *jfr, struct hprof_jfr_lost *ret_lost);

/* ---- types and fields */

/** How many types of events the present chunk declares, and one of them; NULL: there are not so
 * many. Types that the options do not want are among them. */
size_t hprof_jfr_type_count(const struct hprof_jfr *jfr);
const struct hprof_jfr_type *hprof_jfr_type_at(const struct hprof_jfr *jfr, size_t number);
/** The type of the present chunk with this name, also if it is no event; NULL: none. */
const struct hprof_jfr_type *hprof_jfr_type_find(const struct hprof_jfr *jfr, const char *name);

/** Such as "jdk.ExecutionSample". Names of JDK 9 and 10 are given as JDK 11 has them. */
const char *hprof_jfr_type_name(const struct hprof_jfr_type *type);
/** The number of the type in its chunk. Other chunks may give the number to other types. */
uint64_t hprof_jfr_type_id(const struct hprof_jfr_type *type);
bool hprof_jfr_type_is_event(const struct hprof_jfr_type *type);
/** Such as "Method Profiling Sample"; NULL: none. */
const char *hprof_jfr_type_label(const struct hprof_jfr_type *type);
/** Level `number` of the category, from the outermost (0) on; NULL: there are not so many. */
const char *hprof_jfr_type_category(const struct hprof_jfr_type *type, size_t number);
/** The element `key` (mostly "value") of an annotation, such as "jdk.jfr.Description"; NULL: none.
 * An element that is an array has the keys "value-0", "value-1" and so on. */
const char *hprof_jfr_type_annotation(const struct hprof_jfr_type *type, const char *annotation,
                                      const char *key);
size_t hprof_jfr_type_field_count(const struct hprof_jfr_type *type);
/** A field by its index, or by its name; NULL: none. */
const struct hprof_jfr_field *hprof_jfr_type_field(const struct hprof_jfr_type *type,
                                                   size_t number);
const struct hprof_jfr_field *hprof_jfr_type_field_named(const struct hprof_jfr_type *type,
                                                         const char *name);

/** What the number in a field means. */
enum hprof_jfr_content {
    HPROF_JFR_PLAIN,
    HPROF_JFR_TIME,      /* a moment: hprof_jfr_value_ns() converts it */
    HPROF_JFR_SPAN,      /* a length of time: hprof_jfr_value_ns() converts it */
    HPROF_JFR_BYTES,     /* an amount of bytes */
    HPROF_JFR_BITS,      /* an amount of bits */
    HPROF_JFR_HERTZ,     /* a frequency */
    HPROF_JFR_BYTE_RATE, /* bytes in a second */
    HPROF_JFR_BIT_RATE,  /* bits in a second */
    HPROF_JFR_SHARE,     /* a share; 1 is the whole */
    HPROF_JFR_ADDRESS,   /* an address in memory */
};

const char *hprof_jfr_field_name(const struct hprof_jfr_field *field);
/** NULL: none. */
const char *hprof_jfr_field_label(const struct hprof_jfr_field *field);
/** Such as "long", "java.lang.String", "jdk.types.StackTrace"; of an array that of an element. */
const char *hprof_jfr_field_type_name(const struct hprof_jfr_field *field);
/** The type itself, whose fields may be asked for; NULL: the file does not declare it. */
const struct hprof_jfr_type *hprof_jfr_field_type(const struct hprof_jfr_field *field);
enum hprof_jfr_content hprof_jfr_field_content(const struct hprof_jfr_field *field);
bool hprof_jfr_field_is_array(const struct hprof_jfr_field *field);
/** Whether the number has no sign. Of the types byte, short and int the value has none, then; a
 * long must be converted to uint64_t. */
bool hprof_jfr_field_is_unsigned(const struct hprof_jfr_field *field);
/** As hprof_jfr_type_annotation(). */
const char *hprof_jfr_field_annotation(const struct hprof_jfr_field *field, const char *annotation,
                                       const char *key);

/* ---- values */

enum hprof_jfr_kind {
    HPROF_JFR_NULL,
    HPROF_JFR_BOOLEAN,
    HPROF_JFR_INTEGER, /* byte, char, short, int, long */
    HPROF_JFR_DOUBLE,  /* float, double */
    HPROF_JFR_STRING,
    HPROF_JFR_STRUCT, /* a value with fields: a thread, a class, a stack, an event */
    HPROF_JFR_ARRAY,
};

/** A value. It may be copied as long as it is valid; it takes no memory of its own. */
struct hprof_jfr_value {
    enum hprof_jfr_kind kind;
    int64_t integer;    /* of INTEGER; of BOOLEAN 0 or 1 */
    double real;        /* of DOUBLE */
    const char *string; /* of STRING; otherwise NULL */
    /* bytes of STRING without the final 0, fields of STRUCT, elements of ARRAY; otherwise 0 */
    size_t count;
    const struct hprof_jfr_field *field; /* whose value this is; NULL: that of no field */
    const struct hprof_jfr_type *type;   /* its type; of ARRAY that of its elements */
    uint64_t private_[28];               /* the library's */
};

/**
 * The value of a field of an event, by its name or by a path of names: "sampledThread.javaName",
 * "stackTrace.frames". A field of a null is null. An empty path means the event itself, as STRUCT.
 *
 * Errors:  NO_FIELD: the types have no such field; LIMIT, MEMORY: the text has no room;
 *          ARGUMENT. *ret_value is NULL, then.
 */
int hprof_jfr_event_value(const struct hprof_jfr_event *event, const char *path,
                          struct hprof_jfr_value *ret_value);
/** The same for a value of the kind STRUCT. Errors: as above; KIND, STALE. */
int hprof_jfr_value_named(const struct hprof_jfr_value *object, const char *path,
                          struct hprof_jfr_value *ret_value);
/** A field of STRUCT by its index. Errors: KIND, STALE, NO_FIELD, LIMIT, MEMORY. */
int hprof_jfr_value_field(const struct hprof_jfr_value *object, size_t number,
                          struct hprof_jfr_value *ret_value);
/** An element of ARRAY. Elements are found fast when they are asked for in their order. Errors:
 * KIND, STALE, LIMIT, MEMORY; NO_VALUE: the array has not so many. */
int hprof_jfr_value_element(struct hprof_jfr_value *array, size_t number,
                            struct hprof_jfr_value *ret_value);
/** A moment in ns since the epoch, or a span in ns, of an INTEGER whose field is TIME or SPAN. What
 * does not fit 64 bits is INT64_MAX or INT64_MIN + 1. Errors: KIND, STALE. */
int hprof_jfr_value_ns(const struct hprof_jfr_value *value, int64_t *ret_ns);
/** The name of a class as Java writes it ("java.util.Map$Entry", "char[][]"), of a STRUCT of the
 * type java.lang.Class. Errors: KIND, STALE, NO_VALUE, LIMIT, MEMORY. */
int hprof_jfr_value_class_name(const struct hprof_jfr_value *value, const char **ret_name);

/**
 * The field of an event with this path as one kind. Integers can be read as double.
 *
 * Errors:  as hprof_jfr_event_value(); KIND; NO_VALUE: the field is null. *ret is 0, false or NULL,
 *          then; *ret_ns is INT64_MIN.
 */
int hprof_jfr_event_integer(const struct hprof_jfr_event *event, const char *path, int64_t *ret);
int hprof_jfr_event_double(const struct hprof_jfr_event *event, const char *path, double *ret);
int hprof_jfr_event_boolean(const struct hprof_jfr_event *event, const char *path, bool *ret);
int hprof_jfr_event_string(const struct hprof_jfr_event *event, const char *path, const char **ret);
int hprof_jfr_event_ns(const struct hprof_jfr_event *event, const char *path, int64_t *ret_ns);
int hprof_jfr_event_class_name(const struct hprof_jfr_event *event, const char *path,
                               const char **ret_name);

/* ---- what most events have */

const struct hprof_jfr_type *hprof_jfr_event_type(const struct hprof_jfr_event *event);
/** The moment at which the event began; INT64_MIN: its type has no field startTime. */
int64_t hprof_jfr_event_start_ns(const struct hprof_jfr_event *event);
/** How long the event took; 0: its type has no field duration. */
int64_t hprof_jfr_event_duration_ns(const struct hprof_jfr_event *event);
/** Where the record of the event begins in its file, and how many bytes it has. */
uint64_t hprof_jfr_event_offset(const struct hprof_jfr_event *event);
uint64_t hprof_jfr_event_size(const struct hprof_jfr_event *event);

/** A thread. Texts may be NULL; ids are 0 if they are not known. */
struct hprof_jfr_thread {
    const char *java_name;
    const char *os_name;
    const char *group; /* the name of its thread group */
    int64_t java_id;   /* Thread.getId() */
    int64_t os_id;     /* the number that the system gave it */
    bool is_virtual;
    uint64_t reserved[3]; /* 0 */
};

/** The thread of an event: its field eventThread, otherwise sampledThread. Errors: NO_FIELD: its
 * type has neither; NO_VALUE: it is null; LIMIT, MEMORY. */
int hprof_jfr_event_thread(const struct hprof_jfr_event *event,
                           struct hprof_jfr_thread *ret_thread);
/** The thread that a value of the type java.lang.Thread is. Errors: KIND, STALE, NO_VALUE, LIMIT,
 * MEMORY. */
int hprof_jfr_value_thread(const struct hprof_jfr_value *value,
                           struct hprof_jfr_thread *ret_thread);

/** A stack. It may be copied as long as it is valid; it takes no memory of its own. */
struct hprof_jfr_stack {
    size_t frame_count;
    bool is_truncated;     /* the recorder had no room for the outermost frames */
    uint64_t private_[32]; /* the library's */
};

/** How the code of a frame ran. */
enum hprof_jfr_frame_kind {
    HPROF_JFR_FRAME_OTHER, /* the file says something else, or nothing */
    HPROF_JFR_FRAME_INTERPRETED,
    HPROF_JFR_FRAME_JIT,     /* compiled; by which compiler is not known */
    HPROF_JFR_FRAME_C1,      /* compiled by C1 (async-profiler and hprof) */
    HPROF_JFR_FRAME_INLINED, /* compiled into its caller */
    HPROF_JFR_FRAME_NATIVE,  /* a Java method that is written in C */
    HPROF_JFR_FRAME_C,       /* a function of C or C++ (async-profiler and hprof) */
    HPROF_JFR_FRAME_KERNEL,  /* a function of the kernel (async-profiler and hprof) */
};

struct hprof_jfr_frame {
    /* As Java writes it: "java.util.HashMap". Of a function of C its library. NULL: not known */
    const char *class_name;
    const char *method_name; /* NULL: not known */
    const char *signature;  /* the method's descriptor, "(ILjava/lang/String;)V"; NULL: not known */
    int32_t line;           /* -1: not known */
    int32_t bytecode_index; /* -1: not known */
    enum hprof_jfr_frame_kind kind;
    uint64_t reserved[3]; /* 0 */
};

/** The stack of an event: its field stackTrace. Errors: NO_FIELD: its type has none; NO_VALUE: it
 * is null. */
int hprof_jfr_event_stack(const struct hprof_jfr_event *event, struct hprof_jfr_stack *ret_stack);
/** The stack that a value of the type jdk.types.StackTrace is. Errors: KIND, STALE, NO_VALUE. */
int hprof_jfr_value_stack(const struct hprof_jfr_value *value, struct hprof_jfr_stack *ret_stack);
/** A frame; 0 is the innermost one. Frames are found fast when they are asked for in their order.
 * Errors: NO_VALUE: the stack has not so many; STALE, LIMIT, MEMORY. */
int hprof_jfr_stack_frame(struct hprof_jfr_stack *stack, size_t number,
                          struct hprof_jfr_frame *ret_frame);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
