`
"serve*2.11.04

xPlaceholder*
dtype0

aAbort^x"¿"
legacy_init_op

a