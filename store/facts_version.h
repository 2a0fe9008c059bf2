/* Which state of the engine a report was made by, as far as it matters to that report: see facts_versions.py. */
#pragma once

#include "report.h"

/**
 * facts_version() - would the engine of this build say the same?  It would where this is the same number.
 * @final: of the report: which reader it was, and how it was chosen
 * @hint: of the job: the reader that the name promises may have had a word as well
 */
uint64_t facts_version(const struct report_final *final, enum wlk_format_id hint);
/* Of a report about a set. */
uint64_t facts_version_of_set(void);
/* Of the pass alone: would the same bytes and extents make it find the same? */
uint64_t facts_version_of_pass(void);
