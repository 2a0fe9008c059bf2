/* The findings: the tables of findings/, laid out for look-up. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"

static const struct finding_info findings[WLK_N_FINDINGS] = {
#define X(name, code, class, severity, title, why, fix, clause) \
	[WLK_F_##name] = { code, CLASS_##class, SEVERITY_##severity, title, why, fix, clause },
	WLK_FINDINGS(X)
#undef X
};

const struct finding_info *finding_info(enum wlk_finding f)
{
	assert(f < WLK_N_FINDINGS);
	return &findings[f];
}

static const struct shipped {
	const char *code;
	unsigned since;
	bool adds;
} shipped[] = {
#include "codes_table.h"
};

static int compare_codes(const void *key, const void *item)
{
	return strcmp(key, ((const struct shipped *)item)->code);
}

static const struct shipped *find_shipped(enum wlk_finding f)
{
	return bsearch(
	    finding_info(f)->code, shipped, sizeof(shipped) / sizeof(shipped[0]), sizeof(shipped[0]), compare_codes);
}

unsigned finding_since(enum wlk_finding f)
{
	const struct shipped *s = find_shipped(f);

	return s != NULL ? s->since : WLK_RULES_VERSION;
}

bool finding_adds(enum wlk_finding f)
{
	const struct shipped *s = find_shipped(f);

	return s != NULL && s->adds;
}

/* ---- numbers ---- */

static const struct numbered {
	uint32_t number;
	enum wlk_finding finding;
} by_number[WLK_N_FINDINGS] = {
#define X(name, number) { number, WLK_F_##name },
	WLK_FINDING_NUMBERS(X)
#undef X
};

static const uint32_t numbers[WLK_N_FINDINGS] = {
#define X(name, number) [WLK_F_##name] = (number),
	WLK_FINDING_NUMBERS(X)
#undef X
};

uint32_t finding_number(enum wlk_finding f)
{
	assert(f < WLK_N_FINDINGS);
	return numbers[f];
}

static int compare_numbers(const void *key, const void *item)
{
	uint32_t a = *(const uint32_t *)key, b = ((const struct numbered *)item)->number;

	return (a > b) - (a < b);
}

bool finding_by_number(uint32_t number, enum wlk_finding *ret)
{
	const struct numbered *n = bsearch(&number, by_number, WLK_N_FINDINGS, sizeof(by_number[0]), compare_numbers);

	if (n != NULL)
		*ret = n->finding;
	return n != NULL;
}

enum wlk_finding finding_of_rank(unsigned rank)
{
	assert(rank < WLK_N_FINDINGS);
	return by_number[rank].finding;
}

bool finding_by_code(const char *code, enum wlk_finding *ret)
{
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		if (strcmp(findings[i].code, code) == 0) {
			*ret = (enum wlk_finding)i;
			return true;
		}
	}
	return false;
}

const char *finding_class_text(enum finding_class c)
{
	static const char *const texts[N_FINDING_CLASSES] = {
		[CLASS_MALICIOUS] = "malicious",
		[CLASS_MALFORMED] = "malformed",
		[CLASS_AMBIGUOUS] = "ambiguous",
		[CLASS_CODE] = "code",
		[CLASS_UNSUPPORTED] = "unsupported",
		[CLASS_QUALITY] = "quality",
		[CLASS_INCOMPLETE] = "incomplete",
	};

	assert(c < N_FINDING_CLASSES);
	return texts[c];
}

const char *finding_severity_text(enum finding_severity s)
{
	static const char *const texts[N_FINDING_SEVERITIES] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_LOW] = "low",
		[SEVERITY_MEDIUM] = "medium",
		[SEVERITY_HIGH] = "high",
		[SEVERITY_CRITICAL] = "critical",
	};

	assert(s < N_FINDING_SEVERITIES);
	return texts[s];
}
