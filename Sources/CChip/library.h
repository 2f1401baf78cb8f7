// libtss2, which is loaded when a chip is asked, and no dependency of the programs.
#pragma once

#include <stdbool.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

#define MAM_TSS2_FUNCTIONS(F) \
    F(esys, Esys_Initialize) \
    F(esys, Esys_Finalize) \
    F(esys, Esys_Free) \
    F(esys, Esys_TR_FromTPMPublic) \
    F(esys, Esys_TR_Close) \
    F(esys, Esys_TR_GetName) \
    F(esys, Esys_TR_SetAuth) \
    F(esys, Esys_ReadPublic) \
    F(esys, Esys_CreatePrimary) \
    F(esys, Esys_Create) \
    F(esys, Esys_Load) \
    F(esys, Esys_Unseal) \
    F(esys, Esys_StartAuthSession) \
    F(esys, Esys_TRSess_SetAttributes) \
    F(esys, Esys_PolicyPCR) \
    F(esys, Esys_PolicyAuthValue) \
    F(esys, Esys_PolicyGetDigest) \
    F(esys, Esys_FlushContext) \
    F(esys, Esys_GetCapability) \
    F(mu, Tss2_MU_TPM2B_PUBLIC_Marshal) \
    F(mu, Tss2_MU_TPM2B_PUBLIC_Unmarshal) \
    F(mu, Tss2_MU_TPM2B_PRIVATE_Marshal) \
    F(mu, Tss2_MU_TPM2B_PRIVATE_Unmarshal) \
    F(mu, Tss2_MU_TPMT_PUBLIC_Marshal) \
    F(loader, Tss2_TctiLdr_Initialize) \
    F(loader, Tss2_TctiLdr_Finalize)

struct mam_tss2 {
#define MAM_TSS2_MEMBER(library, function) __typeof__(function) *function;
    MAM_TSS2_FUNCTIONS(MAM_TSS2_MEMBER)
#undef MAM_TSS2_MEMBER
};

// False if a library is missing.
bool mam_load_tss2(struct mam_tss2 *tss);
