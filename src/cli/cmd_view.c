/*
 * cmd_view.c - `hprof view FILE`: shows a profile, or a heap, in the browser of this machine.
 *
 * The picture is written into memory. A server on the loopback address sends it, at a path with a
 * random token.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "cli/view_heap.h"
#include "command/diag_say.h"
#include "report/convert.h"
#include "command/help.h"
#include "view/launch.h"
#include "view/memory_file.h"
#include "reading/load.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "command/say.h"
#include "view/serve.h"
#include "report/source.h"
#include "command/values.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "safe/clock.h"

enum {
    OPT_FIREFOX = 1,
    OPT_APP,
    OPT_EVENT,
    OPT_MARKERS,
    OPT_SOURCE,
    OPT_EDITOR,
    OPT_IDLE,
    OPT_NO_OPEN,
    OPT_VALUES,
    OPT_MEMORY,
    OPT_TMP,
    TOKEN_BYTES = 16,
    FRAME = 1024, /* longest name of a frame, in bytes */
    HELP_WORDS = 256,
};

/* The content types of the files of a web application, by suffix. */
static const struct {
    const char *suffix, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".wasm", "application/wasm"},
    {".woff2", "font/woff2"},
    {".map", "application/json"},
};

static const struct opt options[] = {
    {OPT_FIREFOX, 0, "firefox", NULL, "in the Firefox Profiler, not as a flame graph"},
    {OPT_APP, 0, "app", "URL|DIR",
     "that profiler is there, or its build is (profiler.firefox.com)"},
    {OPT_EVENT, 'e', "event", "WORD", "what to show:" HELP_SERIES},
    {OPT_MARKERS, 0, "markers", "NAME,...",
     "with --firefox: event types that become markers: jdk.FileRead, GC*"},
    {OPT_SOURCE, 0, "source", "DIR", "a folder of Java sources, for --editor; may be given again"},
    {OPT_EDITOR, 0, "editor", "COMMAND",
     "open a frame's source: 'idea --line {line} {file}'; no shell sees it"},
    {OPT_IDLE, 0, "idle", "TIME", "end when nobody has asked for so long (10m)"},
    {OPT_NO_OPEN, 0, "no-open", NULL, "print the address, open no browser"},
    {OPT_VALUES, 0, "values", NULL, "of a heap: show the contents of strings and arrays, too"},
    {OPT_MEMORY, 0, "memory", "SIZE",
     "for a heap: memory to use at most (a quarter of what is left)"},
    {OPT_TMP, 0, "tmp", "FOLDER", "for a heap: folder for temporary files (the folder of FILE)"},
    {0},
};

struct view {
    const char *file, *app, *editor, *types;
    bool is_firefox, is_quiet;
    const struct series *series;
    const char **folders;
    size_t folder_count;
    char token[2 * TOKEN_BYTES + 1];
    char *app_folder; /* the folder of --app, links resolved; NULL: the profiler is on a web site */
    char *origin;     /* scheme and host of that web site */
    int picture;      /* descriptor of the picture, or of the page of the heap */
    bool is_heap;     /* the heap is shown, and no profile */
    struct view_heap heap;
    struct load load;
    struct serve serve;
};

/* The way around a filter that refuses getrandom(). */
static bool read_random(unsigned char *bytes, size_t len)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, len);
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)len;
}

static int make_token(char token[2 * TOKEN_BYTES + 1])
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes) &&
        !read_random(bytes, sizeof(bytes))) {
        say("view: the page's address needs random bytes: getrandom is refused, and /dev/urandom "
            "cannot be read");
        return -EPERM;
    }
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static const char *type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(dot, types[i].suffix) == 0)
            return types[i].type;
    return "application/octet-stream";
}

/* Sends a file of the web application. Its other addresses are not files: they get its first
 * page. */
