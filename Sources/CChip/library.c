#include "library.h"

#include <dlfcn.h>

bool mam_load_tss2(struct mam_tss2 *tss) {
    void *const esys = dlopen("libtss2-esys.so.0", RTLD_NOW | RTLD_LOCAL);
    void *const mu = dlopen("libtss2-mu.so.0", RTLD_NOW | RTLD_LOCAL);
    void *const loader = dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!esys || !mu || !loader) return false;
#define MAM_TSS2_FIND(library, function) \
    tss->function = (__typeof__(tss->function))dlsym(library, #function); \
    if (!tss->function) return false;
    MAM_TSS2_FUNCTIONS(MAM_TSS2_FIND)
#undef MAM_TSS2_FIND
    return true;
}
