#include "chip.h"

#include <errno.h>
#include <openssl/sha.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "library.h"

// The one that provisioning leaves a storage key at, by TCG's guidance.
static const TPM2_HANDLE storage_key = 0x81000001;

static struct mam_chip_request request;
static struct mam_chip_reply reply;

static struct mam_tss2 tss;
static ESYS_CONTEXT *chip;

// Zero is no object of the library's.
static ESYS_TR parent, object, session;
static bool is_parent_transient;

// MARK: Names and errors

// An error of the chip's, without the number of the parameter or session that it is about.
static TSS2_RC base(TSS2_RC code) {
    if (code & TSS2_RC_LAYER_MASK) return code;
    return code & TPM2_RC_FMT1 ? code & (TPM2_RC_FMT1 | 0x3F) : code;
}

static bool fails(TSS2_RC code) {
    if (code == TSS2_RC_SUCCESS) return false;
    reply.code = code;
    switch (base(code)) {
    case TPM2_RC_LOCKOUT: reply.end = MAM_CHIP_LOCKED_OUT; break;
    case TPM2_RC_INTEGRITY: reply.end = MAM_CHIP_DAMAGED; break;
    case TPM2_RC_POLICY_FAIL:
    case TPM2_RC_PCR_CHANGED: reply.end = MAM_CHIP_PCRS_CHANGED; break;
    default: reply.end = MAM_CHIP_FAILED;
    }
    return true;
}

// The PIN, or the password of a key or hierarchy: who asked knows which.
static bool is_password_refused(void) {
    const TSS2_RC code = base(reply.code);
    return code == TPM2_RC_AUTH_FAIL || code == TPM2_RC_BAD_AUTH;
}

// Computed here: who stands between the chip and this machine could name its own key as it likes.
static bool take_name(const TPM2B_PUBLIC *public, uint8_t name[MAM_CHIP_NAME]) {
    uint8_t area[sizeof(TPMT_PUBLIC)];
    size_t count = 0;
    if (fails(tss.Tss2_MU_TPMT_PUBLIC_Marshal(&public->publicArea, area, sizeof area, &count)))
        return false;
    name[0] = TPM2_ALG_SHA256 >> 8;
    name[1] = TPM2_ALG_SHA256 & 0xFF;
    SHA256(area, count, name + 2);
    return true;
}

// MARK: The storage key

static const TPM2B_PUBLIC storage_template = {
    .publicArea =
        {
            .type = TPM2_ALG_ECC,
            .nameAlg = TPM2_ALG_SHA256,
            .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT |
                                TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH |
                                TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT,
            .parameters.eccDetail =
                {
                    .symmetric = {.algorithm = TPM2_ALG_AES,
                                  .keyBits.aes = 128,
                                  .mode.aes = TPM2_ALG_CFB},
                    .scheme.scheme = TPM2_ALG_NULL,
                    .curveID = TPM2_ECC_NIST_P256,
                    .kdf.scheme = TPM2_ALG_NULL,
                },
            .unique.ecc = {.x.size = 32, .y.size = 32},
        },
};

static bool is_of_template(const TPM2B_PUBLIC *found) {
    uint8_t one[sizeof(TPMT_PUBLIC)], other[sizeof(TPMT_PUBLIC)];
    size_t count = 0, other_count = 0;
    TPM2B_PUBLIC blank = *found;
    if (blank.publicArea.type != TPM2_ALG_ECC) return false;
    blank.publicArea.unique = storage_template.publicArea.unique;
    return !tss.Tss2_MU_TPMT_PUBLIC_Marshal(&storage_template.publicArea, one, sizeof one,
                                            &count) &&
           !tss.Tss2_MU_TPMT_PUBLIC_Marshal(&blank.publicArea, other, sizeof other, &other_count) &&
           count == other_count && memcmp(one, other, count) == 0;
}

static bool is_wanted(const uint8_t name[MAM_CHIP_NAME]) {
    return request.act == MAM_CHIP_SEAL || memcmp(name, request.sealed.parent, MAM_CHIP_NAME) == 0;
}

// Whether the library salts sessions to the key of that name, which it computes, too: what it was
// told of the key may differ from what was told here.
static bool is_of_name(ESYS_TR key, const uint8_t name[MAM_CHIP_NAME]) {
    TPM2B_NAME *found = NULL;
    if (tss.Esys_TR_GetName(chip, key, &found)) return false;
    const bool is_it = found->size == MAM_CHIP_NAME &&
                       memcmp(found->name, name, MAM_CHIP_NAME) == 0;
    tss.Esys_Free(found);
    return is_it;
}

