„
"serve*2.11.0)

xPlaceholder

yIdentityx"¿:F
D"B
_tf_keras_layer/{"class_name": "Dense", "config": {"units": 3}}