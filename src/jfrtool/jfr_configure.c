/*
 * jfr_configure.c - `hprof jfr configure`: makes settings of recordings from other settings and
 * from choices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/feed.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "jfrtool/jfc_choice.h"
#include "jfrtool/jfc_tree.h"
#include "jfrtool/jfr_catalogue.h"
#include "jfrtool/jfr_output.h"
#include "command/say.h"
#include "command/textbuf.h"

enum {
    INPUT_MAX = 1 << 20, /* largest input in bytes */
    WHY = 512,
};

static const char usual_input[] = "default", no_input[] = "none", usual_output[] = "custom.jfc",
                  suffix[] = ".jfc";

/* ---- presets: default.jfc and profile.jfc of a JDK, made of what is known of its events
 *
 * The events are those of jfr_catalogue.h, sorted by name. The controls of their settings were read
 * from the JDKs themselves (tools/jfr-facts). */

enum { DEFAULT, PROFILE, PRESETS };

static const char *const preset_names[PRESETS] = {"default", "profile"};

static const struct controlled {
    unsigned releases[PRESETS];
    const char *event, *setting, *control;
} controlleds[] = {
#define CONTROLLED(of_default, of_profile, event, setting, control)                                \
    {{of_default, of_profile}, event, setting, control},
#define CONTROL(...)
#include "jfrtool/jfc_controls.def"
#undef CONTROLLED
#undef CONTROL
};

static const struct line {
    unsigned releases[PRESETS];
    const char *text;
} lines[] = {
#define CONTROLLED(...)
#define CONTROL(of_default, of_profile, text) {{of_default, of_profile}, text},
#include "jfrtool/jfc_controls.def"
#undef CONTROLLED
#undef CONTROL
};

/* The index of the preset that `word` names, as in "default" or "default.jfc"; PRESETS: none. */
static int preset_of(const char *word)
{
    for (int i = 0; i < PRESETS; i++) {
        size_t len = strlen(preset_names[i]);
        if (strncmp(word, preset_names[i], len) == 0 &&
            (word[len] == '\0' || strcmp(word + len, ".jfc") == 0))
            return i;
    }
    return PRESETS;
}

static void add_setting(const char *event, const struct jfr_catalogue_row *s, int preset,
                        unsigned bit, struct textbuf *to)
{
    textbuf_printf(to, "<setting name=\"%s\"", s->name);
    for (size_t i = 0; i < sizeof(controlleds) / sizeof(controlleds[0]); i++) {
        const struct controlled *c = &controlleds[i];
        if (c->releases[preset] & bit && strcmp(c->event, event) == 0 &&
            strcmp(c->setting, s->name) == 0)
            textbuf_printf(to, " control=\"%s\"", c->control);
    }
    textbuf_printf(to, ">%s</setting>\n", preset == PROFILE ? s->by_profile : s->by_default);
}

/* The JDK's file leaves out an event that has no settings. */
static void add_event(const struct jfr_catalogue_row *rows, size_t count, int preset, unsigned bit,
                      struct textbuf *to)
{
    bool is_begun = false;
    for (size_t i = 1; i < count; i++) {
        if (rows[i].kind != JFR_CATALOGUE_SETTING || !(rows[i].releases & bit))
            continue;
        if (!is_begun)
            textbuf_printf(to, "<event name=\"%s\">\n", rows[0].name);
        is_begun = true;
        add_setting(rows[0].name, &rows[i], preset, bit, to);
    }
    if (is_begun)
        textbuf_text(to, "</event>\n");
}

/* Writes the preset for the JDK `jdk`, a number of jfr_catalogue_releases(). */
static void put_preset(int preset, const char *word, unsigned jdk, struct textbuf *to)
{
    const struct jfr_catalogue all = jfr_catalogue_all();
    unsigned bit = jfr_catalogue_release_bit(jdk);
    size_t count;
    textbuf_printf(to, "<configuration version=\"2.0\" label=\"%s\">\n", word);
    for (size_t i = 0; i < all.count; i += count) {
        count = jfr_catalogue_rows_of(&all, i);
        add_event(all.rows + i, count, preset, bit, to);
    }
    textbuf_text(to, "<control>\n");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (lines[i].releases[preset] & bit)
            textbuf_printf(to, "%s\n", lines[i].text);
    textbuf_text(to, "</control>\n</configuration>\n");
}

