// The interfaces' own words, as docs/ has them.
#pragma once

/// What docs/NAME.varlink says, in UTF-8; null if there is no such file.
const char *_Nullable interface_text(const char *_Nonnull name);
