/* JSON files that are models, or say what a model is made of.  The reader of JSON files (json_file.h) has found them strict
 * and knows them by the names of their outermost object; here they are judged.
 *
 * Each: @text: all of the file, which an extent describes.  Return: WLK_DONE, also with findings, when all of it is understood;
 * WLK_BROKEN; WLK_INCOMPLETE. */
#pragma once

#include "format.h"

/* A model of TensorFlow.js: layers as Keras has them, or a graph; and where its weights are, which are files of their own. */
enum wlk_status tfjs_check(struct layout *l, struct bytes text);
/* The description of an array, or of a folder of them: zarr 2 and 3, as Orbax writes it too. */
enum wlk_status zarr_check(struct layout *l, struct bytes text);

/* Keras models as YAML, which Keras wrote up to TensorFlow 2.5: is it one?  Then it is reported, and never understood. */
bool keras_yaml_check(struct layout *l, struct bytes text);

extern const struct wlk_format format_zarr;