/* ---- inputs */

/* Adds a document to the tree. Errors: 0, negative after saying why. */
static int read_text(struct jfc_tree *t, const char *name, const void *text, size_t len)
{
    struct jfc_tree_error wrong;
    int error = jfc_tree_read(t, text, len, &wrong);
    if (error == E_SYNTAX)
        say("jfr: %s: line %u: %s", name, wrong.line, wrong.reason);
    else if (error < 0)
        say("jfr: %s: %s", name, strerror(-error));
    return error;
}

static int read_file(struct jfc_tree *t, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), error;
    struct feed feed = {0};
    if (fd < 0 && errno == ENOENT) {
        say("jfr: --input %s: there is no such file; also default, profile and none are inputs",
            path);
        return -ENOENT;
    }
    error = fd < 0 ? -errno : feed_open(&feed, fd);
    if (error == 0) {
        bool is_too_large = feed_has(&feed, 0, INPUT_MAX + 1);
        error = is_too_large ? -EFBIG : feed.error;
    }
    if (error < 0)
        say("jfr: %s: %s", path, err_text(error));
    else
        error = read_text(t, path, feed.len > 0 ? (const char *)feed.bytes : "", feed.len);
    if (fd >= 0) {
        feed_done(&feed);
        close(fd);
    }
    return error;
}

static int read_preset(struct jfc_tree *t, int preset, const char *word, unsigned jdk)
{
    struct textbuf text = {0};
    int error;
    put_preset(preset, word, jdk, &text);
    error = text.is_bad ? -ENOMEM : 0;
    if (error < 0)
        say("jfr: %s", strerror(-error));
    else
        error = read_text(t, word, text.bytes, text.len);
    textbuf_done(&text);
    return error;
}

/* If a file here has the name of a preset, the file is read. */
static int read_input(struct jfc_tree *t, const char *name, unsigned jdk)
{
    int preset = preset_of(name);
    if (strcmp(name, no_input) == 0)
        return 0;
    if (preset != PRESETS && access(name, F_OK) != 0)
        return read_preset(t, preset, name, jdk);
    return read_file(t, name);
}

static int read_inputs(struct jfc_tree *t, const struct jfrtool_configure *c, unsigned jdk)
{
    char *names = strdup(c->inputs ? c->inputs : usual_input), *save = NULL;
    int error = names ? 0 : -ENOMEM;
    for (char *name = names ? strtok_r(names, ",", &save) : NULL; name && error == 0;
         name = strtok_r(NULL, ",", &save))
        error = read_input(t, name, jdk);
    free(names);
    if (error == 0 && jfc_choice_twice(t)) {
        say("jfr: --input %s: several of these have the option '%s'; only one may", c->inputs,
            jfc_choice_twice(t));
        error = E_SYNTAX;
    }
    return error;
}

/* ---- choices */

/* Makes a choice NAME=VALUE. Errors: 0, negative after saying why. */
static int take_choice(struct jfc_tree *t, const char *word)
{
    size_t len = strcspn(word, "=");
    char *name = strndup(word, len), why[WHY] = "";
    int error = -ENOMEM;
    if (len == 0 || word[len] == '\0' || word[len + 1] == '\0') {
        say("jfr: '%s': NAME=VALUE is wanted, as in gc=high or jdk.ThreadPark#threshold=1ms; files "
            "are named by --input",
            word);
        free(name);
        return E_SYNTAX;
    }
    if (name)
        error = jfc_choice_set(t, name, word + len + 1, why, sizeof(why));
    if (error < 0)
        say("jfr: %s: %s", word, why[0] ? why : err_text(error));
    free(name);
    return error;
}

