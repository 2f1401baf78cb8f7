#define _GNU_SOURCE
#include "words.h"

#include <libintl.h>
#include <locale.h>
#include <stddef.h>
#include <string.h>

static const char domain[] = "mamctl";
static locale_t language;

void mam_words_open(const char *directory) {
    if (language) freelocale(language);
    language = newlocale(LC_MESSAGES_MASK, "", NULL);
    if (directory) bindtextdomain(domain, directory);
    bind_textdomain_codeset(domain, "UTF-8");
    bind_textdomain_codeset("libc", "UTF-8");
}

const char *mam_words_for(const char *message) {
    if (!language) return NULL;
    const locale_t own = uselocale(language);
    const char *found = dgettext(domain, message);
    uselocale(own);
    return found == message ? NULL : found;
}

const char *mam_words_for_count(const char *one, const char *many, unsigned long count) {
    if (!language) return NULL;
    const locale_t own = uselocale(language);
    const char *found = dngettext(domain, one, many, count);
    uselocale(own);
    return found == one || found == many ? NULL : found;
}

const char *mam_words_for_error(int number) {
    return language ? strerror_l(number, language) : NULL;
}
