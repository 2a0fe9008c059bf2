R
"serve*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿\
"x*2.11.04

xPlaceholder*
dtype0

aAbort^x"¿"
legacy_init_op

a