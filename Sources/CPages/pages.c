#include "pages.h"

const char *report_css(void) {
    static const unsigned char text[] = {
#embed "report.css"
        , 0};
    return (const char *)text;
}

const char *fleet_css(void) {
    static const unsigned char text[] = {
#embed "fleet.css"
        , 0};
    return (const char *)text;
}

const char *fleet_js(void) {
    static const unsigned char text[] = {
#embed "fleet.js"
        , 0};
    return (const char *)text;
}

const char *machines_html(void) {
    static const unsigned char text[] = {
#embed "machines.html"
        , 0};
    return (const char *)text;
}
