// Small C helpers: what Swift cannot import (variadic calls, raw syscalls, macros).
#pragma once
#include "attributes.h"
#include "credentials.h"
#include "file_handles.h"
#include "landlock.h"
#include "libraries.h"
#include "messages.h"
#include "mounting.h"
#include "random.h"
#include "registers.h"
#include "service.h"
#include "syscalls.h"
#include "words.h"
