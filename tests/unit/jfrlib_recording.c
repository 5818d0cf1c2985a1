/* jfrlib_recording.c - how libhprofjfr opens recordings: whole, cut, damaged, within a limit of
 * memory, and a repository that grows.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "jfrlib_reading.h"
#include "testfile.h"

enum { CUT_STEP = 64, KB = 1 << 10, MB = 1 << 20 };

static unsigned char *bytes;
static size_t len, first_len; /* of the file and of its first chunk */

static int read_small(void **state)
{
    struct hprof_jfr_chunk chunk;
    (void)state;
    bytes = jfrlib_reading_bytes("small.jfr", &len);
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    assert_int_equal(hprof_jfr_next_chunk(jfr), HPROF_JFR_CHUNK);
    assert_int_equal(hprof_jfr_get_chunk(jfr, &chunk), HPROF_JFR_OK);
    first_len = chunk.size;
    hprof_jfr_close(jfr);
    return 0;
}

static int free_small(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

/* Where the event with this number ends in the first chunk. */
static size_t end_of_event(int number)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    const struct hprof_jfr_event *event;
    for (int i = 0; i <= number; i++)
        assert_int_equal(hprof_jfr_next(jfr, &event), HPROF_JFR_EVENT);
    size_t end = hprof_jfr_event_offset(event) + hprof_jfr_event_size(event);
    hprof_jfr_close(jfr);
    return end;
}

static const struct hprof_jfr_options salvage = {.size = sizeof(salvage), .salvage = true};

static void a_whole_recording_has_all_its_events(void **state)
{
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, NULL);
    struct hprof_jfr_lost lost;
    unsigned count;
    (void)state;
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK);
    hprof_jfr_get_lost(jfr, &lost);
    assert_int_equal(lost.places, 0);
    assert_null(lost.first_reason);
    assert_int_equal(lost.unknown_events, CHUNKS);
    assert_int_equal(hprof_jfr_last_error(jfr)->code, HPROF_JFR_OK);
    hprof_jfr_close(jfr);
}

static void a_file_is_read_as_memory_is(void **state)
{
    char path[4096];
    unsigned count;
    (void)state;
    snprintf(path, sizeof(path), "%s/jfr/small.jfr", getenv("TEST_DATA"));
    struct hprof_jfr *jfr = hprof_jfr_open_file(path, NULL, NULL);
    assert_non_null(jfr);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK);
    hprof_jfr_close(jfr);
}

static unsigned count_wanted(const char *const *names)
{
    const struct hprof_jfr_options options = {.size = sizeof(options), .events = names};
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, &options);
    unsigned count;
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    hprof_jfr_close(jfr);
    return count;
}

static void only_the_wanted_events_come(void **state)
{
    (void)state;
    assert_int_equal(count_wanted((const char *const[]){"Small", NULL}), CHUNKS);
    assert_int_equal(count_wanted((const char *const[]){"test.Small", "jdk.*", NULL}),
                     CHUNKS * (1 + SAMPLES_OF_A_CHUNK));
    assert_int_equal(count_wanted((const char *const[]){"none", NULL}), 0);
    assert_int_equal(count_wanted((const char *const[]){NULL}), 0);
}

static void without_constants_times_are_there_and_stacks_are_not(void **state)
{
    const struct hprof_jfr_options options = {.size = sizeof(options), .no_constants = true};
    struct hprof_jfr *jfr = jfrlib_reading_open(bytes, len, &options);
    const struct hprof_jfr_event *event = jfrlib_reading_next(jfr, "jdk.ExecutionSample");
    struct hprof_jfr_stack stack;
    (void)state;
    assert_int_equal(hprof_jfr_event_stack(event, &stack), HPROF_JFR_NO_VALUE);
    assert_true(hprof_jfr_event_start_ns(event) == INT64_C(1700000000000005003));
    hprof_jfr_close(jfr);
}

/* The first `size` bytes, in memory of just that size. */
static int read_cut(size_t size, const struct hprof_jfr_options *options, unsigned *ret_events,
                    struct hprof_jfr_lost *ret_lost)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    struct hprof_jfr_error error;
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    struct hprof_jfr *jfr = hprof_jfr_open_memory(copy, size, options, &error);
    int code = error.code;
    *ret_events = 0;
    *ret_lost = (struct hprof_jfr_lost){0};
    if (jfr) {
        code = jfrlib_reading_all(jfr, ret_events);
        hprof_jfr_get_lost(jfr, ret_lost);
        assert_int_equal(hprof_jfr_last_error(jfr)->code, code);
        assert_true(hprof_jfr_last_error(jfr)->offset <= size);
    }
    hprof_jfr_close(jfr);
    free(copy);
    return code;
}

