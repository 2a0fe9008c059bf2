
Lroot.layer-0"_tf_keras_layer*%{"class_name": "Dense", "config": {}}2
Lroot.layer-0"_tf_keras_layer*%{"class_name": "Dense", "config": {}}2