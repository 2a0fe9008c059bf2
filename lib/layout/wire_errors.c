/* The table of wire_errors.h. */
#include "wire_errors.h"

enum trouble { STRUCTURE, AMBIGUOUS, UNKNOWN };

static const struct {
	enum trouble trouble;
	const char *rule;
} errors[PB_N_ERRORS] = {
	[PB_VARINT] = { STRUCTURE, "a number of more than 64 bits" },
	[PB_TAG] = { STRUCTURE, "no field" },
	[PB_GROUP] = { STRUCTURE, "a group" },
	[PB_TRUNCATED] = { STRUCTURE, "longer than what it is in" },
	[PB_DEPTH] = { STRUCTURE, "nested too deeply" },
	[PB_OVERLONG] = { AMBIGUOUS, "a tag or length not in its shortest form" },
	[PB_OVERLONG_VALUE] = { AMBIGUOUS, "a value not in its shortest form" },
	[PB_WIRETYPE] = { AMBIGUOUS, "a known field of another type" },
	[PB_UNKNOWN] = { UNKNOWN, "an unknown field" },
	[PB_RESERVED] = { AMBIGUOUS, "a field that was given up" },
	[PB_DUPLICATE] = { AMBIGUOUS, "a field given twice" },
	[PB_ONEOF] = { AMBIGUOUS, "two fields that exclude each other" },
	[PB_UTF8] = { STRUCTURE, "text that is not UTF-8" },
	[PB_CONTROL] = { AMBIGUOUS, "a control character in a name" },
	[PB_RANGE] = { STRUCTURE, "a number that does not fit its field" },
	[PB_PACKED] = { STRUCTURE, "a run that is no whole number of items" },
};

enum wlk_finding wire_error(const struct wire_codes *codes, enum pb_error e, const char **ret_rule)
{
	*ret_rule = errors[e].rule;
	switch (errors[e].trouble) {
	case STRUCTURE: return codes->structure;
	case AMBIGUOUS: return codes->ambiguous;
	default: return codes->unknown;
	}
}

bool wire_breaks(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	return info->class == CLASS_UNSUPPORTED ||
	       (info->severity >= SEVERITY_HIGH && (info->class == CLASS_MALFORMED || info->class == CLASS_AMBIGUOUS));
}
