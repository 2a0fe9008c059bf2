H
"serve*2.11.0


MatMul)

xPlaceholder

yIdentityx"¿