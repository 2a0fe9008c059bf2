/* Core ML: models (coreml.c, over the tables of coreml_schema.h), the weights beside them in a package (coreml_weights.c),
 * and the package's manifest (coreml_manifest.c).  Follows docs/formats/coreml.md. */
#pragma once

#include "format.h"
#include "json_file.h"

#define COREML_SIZE_MAX UINT64_C(2147483647) /* what protobuf can count */
#define COREML_VERSION_MAX 10u               /* specificationVersion */
#define COREML_MESSAGES_MAX (1u << 24)

extern const struct wlk_format format_coreml, format_coreml_weights;

/* A file that a model or a manifest names, at @at in the part: is it in the package? */
void coreml_check_path(struct layout *l, struct bytes path, uint64_t at);

/* The Manifest.json of a package. */
extern const struct json_model json_model_coreml_manifest;
