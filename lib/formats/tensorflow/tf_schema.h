/* The messages of TensorFlow graphs, as far as formats/tensorflow section 2 gives them. */
#pragma once

#include "protobuf.h"

extern const struct pb_message tf_saved_model, tf_meta_graph, tf_meta_info, tf_op_list, tf_saver, tf_map_entry,
    tf_text_entry, tf_asset, tf_tensor_info, tf_object_graph, tf_object, tf_child, tf_slot, tf_object_asset,
    tf_user_object, tf_graph, tf_node, tf_attr_entry, tf_attr, tf_list, tf_func, tf_library, tf_function, tf_gradient,
    tf_signature, tf_argument, tf_op_attr, tf_tensor, tf_shape, tf_dim;
