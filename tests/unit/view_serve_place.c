/*
 * Where a server listens: words of the command line, and sockets in the file system that never take
 * the place of a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/serve_place.h"
#include "cmocka_all.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"

static char top[64];

static void make_folder(void)
{
    snprintf(top, sizeof(top), "/tmp/hprof-place.XXXXXX");
    assert_non_null(mkdtemp(top));
}

static void parse_unix(struct serve_place *p, const char *name)
{
    char word[PATH_MAX];
    snprintf(word, sizeof(word), "unix:%s/%s", top, name);
    assert_int_equal(serve_place_parse(word, p), 0);
}

static void words_are_read(void **state)
{
    static const struct {
        const char *word, *text;
        bool is_local;
    } rows[] = {
        {"127.0.0.1:9404", "http://127.0.0.1:9404", true},
        {"127.0.0.2:1", "http://127.0.0.2:1", true},
        {"0.0.0.0:9404", "http://0.0.0.0:9404", false},
        {"10.1.2.3:80", "http://10.1.2.3:80", false},
        {"[::1]:9404", "http://[::1]:9404", true},
        {"[::]:9404", "http://[::]:9404", false},
        {"unix:/run/x.sock", "unix:/run/x.sock", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct serve_place p;
        char text[SERVE_PLACE_TEXT];
        assert_int_equal(serve_place_parse(rows[i].word, &p), 0);
        assert_int_equal(serve_place_is_local(&p), rows[i].is_local);
        serve_place_text(&p, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void other_words_are_refused(void **state)
{
    static const char *const words[] = {
        "",
        "9404",
        ":9404",
        "localhost:9404",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:x",
        "127.0.0.1:-1",
        "127.0.0.1:65536",
        "1.2.3:80",
        "::1:80",
        "[::1]",
        "[::1:80",
        "[127.0.0.1]:80",
        "unix:",
        "127.0.0.1:999999999999",
        "[]:80",
    };
    char word[256] = "unix:/";
    struct serve_place p;
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        assert_int_equal(serve_place_parse(words[i], &p), E_SYNTAX);
    memset(word + strlen(word), 'x', 200);
    assert_int_equal(serve_place_parse(word, &p), E_LIMIT);
}

static void a_free_port_is_told(void **state)
{
    struct serve_place p = {.len = 0};
    char text[SERVE_PLACE_TEXT];
    (void)state;
    int fd = serve_place_listen(&p, 1);
    assert_true(fd >= 0);
    serve_place_text(&p, text);
    assert_true(strncmp(text, "http://127.0.0.1:", 17) == 0 && atoi(text + 17) > 0);
    struct serve_place same = p;
    assert_int_equal(serve_place_listen(&same, 1), -EADDRINUSE);
    close(fd);
    serve_place_leave(&p);
}

static void a_socket_is_for_its_owner_and_goes(void **state)
{
    struct serve_place p, other;
    char path[PATH_MAX];
    struct stat st;
    (void)state;
    make_folder();
    parse_unix(&p, "s");
    parse_unix(&other, "s");
    snprintf(path, sizeof(path), "%s/s", top);
    int fd = serve_place_listen(&p, 1);
    assert_true(fd >= 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    /* another server lives there */
    assert_int_equal(serve_place_listen(&other, 1), -EADDRINUSE);
    serve_place_leave(&other);
    assert_int_equal(stat(path, &st), 0);
    /* it dies without removing its socket: the next one takes the place */
    close(fd);
    fd = serve_place_listen(&other, 1);
    assert_true(fd >= 0);
    close(fd);
    serve_place_leave(&other);
    assert_int_equal(stat(path, &st), -1);
    rmdir(top);
}

static void files_stay(void **state)
{
    struct serve_place p;
    char path[PATH_MAX], target[PATH_MAX];
    struct stat st;
    (void)state;
    make_folder();
    snprintf(path, sizeof(path), "%s/file", top);
    snprintf(target, sizeof(target), "%s/link", top);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("mine", f);
    fclose(f);
    assert_int_equal(symlink("nowhere", target), 0);
    parse_unix(&p, "file");
    assert_int_equal(serve_place_listen(&p, 1), -EEXIST);
    parse_unix(&p, "link");
    assert_int_equal(serve_place_listen(&p, 1), -EEXIST);
    parse_unix(&p, "none/s");
    assert_int_equal(serve_place_listen(&p, 1), -ENOENT);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(lstat(target, &st), 0);
    unlink(path);
    unlink(target);
    rmdir(top);
}

static void a_file_that_came_later_is_not_removed(void **state)
{
    struct serve_place p;
    char path[PATH_MAX];
    struct stat st;
    (void)state;
    make_folder();
    parse_unix(&p, "s");
    snprintf(path, sizeof(path), "%s/s", top);
    int fd = serve_place_listen(&p, 1);
    assert_true(fd >= 0);
    /* kept open by a link, so that the new file has another number */
    char kept[PATH_MAX];
    snprintf(kept, sizeof(kept), "%s/kept", top);
    assert_int_equal(rename(path, kept), 0);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    close(fd);
    serve_place_leave(&p);
    assert_int_equal(stat(path, &st), 0);
    unlink(path);
    unlink(kept);
    rmdir(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(a_free_port_is_told),
        cmocka_unit_test(a_socket_is_for_its_owner_and_goes),
        cmocka_unit_test(files_stay),
        cmocka_unit_test(a_file_that_came_later_is_not_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
