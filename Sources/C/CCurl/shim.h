// libcurl by its header alone. Linked, it would bring 33 shared objects and 5 ms to every command, so it is
// opened when a command first talks to a server. Its variadic functions are called through a pointer from here:
// Swift cannot.
#ifndef KEYTOOL_CCURL_H
#define KEYTOOL_CCURL_H

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// Without the checking macros around the variadic functions.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef CURLcode (*keytool_curl_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*keytool_curl_getinfo)(CURL *, CURLINFO, ...);
typedef size_t (*keytool_curl_receive)(char *bytes, size_t size, size_t count, void *context);
typedef int (*keytool_curl_progress)(
    void *context, curl_off_t to_receive, curl_off_t received, curl_off_t to_send, curl_off_t sent);

// A connection is there, new or kept; the request has not been sent on it.
typedef int (*keytool_curl_before_request)(
    void *context, char *server, char *client, int server_port, int client_port);

// Opens a socket as libcurl does, and notes the port that it is for: the server's, or a proxy's.
static inline curl_socket_t keytool_curl_open_socket(
    void *port, curlsocktype purpose, struct curl_sockaddr *address) {
    const struct sockaddr *to = &address->addr;
    (void)purpose;
    if (address->family == AF_INET) *(int *)port = ntohs(((const struct sockaddr_in *)to)->sin_port);
    if (address->family == AF_INET6) *(int *)port = ntohs(((const struct sockaddr_in6 *)to)->sin6_port);
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// What libcurl works with: it keeps the login and the address in ordinary memory, and frees it as it is.

static inline void keytool_wiping_free(void *memory) {
    if (!memory) return;
    explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

/// The C library's may move what is there, and leave the old bytes behind.
static inline void *keytool_wiping_realloc(void *memory, size_t count) {
    void *moved = malloc(count);
    if (!moved || !memory) return moved;
    size_t used = malloc_usable_size(memory);
    memcpy(moved, memory, used < count ? used : count);
    keytool_wiping_free(memory);
    return moved;
}

static inline CURLcode keytool_curl_start(void *function) {
    typedef CURLcode (*start)(
        long, curl_malloc_callback, curl_free_callback, curl_realloc_callback, curl_strdup_callback,
        curl_calloc_callback);
    return ((start)function)(
        CURL_GLOBAL_ALL, malloc, keytool_wiping_free, keytool_wiping_realloc, strdup, calloc);
}

static inline CURLcode keytool_curl_set_long(void *function, CURL *handle, CURLoption option, long value) {
    return ((keytool_curl_setopt)function)(handle, option, value);
}

static inline CURLcode keytool_curl_set_size(void *function, CURL *handle, CURLoption option, curl_off_t value) {
    return ((keytool_curl_setopt)function)(handle, option, value);
}

static inline CURLcode keytool_curl_set_pointer(void *function, CURL *handle, CURLoption option, const void *value) {
    return ((keytool_curl_setopt)function)(handle, option, value);
}

static inline CURLcode keytool_curl_set_callback(
    void *function, CURL *handle, CURLoption option, keytool_curl_receive value) {
    return ((keytool_curl_setopt)function)(handle, option, value);
}

static inline CURLcode keytool_curl_set_progress(
    void *function, CURL *handle, keytool_curl_progress value, void *context) {
    ((keytool_curl_setopt)function)(handle, CURLOPT_NOPROGRESS, 0L);
    ((keytool_curl_setopt)function)(handle, CURLOPT_XFERINFODATA, context);
    return ((keytool_curl_setopt)function)(handle, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode keytool_curl_set_before_request(
    void *function, CURL *handle, keytool_curl_before_request value, void *context) {
    CURLcode code = ((keytool_curl_setopt)function)(handle, CURLOPT_PREREQDATA, context);
    return code != CURLE_OK ? code : ((keytool_curl_setopt)function)(handle, CURLOPT_PREREQFUNCTION, value);
}

// `port` has to live as long as the handle.
static inline CURLcode keytool_curl_note_port(void *function, CURL *handle, int *port) {
    CURLcode code = ((keytool_curl_setopt)function)(handle, CURLOPT_OPENSOCKETDATA, port);
    return code != CURLE_OK
        ? code : ((keytool_curl_setopt)function)(handle, CURLOPT_OPENSOCKETFUNCTION, keytool_curl_open_socket);
}

static inline CURLcode keytool_curl_get_long(void *function, CURL *handle, CURLINFO info, long *value) {
    return ((keytool_curl_getinfo)function)(handle, info, value);
}

static inline CURLcode keytool_curl_get_pointer(void *function, CURL *handle, CURLINFO info, void *value) {
    return ((keytool_curl_getinfo)function)(handle, info, value);
}

#endif
