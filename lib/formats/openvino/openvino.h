/* OpenVINO's intermediate representation, versions 10 and 11: the .xml half.  The weights are in a .bin file of the same
 * name, which has no structure of its own: the reader says which constant is where (rows of the manifest), and a set that
 * holds both is judged against that (lib/sets/set_external.c). */
#pragma once

#include "format.h"

extern const struct wlk_format format_openvino;

/* Is it the name of an operation in one of OpenVINO's operation sets, in any case of letters (as its reader looks it up)? */
bool openvino_is_operation(struct bytes type);
/* Is it the name of one of those sets? */
bool openvino_is_opset(struct bytes version);
/* Bits of an element of this type; 0: it has no fixed number.  False: no such type. */
bool openvino_type_bits(struct bytes type, unsigned *ret);
/* What an element type, or an older version's precision, is; NONE: neither. */
enum wlk_dtype openvino_dtype(struct bytes type);
