// What the package needs from libcurl, in a form that Swift can call.
//
// `curl_easy_setopt`, `curl_easy_getinfo` and `curl_multi_setopt` are variadic, which Swift cannot import; each wrapper
// below fixes the type of the third argument. libcurl 7.68 (January 2020) is what the oldest systems have on which the
// package is to run.
#ifndef RESUMABLE_DOWNLOADS_CCURL_SHIM_H
#define RESUMABLE_DOWNLOADS_CCURL_SHIM_H

#if !__has_include(<curl/curl.h>)
#error "ResumableDownloads needs the headers of libcurl: libcurl4-openssl-dev on Debian and Ubuntu"
#endif

#include <curl/curl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#if LIBCURL_VERSION_NUM < 0x074400
#error "ResumableDownloads needs libcurl 7.68 or later: Debian 11, Ubuntu 20.04 and later have it"
#endif

// curl_easy_setopt(3) with a `long`.
static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

// curl_easy_setopt(3) with a `curl_off_t`.
static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

// curl_easy_setopt(3) with a string, which libcurl copies.
static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

// curl_easy_setopt(3) with a pointer that has to outlive the transfer.
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

// CURLOPT_HTTPHEADER(3): the list has to outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

// The shape of CURLOPT_WRITEFUNCTION(3) and CURLOPT_HEADERFUNCTION(3).
typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, ccurl_data_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}

// CURLOPT_PROTOCOLS(3) became CURLOPT_PROTOCOLS_STR(3) in 7.85.
static inline CURLcode ccurl_allow_http_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// CURLOPT_HTTPAUTH(3): macros with a cast, which Swift cannot import.
static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;

// curl_easy_getinfo(3) with a `long` result.
static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

// curl_easy_getinfo(3) with a `curl_off_t` result: the `_T` times, in microseconds, and sizes.
static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

// curl_easy_getinfo(3) with a string result, valid until the handle is used again.
static inline CURLcode ccurl_get_string(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}

// CURLSHOPT_SHARE(3): the TLS sessions of every handle that has this share.
static inline CURLSHcode ccurl_share_tls_sessions(CURLSH *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

// The shapes of CURLMOPT_SOCKETFUNCTION(3) and CURLMOPT_TIMERFUNCTION(3).
typedef int (*ccurl_socket_callback)(CURL *handle, curl_socket_t socket, int what, void *context, void *known);
typedef int (*ccurl_timer_callback)(CURLM *multi, long milliseconds, void *context);

// Both callbacks with one context; nothing is called back any more without one.
static inline void ccurl_multi_set_callbacks(
    CURLM *multi, ccurl_socket_callback socket, ccurl_timer_callback timer, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

// epoll_ctl(2) and epoll_wait(2): enumerators and a union, which Swift imports badly.
static const uint32_t ccurl_epoll_in = EPOLLIN;
static const uint32_t ccurl_epoll_out = EPOLLOUT;

static inline int ccurl_epoll_control(int poll, int operation, int descriptor, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
  return epoll_ctl(poll, operation, descriptor, &event);
}

static inline int ccurl_epoll_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

// A descriptor that becomes readable when anybody writes to it (eventfd(2)).
static inline int ccurl_event_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// The result inside a CURLMSG_DONE message: a C union, which Swift reads through this.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }

// A socket that becomes readable when a link, an address or a route of this machine changes (rtnetlink(7)), -1 when the
// kernel grants none. Here because Swift cannot import netlink's address type and its macros.
static inline int ccurl_open_route_socket(void) {
  struct sockaddr_nl address = {0};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor >= 0 && bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

#endif
