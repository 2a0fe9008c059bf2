/* What ONNX Runtime's operators are known to do, by domain and name: formats/onnx, section 6. */
#pragma once

#include "bytes.h"
#include "findings.h"

/* The domains of the standard.  "" and "ai.onnx" are the same. */
bool onnx_domain_is_standard(struct bytes domain);
/* Those, and what the default policy knows besides. */
bool onnx_domain_is_known(struct bytes domain);

/* Does it run or read something that is not in the model?  @embed: of EPContext: the context is in the model. */
bool onnx_operator_code(struct bytes domain, struct bytes op, bool embed, enum wlk_finding *ret);

/* Is it one of a known domain's own?  Others need a kernel of somebody else's. */
bool onnx_operator_is_known(struct bytes domain, struct bytes op);
