/* Configurations in pickles: texts under keys by which a library imports or calls what they name - Lightning's hyper_parameters,
 * Hydra's trees, pyannote's architecture - or which it gives to eval() - fairseq's layers - though the pickle itself is data.  Follows formats/configs, section 2.4. */
#pragma once

#include "format.h"
#include "pickle.h"

struct config_pickle {
	struct layout *l;
	uint64_t origin;                   /* added to offsets, as pickle_judge_options.origin */
	struct bytes member;               /* path for findings */
	struct config_pickle_state *state; /* NULL before the first such key */
	bool failed;                       /* no memory */
};

/* pickle_judge_options.wanted */
bool config_pickle_wants(struct bytes key);
/* For each event: those of the keys are kept, and judged when the pickle ends. */
void config_pickle_event(struct config_pickle *c, const struct pickle *p, const struct pickle_event *e);
