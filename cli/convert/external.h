/* Sources of which one holds the tensors that another one names: the data of a TensorFlow checkpoint, what an ONNX model keeps
 * beside it.  All are judged as the files of a folder are; what holds only such tensors is not converted by a worker, for the
 * command knows where each of them is, of which type and with which digest.  Its bytes are copied unread, and the output's judge
 * finds whether they are those that were judged. */
#pragma once

#include "convert_impl.h"

/* Is there one whose name promises nothing, among several? */
bool externals_may_be(const struct convert *c);
/* Instead of converting one after the other.  Return: an exit status; it was said why it is not CLI_OK. */
int externals_convert(struct convert *c);
