#pragma once

/// sd_journal_sendv(3) of `count` lines `FIELD=value`. The first call loads libsystemd, which
/// brings six more libraries: programs that log nothing start without them.
void mam_journal_send(const char *const *lines, int count);
