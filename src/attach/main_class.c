/*
 * main_class.c - see main_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/main_class.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Options of the launcher whose value is the next word. */
static const char *const with_value[] = {
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--add-modules",
    "--upgrade-module-path",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--limit-modules",
    "--patch-module",
    "--describe-module",
    "-d",
    "--source",
    "--enable-native-access",
};

size_t main_class_len(const char *command)
{
    return strcspn(command, " ");
}

size_t main_class_short(const char *command, size_t len)
{
    size_t from = 0;
    bool is_jar = len > 4 && memcmp(command + len - 4, ".jar", 4) == 0;
    for (size_t i = 0; i < len; i++)
        if (command[i] == '/' || (command[i] == '.' && !is_jar))
            from = i + 1;
    return from == len ? 0 : from;
}

const char *main_class_args(const char *command)
{
    const char *blank = strchr(command, ' ');
    return blank ? blank + 1 : "";
}

static bool takes_value(const char *word)
{
    for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
        if (strcmp(word, with_value[i]) == 0)
            return true;
    return false;
}

/* Whether the first word is the launcher of classes. Other launchers may use the same words for
 * other options. */
static bool is_java(const char *word)
{
    const char *slash = strrchr(word, '/');
    return strcmp(slash ? slash + 1 : word, "java") == 0;
}

/* The next word; NULL at the end. */
static const char *next_word(const char *word, const char *end)
{
    word += strlen(word) + 1;
    return word < end ? word : NULL;
}

/* The first word that names what is run; NULL: there is none. */
static const char *find_main(const char *line, size_t len)
{
    const char *end = line + len, *word = line;
    if (len == 0 || line[len - 1] != '\0')
        return NULL;
    for (word = next_word(word, end); word && *word == '-'; word = next_word(word, end)) {
        bool is_name =
            strcmp(word, "-jar") == 0 || strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0;
        if (is_name || takes_value(word)) {
            word = next_word(word, end);
            if (is_name || !word)
                break;
        }
    }
    return word;
}

size_t main_class_options_len(const char *line, size_t len)
{
    const char *word = find_main(line, len);
    return word ? (size_t)(word - line) : len > 0 && line[len - 1] == '\0' ? len : 0;
}

char *main_class_of_line(const char *line, size_t len, bool is_launcher)
{
    bool is_whole = len > 0 && line[len - 1] == '\0';
    const char *end = line + len,
               *word = is_whole && !is_launcher && !is_java(line) ? line : find_main(line, len);
    if (!word)
        return NULL;
    char *text = malloc((size_t)(end - word));
    if (!text)
        return NULL;
    memcpy(text, word, (size_t)(end - word));
    for (char *p = text; p + 1 < text + (end - word); p++)
        if (*p == '\0')
            *p = ' ';
    return text;
}
