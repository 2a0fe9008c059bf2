/* The four verdicts, which are kept with the files of a set; what makes one of them is the policy's. */
#pragma once

/* In order: reject > error > review > accept. */
enum verdict_value { VERDICT_ACCEPT, VERDICT_REVIEW, VERDICT_ERROR, VERDICT_REJECT };
