// gettext(3) of domain `mamctl`. The process's own locale stays C: numbers, times and strerror(3)
// are as they were, and only what is asked for here is translated.
#pragma once

/// Takes the language from the environment, and the catalogue from `directory`, which may be NULL
/// for the system's. Not for two threads.
void mam_words_open(const char *directory);

/// The translation, in UTF-8; NULL if there is none.
const char *mam_words_for(const char *message);

/// The same of ngettext(3).
const char *mam_words_for_count(const char *one, const char *many, unsigned long count);

/// strerror(3) in that language, in UTF-8; NULL if no language was found.
const char *mam_words_for_error(int number);
