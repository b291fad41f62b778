#ifndef RESUMABLE_DOWNLOADS_CCURL_SHIM_H
#define RESUMABLE_DOWNLOADS_CCURL_SHIM_H
#include <curl/curl.h>
#endif
