/*
 * push_http.c - see push_http.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push_http.h"
#ifdef HAS_CURL
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "base/err.h"
#include "command/say.h"
#include "safe/clock.h"

enum { CONNECT_MS = 10000, RETRY_AFTER = 64 };

/* The functions of libcurl. */
struct library {
    CURLcode (*global_init)(long flags);
    CURL *(*init)(void);
    void (*cleanup)(CURL *curl);
    void (*reset)(CURL *curl);
    CURLcode (*setopt)(CURL *curl, CURLoption option, ...);
    CURLcode (*perform)(CURL *curl);
    CURLcode (*getinfo)(CURL *curl, CURLINFO info, ...);
    struct curl_slist *(*append)(struct curl_slist *list, const char *text);
    void (*free_all)(struct curl_slist *list);
    const char *(*strerror)(CURLcode code);
};

struct push_http {
    struct library lib;
    const struct push_setting *setting;
    CURL *curl;
    struct curl_slist *headers;
    unsigned char body[PUSH_ANSWER_BODY];
    size_t len;
    char retry_after[RETRY_AFTER], why[CURL_ERROR_SIZE];
};

/* ---- the library */

static int load(struct library *lib, const char *command)
{
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static const char *const names[] = {
        "curl_global_init",    "curl_easy_init",    "curl_easy_cleanup", "curl_easy_reset",
        "curl_easy_setopt",    "curl_easy_perform", "curl_easy_getinfo", "curl_slist_append",
        "curl_slist_free_all", "curl_easy_strerror"};
    void *functions[sizeof(names) / sizeof(names[0])];
    void *file = NULL;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !file; i++)
        file = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!file) {
        const char *why = dlerror();
        say("%s: needs libcurl.so.4 (Debian's package libcurl4), which hprof-static cannot load: "
            "%s",
            command, why ? why : "it is not there");
        return E_UNSUPPORTED;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        functions[i] = dlsym(file, names[i]);
        if (!functions[i]) {
            say("%s: libcurl has no function %s", command, names[i]);
            return E_UNSUPPORTED;
        }
    }
    _Static_assert(sizeof(*lib) == sizeof(functions), "a function for each name");
    memcpy(lib, functions, sizeof(functions));
    return 0;
}

int push_http_open(const struct push_setting *setting, struct push_http **ret_http)
{
    struct push_http *h = calloc(1, sizeof(*h));
    int error = h ? load(&h->lib, setting->command) : -ENOMEM;
    if (error == 0 &&
        (h->lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(h->curl = h->lib.init())))
        error = -ENOMEM;
    if (error < 0) {
        free(h);
        return error;
    }
    h->setting = setting;
    *ret_http = h;
    return 0;
}

void push_http_close(struct push_http *h)
{
    if (!h)
        return;
    h->lib.free_all(h->headers);
    h->lib.cleanup(h->curl);
    free(h);
}

/* ---- a request */

static size_t take_body(char *bytes, size_t size, size_t count, void *with)
{
    struct push_http *h = with;
    size_t len = size * count, room = sizeof(h->body) - h->len;
    memcpy(h->body + h->len, bytes, len < room ? len : room);
    h->len += len < room ? len : room;
    return len;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *with)
{
    static const char name[] = "retry-after:";
    struct push_http *h = with;
    size_t len = size * count, skip = sizeof(name) - 1;
    if (len > skip && len - skip < sizeof(h->retry_after) && strncasecmp(bytes, name, skip) == 0) {
        memcpy(h->retry_after, bytes + skip, len - skip);
        h->retry_after[len - skip] = '\0';
        h->retry_after[strcspn(h->retry_after, "\r\n")] = '\0';
    }
    return len;
}

static bool add_header(struct push_http *h, const char *text)
{
    struct curl_slist *list = h->lib.append(h->headers, text);
    if (list)
        h->headers = list;
    return list != NULL;
}