static void answer_app(const struct view *v, const char *path, struct serve_answer *ret_answer)
{
    size_t len = strlen(v->app_folder);
    char *asked = NULL, *real = NULL;
    if (asprintf(&asked, "%s%s", v->app_folder, path) >= 0)
        real = realpath(asked, NULL);
    bool is_inside = real && strncmp(real, v->app_folder, len) == 0 && real[len] == '/';
    struct stat st;

    if (!is_inside || stat(real, &st) < 0 || !S_ISREG(st.st_mode)) {
        free(real);
        if (asprintf(&real, "%s/index.html", v->app_folder) < 0)
            real = NULL;
    }
    ret_answer->fd = real ? open(real, O_RDONLY | O_CLOEXEC) : -1;
    if (ret_answer->fd >= 0) {
        ret_answer->status = 200;
        ret_answer->type = type_of(real);
        ret_answer->closes = true;
    }
    free(asked);
    free(real);
}

/* Opens the source of a frame at its hottest line. The query names the frame as the page does. */
static void open_source(struct view *v, const char *query, struct serve_answer *ret_answer)
{
    char frame[FRAME] = "", *file = NULL;
    struct source s = {0};
    int r = E_NOT_FOUND;
    if (http_request_value(query, "frame", frame, sizeof(frame)) && v->series)
        r = source_read(&s, v->load.profile, v->series->kind, v->series->value, frame);
    if (r == 0 || r == E_UNSUPPORTED)
        r = s.path ? source_find(v->folders, v->folder_count, s.path, &file) : -ENOENT;
    if (r == 0)
        r = launch_editor(v->editor, file, s.self && source_hottest(&s) ? source_hottest(&s) : 1);
    else
        say("view: no source of '%s' is below the folders of --source", s.path ? s.path : frame);
    if (r < 0 && file)
        say("view: --editor '%s': %s", v->editor, err_text(r));
    ret_answer->status = 204; /* the browser stays on the page, even after an error */
    free(file);
    source_done(&s);
}

static void handle(void *with, const struct http_request *q, struct serve_answer *ret_answer)
{
    struct view *v = with;
    size_t len = strlen(v->token);
    bool has_token = q->path[0] == '/' && strncmp(q->path + 1, v->token, len) == 0;
    const char *name = has_token ? q->path + 1 + len : "";
    if (strcmp(name, v->is_firefox ? "/profile.json" : "/") == 0) {
        *ret_answer = (struct serve_answer){.status = 200,
                                            .type = v->is_firefox ? "application/json"
                                                                  : "text/html; charset=utf-8",
                                            .fd = v->picture};
    } else if (strcmp(name, "/ask") == 0 && v->is_heap) {
        view_heap_answer(&v->heap, q, ret_answer);
    } else if (strcmp(name, "/open") == 0 && v->editor) {
        open_source(v, q->query, ret_answer);
    } else if (v->app_folder && !has_token) {
        answer_app(v, q->path, ret_answer);
    }
}

/* If the user named no series, take the first series of the profile. */
static void find_series(struct view *v)
{
    if (!v->series)
        v->series = series_next_in(NULL, v->load.profile);
}

/* Whether the file has a heap, and the user asked for nothing else. */
static bool may_show_heap(const struct view *v)
{
    const struct hprof_file *f = hprof_file_of(v->load.profile);
    return !v->is_firefox && !v->series && !v->editor && f && f->heap_dumps > 0;
}

/* Shows the heap, and says what else the file has. Errors: E_FORMAT: it is the text of a heap,
 * which is not read; others after saying why. */
static int show_heap(struct view *v)
{
    char words[HELP_WORDS] = "";
    const struct series *first = series_next_in(NULL, v->load.profile);
    for (const struct series *s = first; s; s = series_next_in(s, v->load.profile)) {
        size_t len = strlen(words);
        snprintf(words + len, sizeof(words) - len, "%s%s", len > 0 ? ", " : "", s->word);
    }
    char *others = NULL;
    if (first && asprintf(&others, "The file also has %s: hprof view -e %s %s", words, first->word,
                          v->file) < 0)
        others = NULL;
    v->heap.file = v->file;
    v->heap.others = others;
    int r = view_heap_open(&v->heap, v->picture);
    v->is_heap = r == 0;
    if (r == 0 && first)
        say("view: %s: the heap is shown; the file also has %s: -e %s shows that", v->file, words,
            first->word);
    free(others);
    v->heap.others = NULL;
    return r;
}