static void a_recording_cut_at_each_64th_byte_is_salvaged_or_refused(void **state)
{
    unsigned before = 0, whole, salvaged;
    struct hprof_jfr_lost lost;
    (void)state;
    for (size_t size = 0; size < len; size += CUT_STEP) {
        if (size == first_len) /* the first chunk alone is a whole recording */
            continue;
        int code = read_cut(size, NULL, &whole, &lost);
        assert_int_equal(code, size < 8 ? HPROF_JFR_FORMAT : HPROF_JFR_DAMAGED);
        assert_int_equal(whole, size < first_len ? 0 : EVENTS_OF_A_CHUNK);
        code = read_cut(size, &salvage, &salvaged, &lost);
        assert_int_equal(code, size < 8 ? HPROF_JFR_FORMAT : HPROF_JFR_END);
        assert_true(salvaged >= before && salvaged >= whole);
        assert_true(salvaged < CHUNKS * EVENTS_OF_A_CHUNK);
        if (size >= 8) {
            assert_true(lost.places > 0 && lost.first_offset <= size && lost.bytes < len);
            assert_non_null(lost.first_reason);
        }
        before = salvaged;
    }
    assert_int_equal(read_cut(first_len, NULL, &whole, &lost), HPROF_JFR_END);
    assert_int_equal(whole, EVENTS_OF_A_CHUNK);
}

/* The second event of the first chunk has no size. */
static void what_is_damaged_is_passed_over_or_an_error(void **state)
{
    unsigned char saved[4];
    unsigned count;
    struct hprof_jfr_lost lost;
    const size_t at = end_of_event(0);
    (void)state;
    memcpy(saved, bytes + at, sizeof(saved));
    memset(bytes + at, 0, sizeof(saved));
    assert_int_equal(read_cut(len, &salvage, &count, &lost), HPROF_JFR_END);
    assert_int_equal(count, 1 + EVENTS_OF_A_CHUNK);
    assert_int_equal(lost.places, 1);
    assert_int_equal(lost.first_offset, at);
    assert_int_equal(lost.bytes, first_len - at);
    assert_int_equal(read_cut(len, NULL, &count, &lost), HPROF_JFR_DAMAGED);
    assert_int_equal(count, 1);
    memcpy(bytes + at, saved, sizeof(saved));
}

/* The text of the third event claims more bytes than its record has. */
static void an_event_that_is_longer_than_its_record_is_damage(void **state)
{
    static const unsigned char plain[] = {3, 5, 'p', 'l', 'a', 'i', 'n'};
    unsigned char *text = memmem(bytes, len, plain, sizeof(plain));
    struct hprof_jfr_lost lost;
    unsigned count;
    (void)state;
    assert_non_null(text);
    text[1] = 100;
    assert_int_equal(read_cut(len, &salvage, &count, &lost), HPROF_JFR_END);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK - 1);
    assert_int_equal(lost.places, 1);
    assert_true(lost.bytes > 40 && lost.bytes < 100);
    assert_true(bytes + lost.first_offset < text && bytes + lost.first_offset + lost.bytes > text);
    assert_int_equal(read_cut(len, NULL, &count, &lost), HPROF_JFR_DAMAGED);
    assert_int_equal(count, 2);
    text[1] = 5;
}

