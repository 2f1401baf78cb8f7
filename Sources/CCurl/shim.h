// libcurl, and its variadic calls with types.
#pragma once
#include <curl/curl.h>
#include <stddef.h>

/// Receives a piece; returns how much of it was taken.
typedef size_t (*mam_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode mam_curl_number(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode mam_curl_text(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}

/// `reason`: room for CURL_ERROR_SIZE bytes.
static inline CURLcode mam_curl_reason(CURL *curl, char *reason) {
    return curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
}

static inline CURLcode mam_curl_headers(CURL *curl, struct curl_slist *list) {
    return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
}

/// The certificates are copied.
static inline CURLcode mam_curl_authority(CURL *curl, const void *pem, size_t count) {
    struct curl_blob blob = {(void *)pem, count, CURL_BLOB_COPY};
    return curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &blob);
}

static inline CURLcode mam_curl_sinks(CURL *curl, mam_curl_sink body, mam_curl_sink header,
                                      void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_HEADERDATA, context);
    return code;
}

static inline long mam_curl_status(CURL *curl) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
