/* The keeper's part of the audit log: one chain of lines, whichever front they come from (evidence/audit_file.h).
 *
 * KEEPER_AUDIT  record ("{...}", audit_record_is_sound())  ->  KEEPER_OK, u64 seq, SHA-256 of the line, when it lasts;
 *               KEEPER_REFUSED: it is no record; KEEPER_FAILED: it could not be written */
#pragma once

#include "keeper.h"

#define KEEPER_AUDIT_ANSWER (8u + 32u)

extern const struct keeper_feature keeper_audit;
