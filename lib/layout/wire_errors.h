/* What is wrong with a protobuf message, for formats that have one finding for each kind of trouble and not for each rule
 * of the wire: the rule stands in the finding's text.  Follows formats/onnx, section 2 (rules W1 to W14). */
#pragma once

#include "findings.h"
#include "protobuf.h"

struct wire_codes {
	enum wlk_finding structure; /* it cannot be read, or not as what it says */
	enum wlk_finding ambiguous; /* readers would see different things */
	enum wlk_finding unknown;   /* a field that the tables do not have */
};

/* Which finding it is.  @ret_rule: what it breaks, in words; static. */
enum wlk_finding wire_error(const struct wire_codes *codes, enum pb_error e, const char **ret_rule);

/* After such a finding nobody knows what a reader makes of the model, and no policy turns it into accept. */
bool wire_breaks(enum wlk_finding code);
