<
"serve*2.11.0)

xPlaceholder

yIdentityx"¿O
"x*2.11.0'

xPlaceholder

aAbort^x"¿"
legacy_init_op

a