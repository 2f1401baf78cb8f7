#include "interfaces.h"
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    const unsigned char *text;
} interfaces[] = {
    {"io.mamd.Audit",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Audit.varlink"
         , 0}},
    {"io.mamd.Enrollment",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Enrollment.varlink"
         , 0}},
    {"io.mamd.Fleet",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Fleet.varlink"
         , 0}},
    {"io.mamd.Identity",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Identity.varlink"
         , 0}},
    {"io.mamd.Policy",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Policy.varlink"
         , 0}},
    {"io.mamd.Protection",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Protection.varlink"
         , 0}},
    {"io.mamd.Recovery",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Recovery.varlink"
         , 0}},
    {"io.mamd.Report",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Report.varlink"
         , 0}},
    {"io.mamd.SignIn",
     (const unsigned char[]){
#embed "../../docs/io.mamd.SignIn.varlink"
         , 0}},
    {"io.mamd.Workspace",
     (const unsigned char[]){
#embed "../../docs/io.mamd.Workspace.varlink"
         , 0}},
};

const char *interface_text(const char *name) {
    for (size_t i = 0; i < sizeof(interfaces) / sizeof(*interfaces); i++)
        if (!strcmp(interfaces[i].name, name)) return (const char *)interfaces[i].text;
    return NULL;
}