static unsigned tell_changes(const struct jfc_tree *t, FILE *out)
{
    const struct jfc_element *s = NULL;
    unsigned count = 0;
    while ((s = jfc_tree_next(t->root, s, JFC_TREE_SETTING)) != NULL) {
        bool is_new = s->document == 0;
        if (!s->before || (!is_new && strcmp(s->before, s->content) == 0))
            continue;
        count++;
        if (!out)
            continue;
        say_clean(out, jfc_tree_attribute(s->parent, "name"));
        putc('#', out);
        say_clean(out, jfc_tree_attribute(s, "name"));
        putc('=', out);
        say_clean(out, s->content);
        fputs(is_new ? " (new" : " (was ", out);
        say_clean(out, is_new ? "" : s->before[0] ? s->before : "empty");
        fputs(")\n", out);
    }
    return count;
}

/* ---- output */

static int list(const struct jfc_tree *t)
{
    struct textbuf text = {0};
    bool is_whole;
    jfc_choice_list(t, &text);
    is_whole = !text.is_bad;
    if (text.len == 0)
        say("jfr: the input has no options; EVENT#SETTING=VALUE changes a setting of it");
    for (char *line = text.bytes, *end; text.len > 0 && line < text.bytes + text.len;
         line = end + 1) {
        end = memchr(line, '\n', (size_t)(text.bytes + text.len - line));
        *end = '\0';
        say_clean(stdout, line);
        putchar('\n');
    }
    textbuf_done(&text);
    return is_whole ? CMD_OK : CMD_FAILED;
}

static int write_tree(const struct jfc_tree *t, const char *path)
{
    struct textbuf text = {0};
    struct jfr_output out;
    int error = jfr_output_open(&out, path);
    jfc_tree_write(t, &text);
    if (error == 0 && text.is_bad)
        error = -ENOMEM;
    if (error == 0) {
        textbuf_flush(&text, &out.sink);
        error = sink_error(&out.sink);
    }
    error = jfr_output_close(&out, error);
    textbuf_done(&text);
    return error;
}

static bool has_suffix(const char *path)
{
    size_t len = strlen(path), own = strlen(suffix);
    return len > own && strcmp(path + len - own, suffix) == 0;
}

static int configure(struct jfc_tree *t, const struct jfrtool_configure *c,
                     const char *const *words, size_t count)
{
    const char *path = c->output ? c->output : usual_output;
    FILE *told = strcmp(path, "-") == 0 ? stderr : stdout;
    unsigned changes;
    for (size_t i = 0; i < count; i++)
        if (take_choice(t, words[i]) < 0)
            return CMD_USAGE;
    if (jfc_tree_set_attribute(t, t->root, "version", "2.0") < 0 ||
        jfc_tree_set_attribute(t, t->root, "label", "Custom") < 0 || write_tree(t, path) < 0)
        return CMD_FAILED;
    changes = tell_changes(t, c->is_verbose ? told : NULL);
    fprintf(told, "%s: written, %u setting%s changed\n", told == stderr ? "standard output" : path,
            changes, plural_s(changes));
    return CMD_OK;
}

int jfr_configure_run(const struct jfrtool_configure *c, const char *const *words, size_t count)
{
    size_t releases;
    const unsigned *known = jfr_catalogue_releases(&releases);
    struct jfc_tree tree;
    int status = CMD_FAILED;
    if (c->output && strcmp(c->output, "-") != 0 && !has_suffix(c->output)) {
        say("jfr: --output %s: a name that ends in %s is wanted", c->output, suffix);
        return CMD_USAGE;
    }
    if (jfc_tree_init(&tree) == 0 &&
        read_inputs(&tree, c, c->jdk ? c->jdk : known[releases - 1]) == 0)
        status = count == 0 && !c->output ? list(&tree) : configure(&tree, c, words, count);
    jfc_tree_done(&tree);
    return status;
}