// The persistent one, if it is what is wanted: making it anew may take a second.
static bool finds_stored_key(void) {
    TPM2B_PUBLIC *public = NULL;
    uint8_t name[MAM_CHIP_NAME];
    if (tss.Esys_TR_FromTPMPublic(chip, storage_key, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                  &parent)) {
        parent = 0;
        return false;
    }
    const bool is_it = !tss.Esys_ReadPublic(chip, parent, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                            &public, NULL, NULL) &&
                       is_of_template(public) && take_name(public, name) && is_wanted(name) &&
                       is_of_name(parent, name);
    tss.Esys_Free(public);
    if (is_it) memcpy(reply.sealed.parent, name, MAM_CHIP_NAME);
    else tss.Esys_TR_Close(chip, &parent), parent = 0;
    return is_it;
}

static bool makes_key(void) {
    const TPM2B_SENSITIVE_CREATE nothing = {0};
    const TPM2B_DATA outside = {0};
    const TPML_PCR_SELECTION none = {0};
    TPM2B_PUBLIC *public = NULL;
    const TSS2_RC code = tss.Esys_CreatePrimary(
        chip, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &nothing,
        &storage_template, &outside, &none, &parent, &public, NULL, NULL, NULL);
    if (fails(code)) {
        parent = 0;
        if (is_password_refused()) reply.end = MAM_CHIP_OWNED;
        return false;
    }
    is_parent_transient = true;
    const bool is_named = take_name(public, reply.sealed.parent);
    tss.Esys_Free(public);
    if (!is_named) return false;
    if (is_wanted(reply.sealed.parent)) return true;
    reply.end = MAM_CHIP_OTHER;
    return false;
}

// MARK: Sessions