static bool set_headers(struct push_http *h, const struct push_body *body)
{
    char type[256];
    h->lib.free_all(h->headers);
    h->headers = NULL;
    snprintf(type, sizeof(type), "Content-Type: %s", body->type);
    /* Without "Expect:" libcurl asks first whether a large body is welcome. */
    bool is_set = add_header(h, type) && add_header(h, "Expect:") &&
                  (!body->is_gzip || add_header(h, "Content-Encoding: gzip"));
    for (uint32_t i = 0; is_set && i < h->setting->header_count; i++)
        is_set = add_header(h, h->setting->headers[i]);
    return is_set;
}

static void set_options(struct push_http *h, const char *url, const struct push_body *body)
{
    const struct push_setting *s = h->setting;
    CURLcode (*set)(CURL *, CURLoption, ...) = h->lib.setopt;
    h->lib.reset(h->curl);
    set(h->curl, CURLOPT_URL, url);
    set(h->curl, CURLOPT_NOSIGNAL, 1L);
    set(h->curl, CURLOPT_FOLLOWLOCATION, 0L);
    set(h->curl, CURLOPT_HTTPHEADER, h->headers);
    set(h->curl, CURLOPT_USERAGENT, "hprof/" HPROF_VERSION);
    set(h->curl, CURLOPT_POST, 1L);
    set(h->curl, CURLOPT_POSTFIELDS, (const char *)body->bytes);
    set(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
    set(h->curl, CURLOPT_TIMEOUT_MS, (long)(s->timeout_ns / NS_PER_MS) + 1);
    set(h->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    set(h->curl, CURLOPT_WRITEFUNCTION, take_body);
    set(h->curl, CURLOPT_WRITEDATA, h);
    set(h->curl, CURLOPT_HEADERFUNCTION, take_header);
    set(h->curl, CURLOPT_HEADERDATA, h);
    set(h->curl, CURLOPT_ERRORBUFFER, h->why);
    if (s->certificate)
        set(h->curl, CURLOPT_CAINFO, s->certificate);
    if (s->client_certificate)
        set(h->curl, CURLOPT_SSLCERT, s->client_certificate);
    if (s->client_key)
        set(h->curl, CURLOPT_SSLKEY, s->client_key);
}

/* Whether a request that failed so may succeed later. A certificate that is wrong stays wrong. */
static bool is_passing(CURLcode code)
{
    static const CURLcode passing[] = {CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
                                       CURLE_PARTIAL_FILE,         CURLE_OPERATION_TIMEDOUT,
                                       CURLE_GOT_NOTHING,          CURLE_SEND_ERROR,
                                       CURLE_RECV_ERROR,           CURLE_HTTP2,
                                       CURLE_HTTP2_STREAM,         CURLE_WEIRD_SERVER_REPLY};
    for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
        if (passing[i] == code)
            return true;
    return false;
}

void push_http_post(struct push_http *h, const char *url, const struct push_body *body,
                    struct push_answer *ret_answer)
{
    long status = 0;
    h->len = 0;
    h->retry_after[0] = h->why[0] = '\0';
    *ret_answer = (struct push_answer){.retry_after_s = -1, .why = err_text(-ENOMEM)};
    if (!set_headers(h, body))
        return;
    set_options(h, url, body);
    CURLcode code = h->lib.perform(h->curl);
    if (code == CURLE_OK)
        h->lib.getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
    *ret_answer = (struct push_answer){
        .status = status,
        .why = h->why[0] ? h->why : h->lib.strerror(code),
        .can_retry = is_passing(code),
        .retry_after_s =
            h->retry_after[0] ? push_answer_retry_after(h->retry_after, (int64_t)time(NULL)) : -1,
        .body = h->body,
        .len = h->len,
    };
}

#else
#include "base/err.h"
#include "command/say.h"

int push_http_open(const struct push_setting *setting, struct push_http **ret_http)
{
    (void)ret_http;
    say("%s: this program was built without libcurl and cannot send", setting->command);
    return E_UNSUPPORTED;
}

void push_http_post(struct push_http *h, const char *url, const struct push_body *body,
                    struct push_answer *ret_answer)
{
    (void)h;
    (void)url;
    (void)body;
    *ret_answer = (struct push_answer){.retry_after_s = -1, .why = err_text(E_UNSUPPORTED)};
}

void push_http_close(struct push_http *h)
{
    (void)h;
}

#endif
