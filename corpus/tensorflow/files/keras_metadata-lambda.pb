
Lroot.layer-0"_tf_keras_layer*%{"class_name": "Dense", "config": {}}2
âroot.layer-0"_tf_keras_layer*º{"class_name": "Lambda", "config": {"name": "l", "function": ["4wEAAAAAAAAAAAAAAAEAAAACAAAAQwAAAHMEAAAAfABTACkBTqkAKQHaAXhyAQAAAHIBAAAA+gd4LnB5", null, null], "function_type": "lambda"}}2