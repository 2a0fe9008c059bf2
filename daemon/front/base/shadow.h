/* A policy that is not in force yet judges the reports that default_policy has judged; where it disagrees is logged and counted, and
 * nobody is told otherwise.  The report is the same one: limits, and names that pickles may import, are those of default_policy. */
#pragma once

#include "env.h"
#include "set_verdict.h"

/**
 * shadow_judge() - a second opinion, if there is to be one
 * @by: the policy that made @v.  @set: NULL: of a file
 */
void shadow_judge(struct env *env, const struct policy *by, const struct set_file *set, const struct facts *f,
    const struct verdict_context *c, const struct verdict *v);
