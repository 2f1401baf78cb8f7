// libdeflate's CRC-32, which uses carry-less multiplication where the processor has it.
#pragma once
#include <libdeflate.h>
