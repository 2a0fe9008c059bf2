/* Everything a keeper can keep.  A further feature is a line here, its kinds in keeper.h, its handlers in a file of its
 * own, and whatever calls its library makes in the table of sandbox/keeper.c. */
#include <stdlib.h>

#include "keeper.h"
#include "keeper_audit.h"
#include "keeper_sign.h"
#include "keeper_store.h"

const struct keeper_feature *const keeper_features[] = { &keeper_store, &keeper_audit, &keeper_sign, NULL };

bool keeper_wanted(const struct settings *s)
{
	for (size_t i = 0; keeper_features[i]; i++) {
		if (keeper_features[i]->wanted(s))
			return true;
	}
	return false;
}

char *keeper_identity(const struct settings *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return NULL;
	fprintf(to, "%s\n", s->config.state_dir);
	for (size_t i = 0; keeper_features[i]; i++) {
		if (!keeper_features[i]->wanted(s))
			continue;
		fprintf(to, "%s ", keeper_features[i]->name);
		keeper_features[i]->depends_on(s, to);
	}
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