/* The suffix of the name chooses the format. */
static int make_picture(struct view *v)
{
    struct convert convert = {.command = "view", .series = v->series, .types = v->types};
    struct load_how how = {.want = {.with_threads = true}};
    char path[32];
    convert.format = outfile_format(v->is_firefox ? "x.firefox.json" : "x.html");
    v->picture = memory_file_open("hprof view");
    if (!convert.format || v->picture < 0) {
        int error = v->picture < 0 ? v->picture : E_NOT_FOUND;
        say("view: no room for the picture: memfd_create is refused, and no file can be made in "
            "/tmp: %s",
            err_text(error));
        return error;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", v->picture);
    convert.path = path;
    convert_want(&convert, &how);
    int r = load_open(v->file, &how, diag_say(), &v->load);
    if (r == 0 && may_show_heap(v)) {
        int shown = show_heap(v);
        if (shown != E_FORMAT)
            return shown;
    }
    if (r == 0)
        find_series(v);
    return r == 0 ? convert_write(&convert, v->file, v->load.profile) : r;
}

/* Writes a text as one part of an address: all bytes except letters, digits and dots become %XX. */
static void put_encoded(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.')
            putc(c, out);
        else
            fprintf(out, "%%%02X", c);
    }
}

/* The address that the browser opens. Returns malloc'ed text; NULL: no memory. */
static char *address_of(const struct view *v)
{
    char *address = NULL, *profile = NULL;
    size_t size;
    if (!v->is_firefox)
        return asprintf(&address, "%s/%s/%s", v->serve.url, v->token, v->editor ? "?edit" : "") < 0
                   ? NULL
                   : address;
    if (asprintf(&profile, "%s/%s/profile.json", v->serve.url, v->token) < 0)
        return NULL;
    FILE *out = open_memstream(&address, &size);
    if (out) {
        const char *app = v->app_folder ? v->serve.url : v->app;
        int len = (int)strlen(app);
        while (len > 0 && app[len - 1] == '/')
            len--;
        fprintf(out, "%.*s/from-url/", len, app);
        put_encoded(out, profile);
        fclose(out);
    }
    free(profile);
    return address;
}

static int show(struct view *v)
{
    char *address = address_of(v);
    char *const argv[] = {(char *)"xdg-open", address, NULL};
    if (!address)
        return -ENOMEM;
    puts(address);
    fflush(stdout);
    int r = v->is_quiet ? 0 : launch(argv);
    if (r < 0)
        say("view: no browser could be opened (xdg-open: %s); open that address yourself",
            strerror(-r));
    free(address);
    return 0;
}

/* The origin whose pages may read the profile: "https://profiler.firefox.com" if --app is
 * "https://profiler.firefox.com/x". */
static int take_app(struct view *v)
{
    static const char *const schemes[] = {"https://", "http://"};
    struct stat st;
    for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
        size_t scheme = strlen(schemes[i]);
        if (strncmp(v->app, schemes[i], scheme) != 0)
            continue;
        size_t len = scheme + strcspn(v->app + scheme, "/");
        bool is_plain =
            strspn(v->app + scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789.-:[]") == len - scheme;
        v->origin = is_plain && len > scheme ? strndup(v->app, len) : NULL;
        v->serve.origin = v->origin;
        if (v->origin)
            return 0;
    }
    v->app_folder = stat(v->app, &st) == 0 && S_ISDIR(st.st_mode) ? realpath(v->app, NULL) : NULL;
    if (v->app_folder)
        return 0;
    say("view: --app '%s': an address that begins with https:// is wanted, or the folder of a "
        "build of the Firefox Profiler",
        v->app);
    return E_SYNTAX;
}

