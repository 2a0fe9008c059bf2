©
"serve*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿:Ô
Ñ"Î
_tf_keras_layerº{"class_name": "Lambda", "config": {"name": "l", "function": ["4wEAAAAAAAAAAAAAAAEAAAACAAAAQwAAAHMEAAAAfABTACkBTqkAKQHaAXhyAQAAAHIBAAAA+gd4LnB5", null, null], "function_type": "lambda"}}