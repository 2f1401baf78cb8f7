#include "registers.h"

#if defined(__x86_64__)

__attribute__((target("avx"))) static void clear_avx(void) { __asm__ volatile("vzeroall"); }

// The sixteen registers that vzeroall does not clear.
__attribute__((target("avx512f"))) static void clear_avx512(void) {
    __asm__ volatile(
        "vpxord %zmm16, %zmm16, %zmm16\n vpxord %zmm17, %zmm17, %zmm17\n"
        "vpxord %zmm18, %zmm18, %zmm18\n vpxord %zmm19, %zmm19, %zmm19\n"
        "vpxord %zmm20, %zmm20, %zmm20\n vpxord %zmm21, %zmm21, %zmm21\n"
        "vpxord %zmm22, %zmm22, %zmm22\n vpxord %zmm23, %zmm23, %zmm23\n"
        "vpxord %zmm24, %zmm24, %zmm24\n vpxord %zmm25, %zmm25, %zmm25\n"
        "vpxord %zmm26, %zmm26, %zmm26\n vpxord %zmm27, %zmm27, %zmm27\n"
        "vpxord %zmm28, %zmm28, %zmm28\n vpxord %zmm29, %zmm29, %zmm29\n"
        "vpxord %zmm30, %zmm30, %zmm30\n vpxord %zmm31, %zmm31, %zmm31\n");
}

static void clear_sse(void) {
    __asm__ volatile(
        "pxor %xmm0, %xmm0\n pxor %xmm1, %xmm1\n pxor %xmm2, %xmm2\n pxor %xmm3, %xmm3\n"
        "pxor %xmm4, %xmm4\n pxor %xmm5, %xmm5\n pxor %xmm6, %xmm6\n pxor %xmm7, %xmm7\n"
        "pxor %xmm8, %xmm8\n pxor %xmm9, %xmm9\n pxor %xmm10, %xmm10\n pxor %xmm11, %xmm11\n"
        "pxor %xmm12, %xmm12\n pxor %xmm13, %xmm13\n pxor %xmm14, %xmm14\n pxor %xmm15, %xmm15\n");
}

// The System V calling convention preserves no vector registers, so no caller loses anything.
void mam_clear_registers(void) {
    if (__builtin_cpu_supports("avx512f")) clear_avx512();
    if (__builtin_cpu_supports("avx")) clear_avx();
    else clear_sse();
}

#elif defined(__aarch64__)

// The callee must preserve the lower halves of v8 to v15: the clobbers make the compiler do so.
void mam_clear_registers(void) {
    __asm__ volatile(
        "movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n movi v3.2d, #0\n"
        "movi v4.2d, #0\n movi v5.2d, #0\n movi v6.2d, #0\n movi v7.2d, #0\n"
        "movi v8.2d, #0\n movi v9.2d, #0\n movi v10.2d, #0\n movi v11.2d, #0\n"
        "movi v12.2d, #0\n movi v13.2d, #0\n movi v14.2d, #0\n movi v15.2d, #0\n"
        "movi v16.2d, #0\n movi v17.2d, #0\n movi v18.2d, #0\n movi v19.2d, #0\n"
        "movi v20.2d, #0\n movi v21.2d, #0\n movi v22.2d, #0\n movi v23.2d, #0\n"
        "movi v24.2d, #0\n movi v25.2d, #0\n movi v26.2d, #0\n movi v27.2d, #0\n"
        "movi v28.2d, #0\n movi v29.2d, #0\n movi v30.2d, #0\n movi v31.2d, #0\n"
        :
        :
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
          "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
          "v27", "v28", "v29", "v30", "v31");
}

#else
#error "which vector registers does this machine have?"
#endif