/* Take one option. Errors: 0; negative after saying why. */
static int take_option(struct view *v, const struct cmd *self, int id, const char *value)
{
    switch (id) {
    case OPT_FIREFOX:
        v->is_firefox = true;
        return 0;
    case OPT_APP:
        v->app = value;
        v->is_firefox = true;
        return 0;
    case OPT_EVENT:
        v->series = series_named(value);
        if (!v->series)
            say("view: unknown --event '%s'; 'hprof help view' lists them", value);
        return v->series ? 0 : E_NOT_FOUND;
    case OPT_MARKERS:
        v->types = value;
        return 0;
    case OPT_SOURCE:
        v->folders[v->folder_count++] = value;
        return 0;
    case OPT_EDITOR:
        v->editor = value;
        return 0;
    case OPT_IDLE:
        return values_duration(self, "idle", value, &v->serve.idle_ns);
    case OPT_NO_OPEN:
        v->is_quiet = true;
        return 0;
    case OPT_VALUES:
        v->heap.with_values = true;
        return 0;
    case OPT_MEMORY:
        return values_size(self, "memory", value, &v->heap.options.memory_bytes);
    case OPT_TMP:
        v->heap.options.tmp = value;
        return 0;
    case OPTS_WORD:
        if (v->file) {
            say("view: one file is shown at a time, not '%s' and '%s'", v->file, value);
            return E_SYNTAX;
        }
        v->file = value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

static int check(struct view *v, const struct cmd *self)
{
    if (!v->file) {
        say("view: no file named; usage: hprof view [OPTION...] %s", self->operands);
        return E_SYNTAX;
    }
    if (!v->editor != !v->folder_count) {
        say("view: --editor and --source go together: what opens a file, and where files are");
        return E_SYNTAX;
    }
    if (v->editor && v->is_firefox) {
        say("view: --editor is for flame graphs: the Firefox Profiler opens no source");
        return E_SYNTAX;
    }
    if (v->types && !v->is_firefox) {
        say("view: --markers goes with --firefox");
        return E_SYNTAX;
    }
    return v->is_firefox ? take_app(v) : 0;
}

static int serve(struct view *v)
{
    int r = make_token(v->token);
    if (r == 0)
        r = make_picture(v);
    if (r < 0)
        return r;
    v->serve.handle = handle;
    v->serve.with = v;
    r = serve_open(&v->serve);
    if (r == 0)
        r = show(v);
    if (r == 0)
        r = serve_run(&v->serve);
    if (r < 0)
        say("view: %s", strerror(-r));
    return r;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct view v = {
        .app = "https://profiler.firefox.com",
        .picture = -1,
        .serve = {.fd = -1, .idle_ns = (uint64_t)600 * NS_PER_S},
        .folders = calloc((size_t)argc, sizeof(*v.folders)),
    };
    struct opts opts;
    int status = CMD_USAGE;
    if (!v.folders)
        return CMD_FAILED;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        }
        if (id == OPTS_ERROR || take_option(&v, self, id, opts.value) < 0)
            goto out;
    }
    if (check(&v, self) < 0)
        goto out;
    status = serve(&v) < 0 || v.load.damaged ? CMD_FAILED : CMD_OK;
out:
    serve_close(&v.serve);
    if (v.picture >= 0)
        close(v.picture);
    load_close(&v.load);
    view_heap_close(&v.heap);
    free(v.app_folder);
    free(v.origin);
    free(v.folders);
    return status;
}

const struct cmd cmd_view = {
    .name = "view",
    .group = CMD_READS,
    .help = "Show a profile or a heap dump in the browser",
    .operands = "FILE",
    .needs = "a file in a format that 'hprof formats' lists, and a browser",
    .options = options,
    .run = run,
};