// Salted to the storage key, whose name was compared: without that key nobody knows what is said.
static bool starts(TPM2_SE type, ESYS_TR salt) {
    const TPMT_SYM_DEF cipher = {
        .algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
    if (fails(tss.Esys_StartAuthSession(chip, salt, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                        ESYS_TR_NONE, NULL, type, &cipher, TPM2_ALG_SHA256,
                                        &session))) {
        session = 0;
        return false;
    }
    if (type == TPM2_SE_TRIAL) return true;
    const TPMA_SESSION sealed = TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_ENCRYPT |
                                (type == TPM2_SE_HMAC ? TPMA_SESSION_DECRYPT : 0);
    return !fails(tss.Esys_TRSess_SetAttributes(chip, session, sealed,
                                                TPMA_SESSION_CONTINUESESSION |
                                                    TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT));
}

static void flush(ESYS_TR *handle) {
    if (*handle) tss.Esys_FlushContext(chip, *handle);
    *handle = 0;
}

static bool asserts_policy(uint32_t pcrs) {
    const TPM2B_DIGEST as_they_are = {0};
    const TPML_PCR_SELECTION selection = {
        .count = 1,
        .pcrSelections = {{
            .hash = TPM2_ALG_SHA256,
            .sizeofSelect = 3,
            .pcrSelect = {pcrs & 0xFF, pcrs >> 8 & 0xFF, pcrs >> 16 & 0xFF},
        }},
    };
    return !fails(tss.Esys_PolicyPCR(chip, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                     &as_they_are, &selection)) &&
           !(request.has_pin && fails(tss.Esys_PolicyAuthValue(chip, session, ESYS_TR_NONE,
                                                               ESYS_TR_NONE, ESYS_TR_NONE)));
}

// The chip leaves out of a policy, without a word, what its bank has not.
static bool has(uint32_t pcrs) {
    TPMS_CAPABILITY_DATA *found = NULL;
    TPMI_YES_NO more = 0;
    uint32_t kept = 0;
    if (fails(tss.Esys_GetCapability(chip, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2_CAP_PCRS,
                                     0, 1, &more, &found)))
        return false;
    const TPML_PCR_SELECTION *const banks = &found->data.assignedPCR;
    for (uint32_t bank = 0; bank < banks->count; bank++) {
        const TPMS_PCR_SELECTION *const one = &banks->pcrSelections[bank];
        if (one->hash != TPM2_ALG_SHA256) continue;
        for (uint8_t byte = 0; byte < one->sizeofSelect && byte < 3; byte++)
            kept |= (uint32_t)one->pcrSelect[byte] << 8 * byte;
    }
    tss.Esys_Free(found);
    if ((pcrs & ~kept) == 0) return true;
    reply.end = MAM_CHIP_NO_PCRS;
    return false;
}

static bool computes_policy(TPM2B_DIGEST *policy) {
    TPM2B_DIGEST *found = NULL;
    if (!has(request.sealed.pcrs) || !starts(TPM2_SE_TRIAL, ESYS_TR_NONE) ||
        !asserts_policy(request.sealed.pcrs) ||
        fails(tss.Esys_PolicyGetDigest(chip, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                       &found)))
        return false;
    *policy = *found;
    tss.Esys_Free(found);
    flush(&session);
    return true;
}

// MARK: Sealing

static bool stores(const TPM2B_PUBLIC *public, const TPM2B_PRIVATE *private) {
    size_t public_count = 0, private_count = 0;
    if (fails(tss.Tss2_MU_TPM2B_PUBLIC_Marshal(public, reply.sealed.public_part, MAM_CHIP_PART,
                                               &public_count)) ||
        fails(tss.Tss2_MU_TPM2B_PRIVATE_Marshal(private, reply.sealed.private_part, MAM_CHIP_PART,
                                                &private_count)))
        return false;
    reply.sealed.public_count = public_count;
    reply.sealed.private_count = private_count;
    reply.sealed.pcrs = request.sealed.pcrs;
    return true;
}

static bool seals(void) {
    TPM2B_PUBLIC template = {
        .publicArea =
            {
                .type = TPM2_ALG_KEYEDHASH,
                .nameAlg = TPM2_ALG_SHA256,
                .objectAttributes =
                    TPMA_OBJECT_FIXEDTPM |
                    TPMA_OBJECT_FIXEDPARENT
                    // The chip counts wrong PINs. Without a PIN there is nothing to guess.
                    | (request.has_pin ? 0 : TPMA_OBJECT_NODA)
                    // Or the PIN alone would do, whatever the PCRs.
                    | (request.sealed.pcrs ? 0 : TPMA_OBJECT_USERWITHAUTH),
                .parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL,
            },
    };
    if (request.sealed.pcrs && !computes_policy(&template.publicArea.authPolicy)) return false;
    if (!starts(TPM2_SE_HMAC, parent)) return false;
    TPM2B_SENSITIVE_CREATE sensitive = {.sensitive.data.size = MAM_CHIP_SECRET};
    memcpy(sensitive.sensitive.data.buffer, request.secret, MAM_CHIP_SECRET);
    if (request.has_pin) {
        sensitive.sensitive.userAuth.size = MAM_CHIP_SECRET;
        memcpy(sensitive.sensitive.userAuth.buffer, request.pin, MAM_CHIP_SECRET);
    }
    const TPM2B_DATA outside = {0};
    const TPML_PCR_SELECTION none = {0};
    TPM2B_PUBLIC *public = NULL;
    TPM2B_PRIVATE *private = NULL;
    const bool is_sealed = !fails(tss.Esys_Create(chip, parent, session, ESYS_TR_NONE, ESYS_TR_NONE,
                                                  &sensitive, &template, &outside, &none, &private,
                                                  &public, NULL, NULL, NULL)) &&
                           stores(public, private);
    tss.Esys_Free(public);
    tss.Esys_Free(private);
    return is_sealed;
}

// MARK: Unsealing

static bool loads(void) {
    TPM2B_PUBLIC public = {0};
    TPM2B_PRIVATE private = {0};
    size_t public_end = 0, private_end = 0;
    const struct mam_chip_sealed *const sealed = &request.sealed;
    if (sealed->public_count > MAM_CHIP_PART || sealed->private_count > MAM_CHIP_PART ||
        tss.Tss2_MU_TPM2B_PUBLIC_Unmarshal(sealed->public_part, sealed->public_count, &public_end,
                                           &public) ||
        tss.Tss2_MU_TPM2B_PRIVATE_Unmarshal(sealed->private_part, sealed->private_count,
                                            &private_end, &private) ||
        public_end != sealed->public_count || private_end != sealed->private_count) {
        reply.end = MAM_CHIP_DAMAGED;
        return false;
    }
    if (!starts(TPM2_SE_HMAC, parent)) return false;
    if (!fails(tss.Esys_Load(chip, parent, session, ESYS_TR_NONE, ESYS_TR_NONE, &private, &public,
                             &object)))
        return true;
    object = 0;
    return false;
}

static bool unseals(void) {
    if (!loads()) return false;
    if (request.sealed.pcrs) {
        flush(&session);
        if (!starts(TPM2_SE_POLICY, parent) || !asserts_policy(request.sealed.pcrs)) return false;
    }
    if (request.has_pin) {
        TPM2B_AUTH pin = {.size = MAM_CHIP_SECRET};
        memcpy(pin.buffer, request.pin, MAM_CHIP_SECRET);
        if (fails(tss.Esys_TR_SetAuth(chip, object, &pin))) return false;
    }
    TPM2B_SENSITIVE_DATA *data = NULL;
    // It takes no parameter that could be encrypted.
    if (fails(tss.Esys_TRSess_SetAttributes(chip, session, 0, TPMA_SESSION_DECRYPT))) return false;
    if (fails(tss.Esys_Unseal(chip, object, session, ESYS_TR_NONE, ESYS_TR_NONE, &data))) {
        // No other command has the PIN: their refusals are no wrong PIN, which may wipe an account.
        if (request.has_pin && is_password_refused()) reply.end = MAM_CHIP_WRONG_PIN;
        return false;
    }
    const bool is_whole = data->size == MAM_CHIP_SECRET;
    if (is_whole) memcpy(reply.secret, data->buffer, MAM_CHIP_SECRET);
    else reply.end = MAM_CHIP_DAMAGED;
    tss.Esys_Free(data);
    return is_whole;
}

// MARK: The whole

// How long the chip takes to forget one wrong PIN.
static uint32_t lockout_interval(void) {
    TPMS_CAPABILITY_DATA *found = NULL;
    TPMI_YES_NO more = 0;
    uint32_t seconds = 0;
    if (tss.Esys_GetCapability(chip, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                               TPM2_CAP_TPM_PROPERTIES, TPM2_PT_LOCKOUT_INTERVAL, 1, &more, &found))
        return 0;
    const TPML_TAGGED_TPM_PROPERTY *const properties = &found->data.tpmProperties;
    if (properties->count == 1 && properties->tpmProperty[0].property == TPM2_PT_LOCKOUT_INTERVAL)
        seconds = properties->tpmProperty[0].value;
    tss.Esys_Free(found);
    return seconds;
}

static void ask(void) {
    const bool has_key = finds_stored_key() || makes_key();
    const bool is_done = has_key && (request.act == MAM_CHIP_SEAL ? seals() : unseals());
    if (is_done) reply.end = MAM_CHIP_DONE;
    if (reply.end == MAM_CHIP_LOCKED_OUT) reply.seconds = lockout_interval();
    flush(&session);
    flush(&object);
    if (is_parent_transient) flush(&parent);
}

static void ask_over_transport(void) {
    TSS2_TCTI_CONTEXT *transport = NULL;
    const char device[] = "device:";
    reply.end = MAM_CHIP_NONE;
    reply.code = tss.Tss2_TctiLdr_Initialize(request.transport, &transport);
    if (reply.code) {
        if (strncmp(request.transport, device, sizeof device - 1) == 0 &&
            access(request.transport + sizeof device - 1, R_OK | W_OK) != 0 &&
            (errno == EACCES || errno == EPERM))
            reply.end = MAM_CHIP_NOT_PERMITTED;
        return;
    }
    reply.code = tss.Esys_Initialize(&chip, transport, NULL);
    if (!reply.code) {
        reply.end = MAM_CHIP_FAILED;
        ask();
        tss.Esys_Finalize(&chip);
    }
    tss.Tss2_TctiLdr_Finalize(&transport);
}

static bool passes_all(ssize_t (*pass)(int, void *, size_t), int descriptor, void *bytes,
                       size_t count) {
    for (size_t done = 0; done < count;) {
        const ssize_t passed = pass(descriptor, (char *)bytes + done, count - done);
        if (passed < 0 && errno == EINTR) continue;
        if (passed <= 0) return false;
        done += (size_t)passed;
    }
    return true;
}

static ssize_t write_some(int descriptor, void *bytes, size_t count) {
    return write(descriptor, bytes, count);
}

int mam_chip_serve(int requests, int replies) {
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, 9);
    mlock(&request, sizeof request);
    mlock(&reply, sizeof reply);
    if (!passes_all(read, requests, &request, sizeof request)) return 1;
    request.transport[sizeof request.transport - 1] = 0;
    if (mam_load_tss2(&tss)) ask_over_transport();
    else reply.end = MAM_CHIP_NO_LIBRARY;
    return passes_all(write_some, replies, &reply, sizeof reply) ? 0 : 1;
}
