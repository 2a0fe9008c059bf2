<
"serve*2.11.0)

xPlaceholder

yIdentityx"¿