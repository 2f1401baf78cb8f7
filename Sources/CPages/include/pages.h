// What is the same in all pages that mamctl writes, as the files beside have it.
#pragma once

/// The style sheet of a report, and what the page about all machines adds to it. All are UTF-8.
const char *_Nonnull report_css(void);
const char *_Nonnull fleet_css(void);

/// That page's script, and the part of the page that the script fills.
const char *_Nonnull fleet_js(void);
const char *_Nonnull machines_html(void);