static void what_is_no_recording_is_refused(void **state)
{
    static const unsigned char old[] = {'F', 'L', 'R', 0, 0, 0, 0, 9, 0, 0};
    struct hprof_jfr_options odd = {.size = 1};
    struct hprof_jfr_error error;
    char folder[] = "/tmp/hprof-jfrlib-XXXXXX";
    (void)state;
    assert_null(hprof_jfr_open_memory(NULL, 0, NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_FORMAT);
    assert_string_equal(error.detail, "the file is empty");
    assert_null(hprof_jfr_open_memory("no recording", 12, NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_FORMAT);
    assert_null(hprof_jfr_open_memory(old, sizeof(old), NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_VERSION);
    assert_null(hprof_jfr_open_memory(bytes, len, &odd, &error));
    assert_int_equal(error.code, HPROF_JFR_ARGUMENT);
    assert_null(hprof_jfr_open_file(NULL, NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_ARGUMENT);
    assert_null(hprof_jfr_open_repository(NULL, NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_ARGUMENT);
    assert_null(hprof_jfr_open_file("/nowhere/x.jfr", NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_SYSTEM);
    assert_int_equal(error.system_error, ENOENT);
    assert_null(hprof_jfr_open_repository("/nowhere", NULL, &error));
    assert_int_equal(error.system_error, ENOENT);
    assert_non_null(mkdtemp(folder));
    assert_null(hprof_jfr_open_file(folder, NULL, &error));
    assert_int_equal(error.code, HPROF_JFR_SYSTEM);
    assert_string_equal(error.detail, "it is no regular file");
    assert_int_equal(rmdir(folder), 0);
}

/* Options of a later version: what this version does not know must be 0. */
static void options_may_grow(void **state)
{
    struct {
        struct hprof_jfr_options known;
        uint64_t later;
    } options = {.known.size = sizeof(options)};
    struct hprof_jfr_error error;
    (void)state;
    struct hprof_jfr *jfr = hprof_jfr_open_memory(bytes, len, &options.known, &error);
    assert_non_null(jfr);
    hprof_jfr_close(jfr);
    options.later = 1;
    assert_null(hprof_jfr_open_memory(bytes, len, &options.known, &error));
    assert_int_equal(error.code, HPROF_JFR_ARGUMENT);
}

static int read_within(size_t limit, unsigned *ret_count)
{
    const struct hprof_jfr_options options = {.size = sizeof(options), .memory_limit = limit};
    struct hprof_jfr_error error;
    struct hprof_jfr *jfr = hprof_jfr_open_memory(bytes, len, &options, &error);
    int code = error.code;
    *ret_count = 0;
    if (jfr)
        code = jfrlib_reading_all(jfr, ret_count);
    hprof_jfr_close(jfr);
    return code;
}

static void a_limit_is_an_error_and_no_crash(void **state)
{
    unsigned count, refused = 0;
    size_t limit = KB;
    int code;
    (void)state;
    for (; (code = read_within(limit, &count)) == HPROF_JFR_LIMIT; limit += KB)
        refused++;
    assert_int_equal(code, HPROF_JFR_END);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK);
    assert_true(refused > 40 && limit < 4 * MB);
    assert_int_equal(read_within(SIZE_MAX, &count), HPROF_JFR_END);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK);
}

/* Writes a file and returns a path to it, which is valid while `fd` is open. */
static const char *path_of(int fd, char path[64])
{
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return path;
}

static void write_all(int fd, const void *from, size_t size)
{
    assert_int_equal(write(fd, from, size), size);
}

static void a_file_may_be_longer_than_the_limit(void **state)
{
    enum { TIMES = 2000 };
    const struct hprof_jfr_options options = {.size = sizeof(options), .memory_limit = 2 * MB};
    char path[64];
    unsigned count;
    int fd = testfile_temp();
    (void)state;
    for (int i = 0; i < TIMES; i++)
        write_all(fd, bytes, len);
    assert_true(lseek(fd, 0, SEEK_CUR) > 4 * MB);
    struct hprof_jfr *jfr = hprof_jfr_open_file(path_of(fd, path), &options, NULL);
    assert_non_null(jfr);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, TIMES * CHUNKS * EVENTS_OF_A_CHUNK);
    hprof_jfr_close(jfr);
    close(fd);
}

static void bytes_between_chunks_may_be_longer_than_the_limit(void **state)
{
    const struct hprof_jfr_options options = {
        .size = sizeof(options), .memory_limit = 2 * MB, .salvage = true};
    struct hprof_jfr_lost lost;
    char path[64];
    unsigned count;
    int fd = testfile_temp();
    (void)state;
    write_all(fd, bytes, len);
    assert_int_equal(ftruncate(fd, 16 * MB), 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 16 * MB);
    write_all(fd, bytes, len);
    struct hprof_jfr *jfr = hprof_jfr_open_file(path_of(fd, path), &options, NULL);
    assert_non_null(jfr);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, 2 * CHUNKS * EVENTS_OF_A_CHUNK);
    hprof_jfr_get_lost(jfr, &lost);
    assert_int_equal(lost.places, 1);
    assert_int_equal(lost.first_offset, len);
    assert_int_equal(lost.bytes, 16 * MB - len);
    hprof_jfr_close(jfr);
    close(fd);
}

static void a_file_that_becomes_shorter_is_damaged(void **state)
{
    enum { TIMES = 200 };
    const struct hprof_jfr_event *event;
    char path[64];
    unsigned count;
    int fd = testfile_temp();
    (void)state;
    for (int i = 0; i < TIMES; i++)
        write_all(fd, bytes, len);
    struct hprof_jfr *jfr = hprof_jfr_open_file(path_of(fd, path), &salvage, NULL);
    assert_non_null(jfr);
    assert_int_equal(hprof_jfr_next(jfr, &event), HPROF_JFR_EVENT);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_true(count < (TIMES - 1) * CHUNKS * EVENTS_OF_A_CHUNK);
    hprof_jfr_close(jfr);
    close(fd);
}

/* ---- a repository */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/hprof-jfrlib-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    rmdir(folder);
    return 0;
}

static void name_chunk(char path[128], int number)
{
    snprintf(path, 128, "%s/2026_01_01_00_00_%02d.jfr", folder, number);
}

static void put_8(unsigned char *to, uint64_t value)
{
    for (int i = 7; i >= 0; i--, value >>= 8)
        to[i] = (unsigned char)value;
}

/* Writes the first `size` bytes of a chunk, as a JVM does: the bytes, then the header. */
static void put_chunk(int number, const unsigned char *from, size_t size, unsigned char is_open)
{
    enum { SIZE_AT = 8, STATE_AT = 64, HEADER = 68 };
    unsigned char header[HEADER];
    char path[128];
    name_chunk(path, number);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    memcpy(header, from, HEADER);
    put_8(header + SIZE_AT, size);
    header[STATE_AT] = is_open;
    assert_int_equal(pwrite(fd, from + HEADER, size - HEADER, HEADER), size - HEADER);
    assert_int_equal(pwrite(fd, header, HEADER, 0), HEADER);
    close(fd);
}

static void remove_chunk(int number)
{
    char path[128];
    name_chunk(path, number);
    assert_int_equal(unlink(path), 0);
}

static void a_repository_is_read_while_it_grows(void **state)
{
    struct hprof_jfr *jfr = hprof_jfr_open_repository(folder, NULL, NULL);
    unsigned count;
    (void)state;
    assert_non_null(jfr);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, 0);
    put_chunk(1, bytes, end_of_event(2), 1);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, 3);
    put_chunk(1, bytes, end_of_event(6), 255); /* its header is being changed */
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, 0);
    put_chunk(1, bytes, end_of_event(6), 2);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, 4);
    put_chunk(1, bytes, first_len, 0);
    put_chunk(2, bytes + first_len, len - first_len, 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK - 7);
    put_chunk(4, bytes, first_len, 0); /* which says that it is the last */
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, EVENTS_OF_A_CHUNK);
    put_chunk(5, bytes + first_len, len - first_len, 0); /* another recording */
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, EVENTS_OF_A_CHUNK);
    for (int i = 1; i <= 5; i++)
        if (i != 3)
            remove_chunk(i);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    hprof_jfr_close(jfr);
}

