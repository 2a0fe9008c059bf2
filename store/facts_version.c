/* See facts_version.h. */
#include "facts_version.h"

#include "facts_versions.h"

static const struct {
	bool reads;
	uint64_t by[REPORT_N_CHOSEN];
} versions[WLK_N_FORMATS] = {
#define X(id, probed, resorted, named) \
	[WLK_FORMAT_##                 \
	    id] = { true, { [REPORT_PROBED] = probed, [REPORT_RESORTED] = resorted, [REPORT_NAMED] = named } },
	FACTS_VERSIONS(X)
#undef X
};

uint64_t facts_version(const struct report_final *final, enum wlk_format_id hint)
{
	/* Of what is no reader's there is nothing narrower than everything. */
	enum wlk_format_id reader = versions[final->reader].reads ? final->reader : WLK_FORMAT_UNKNOWN;
	uint64_t version = versions[reader].by[reader != WLK_FORMAT_UNKNOWN ? final->chosen : REPORT_NAMED];

	if (hint != reader && versions[hint].reads && hint != WLK_FORMAT_UNKNOWN) /* it was asked about a misnomer */
		version = version * UINT64_C(0x9e3779b97f4a7c15) + versions[hint].by[REPORT_PROBED];
	return version;
}

uint64_t facts_version_of_set(void)
{
	return versions[WLK_FORMAT_UNKNOWN].by[REPORT_PROBED];
}

uint64_t facts_version_of_pass(void)
{
	return FACTS_PASS;
}
