š
"serve*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿:F
D"B
_tf_keras_layer/{"class_name": "Dense", "config": {"units": 3}}