static void a_removed_chunk_is_read_to_its_end(void **state)
{
    struct hprof_jfr *jfr = hprof_jfr_open_repository(folder, NULL, NULL);
    const struct hprof_jfr_event *event;
    unsigned count;
    (void)state;
    put_chunk(1, bytes, first_len, 0);
    assert_int_equal(hprof_jfr_next(jfr, &event), HPROF_JFR_EVENT);
    remove_chunk(1);
    put_chunk(2, bytes + first_len, len - first_len, 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, CHUNKS * EVENTS_OF_A_CHUNK - 1);
    remove_chunk(2);
    hprof_jfr_close(jfr);
}

static void of_a_repository_only_what_is_new_comes_if_that_is_wanted(void **state)
{
    const struct hprof_jfr_options options = {.size = sizeof(options), .only_new = true};
    unsigned count;
    (void)state;
    put_chunk(1, bytes + first_len, len - first_len, 0);
    put_chunk(2, bytes, end_of_event(2), 1);
    struct hprof_jfr *jfr = hprof_jfr_open_repository(folder, &options, NULL);
    assert_non_null(jfr);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, 0);
    put_chunk(2, bytes, first_len, 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, EVENTS_OF_A_CHUNK - 3);
    hprof_jfr_close(jfr);
    remove_chunk(1);
    remove_chunk(2);
}

static void a_chunk_that_was_never_finished_is_left_when_the_next_one_begins(void **state)
{
    struct hprof_jfr *jfr = hprof_jfr_open_repository(folder, &salvage, NULL);
    struct hprof_jfr_lost lost;
    unsigned count;
    (void)state;
    put_chunk(1, bytes, end_of_event(2), 1);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    put_chunk(2, bytes, first_len, 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, EVENTS_OF_A_CHUNK);
    hprof_jfr_get_lost(jfr, &lost);
    assert_int_equal(lost.places, 1);
    hprof_jfr_close(jfr);
    remove_chunk(1);
    remove_chunk(2);
}

