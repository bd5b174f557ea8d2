#pragma once

#include <stdbool.h>
#include <stddef.h>

// valgrind's client requests: instructions that do nothing outside of valgrind.
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>

static inline bool memcheck_runs(void) { return RUNNING_ON_VALGRIND != 0; }
static inline void memcheck_hide(const void *bytes, size_t count) { (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes, count); }
static inline void memcheck_show(const void *bytes, size_t count) { (void)VALGRIND_MAKE_MEM_DEFINED(bytes, count); }
static inline unsigned memcheck_reports(void) { return VALGRIND_COUNT_ERRORS; }
#else
// The program is built with all others, also where valgrind's headers are missing.
static inline bool memcheck_runs(void) { return false; }
static inline void memcheck_hide(const void *bytes, size_t count) {}
static inline void memcheck_show(const void *bytes, size_t count) {}
static inline unsigned memcheck_reports(void) { return 0; }
#endif
