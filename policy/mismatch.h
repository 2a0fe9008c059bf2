/* Does the name suggest what the content is?  Judged here and not in the worker, which learns of the name no more than a
 * family: so one report makes two verdicts when one file has two names.  Follows formats/others, Decisions 1. */
#pragma once

#include "facts.h"

/**
 * mismatch_find() - the finding about a file's name, if there is one
 * @name: as the caller gave it; NULL: none, and no finding.
 * format-extension-mismatch when a loader that goes by the content would act on it (a pickle, a script, a program, an
 * archive that carries code), or for an archive that no loader opens in the clothes of a model; format-name-differs when
 * nobody is attacked by it.  Families, not extensions: a pickle named .pt is what torch.load() expects.
 * Return: false: the name suggests nothing, or what the file is; or the worker said so already.
 */
bool mismatch_find(const struct facts *f, const char *name, struct finding *ret);

/* Is @content one of the family that @hint (format_hint()) suggests?  True when either says nothing. */
bool mismatch_agree(enum wlk_format_id hint, enum wlk_format_id content);