static void what_is_no_chunk_is_named_by_its_file(void **state)
{
    struct hprof_jfr *jfr = hprof_jfr_open_repository(folder, NULL, NULL);
    const struct hprof_jfr_event *event;
    unsigned char nothing[100] = {0};
    (void)state;
    put_chunk(3, nothing, sizeof(nothing), 0);
    put_chunk(4, bytes, first_len, 0);
    assert_int_equal(hprof_jfr_next(jfr, &event), HPROF_JFR_DAMAGED);
    assert_string_equal(hprof_jfr_last_error(jfr)->file, "2026_01_01_00_00_03.jfr");
    assert_true(strlen(hprof_jfr_last_error(jfr)->detail) > 0);
    hprof_jfr_close(jfr);
    remove_chunk(3);
    remove_chunk(4);
}

static void one_file_of_a_repository_is_followed_alone(void **state)
{
    char path[128];
    unsigned count;
    (void)state;
    name_chunk(path, 1);
    put_chunk(1, bytes, end_of_event(0), 1);
    put_chunk(2, bytes, first_len, 0);
    struct hprof_jfr *jfr = hprof_jfr_open_repository(path, NULL, NULL);
    assert_non_null(jfr);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_WAIT);
    assert_int_equal(count, 1);
    put_chunk(1, bytes, first_len, 0);
    assert_int_equal(jfrlib_reading_all(jfr, &count), HPROF_JFR_END);
    assert_int_equal(count, EVENTS_OF_A_CHUNK - 1);
    hprof_jfr_close(jfr);
    remove_chunk(1);
    remove_chunk(2);
}

static void a_limit_holds_for_a_repository(void **state)
{
    struct hprof_jfr_options options = {.size = sizeof(options), .memory_limit = KB};
    unsigned count, refused = 0;
    int code = HPROF_JFR_LIMIT;
    (void)state;
    put_chunk(1, bytes, first_len, 0);
    for (; code == HPROF_JFR_LIMIT && options.memory_limit < 4 * MB; options.memory_limit += KB) {
        struct hprof_jfr_error error;
        struct hprof_jfr *jfr = hprof_jfr_open_repository(folder, &options, &error);
        code = jfr ? jfrlib_reading_all(jfr, &count) : error.code;
        refused += code == HPROF_JFR_LIMIT;
        hprof_jfr_close(jfr);
    }
    assert_int_equal(code, HPROF_JFR_END);
    assert_int_equal(count, EVENTS_OF_A_CHUNK);
    assert_true(refused > 40);
    remove_chunk(1);
}

#define OF_REPOSITORY(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_recording_has_all_its_events),
        cmocka_unit_test(a_file_is_read_as_memory_is),
        cmocka_unit_test(only_the_wanted_events_come),
        cmocka_unit_test(without_constants_times_are_there_and_stacks_are_not),
        cmocka_unit_test(a_recording_cut_at_each_64th_byte_is_salvaged_or_refused),
        cmocka_unit_test(what_is_damaged_is_passed_over_or_an_error),
        cmocka_unit_test(an_event_that_is_longer_than_its_record_is_damage),
        cmocka_unit_test(what_is_no_recording_is_refused),
        cmocka_unit_test(options_may_grow),
        cmocka_unit_test(a_limit_is_an_error_and_no_crash),
        cmocka_unit_test(a_file_may_be_longer_than_the_limit),
        cmocka_unit_test(bytes_between_chunks_may_be_longer_than_the_limit),
        cmocka_unit_test(a_file_that_becomes_shorter_is_damaged),
        OF_REPOSITORY(a_repository_is_read_while_it_grows),
        OF_REPOSITORY(a_removed_chunk_is_read_to_its_end),
        OF_REPOSITORY(of_a_repository_only_what_is_new_comes_if_that_is_wanted),
        OF_REPOSITORY(a_chunk_that_was_never_finished_is_left_when_the_next_one_begins),
        OF_REPOSITORY(what_is_no_chunk_is_named_by_its_file),
        OF_REPOSITORY(one_file_of_a_repository_is_followed_alone),
        OF_REPOSITORY(a_limit_holds_for_a_repository),
    };
    return cmocka_run_group_tests(tests, read_small, free_small);
}
