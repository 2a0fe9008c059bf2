/* The keeper's part of the audit log: one chain of lines, whichever front they come from (evidence/audit_file.h). */
#pragma once

#include "keeper.h"

extern const struct keeper_feature keeper_audit;
