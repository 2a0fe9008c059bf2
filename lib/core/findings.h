/* The findings: each folder's findings.txt, made into one table (tables.py says what a row holds).
 * WLK_FINDINGS(X): X(name, code, class, severity, title, why, fix, clause); WLK_REFERENCES(X): X(name, numbers). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "findings_table.h"

/* Grows with every change of findings, tables or readers. */
#define WLK_RULES_VERSION 7

enum finding_class {
	CLASS_MALICIOUS,   /* does something when loaded */
	CLASS_MALFORMED,   /* breaks its format */
	CLASS_AMBIGUOUS,   /* two readers would see two things */
	CLASS_CODE,        /* carries code that somebody may run */
	CLASS_UNSUPPORTED, /* not (fully) understood by this build */
	CLASS_QUALITY,     /* well formed, probably not meant */
	CLASS_INCOMPLETE,  /* a budget ended the examination */
	N_FINDING_CLASSES
};

enum finding_severity {
	SEVERITY_INFO,
	SEVERITY_LOW,
	SEVERITY_MEDIUM,
	SEVERITY_HIGH,
	SEVERITY_CRITICAL,
	N_FINDING_SEVERITIES
};

enum wlk_finding {
#define X(name, code, class, severity, title, why, fix, clause) WLK_F_##name,
	WLK_FINDINGS(X)
#undef X
	    WLK_N_FINDINGS
};

struct finding_info {
	const char *code;
	enum finding_class class;
	enum finding_severity severity;
	const char *title, *why, *fix, *clause;
};

/* Any value below WLK_N_FINDINGS; out of range is a bug.  Static storage. */
const struct finding_info *finding_info(enum wlk_finding f);
/* The rules version (WLK_RULES_VERSION) it came with. */
unsigned finding_since(enum wlk_finding f);
/* Did the rules before that version let through whatever raises it (codes.py)? */
bool finding_adds(enum wlk_finding f);
/* What stands for a finding in reports: its code's, whatever else there is.  The first of them is that of rank 0. */
uint32_t finding_number(enum wlk_finding f);
bool finding_by_number(uint32_t number, enum wlk_finding *ret);
enum wlk_finding finding_of_rank(unsigned rank);
/* Look a code up; false when nobody ever shipped it. */
bool finding_by_code(const char *code, enum wlk_finding *ret);

const char *finding_class_text(enum finding_class c);
const char *finding_severity_text(enum finding_severity s);
