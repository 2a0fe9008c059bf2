T
"serve*2.11.0A

zIdentityx:0*
T0

xPlaceholder*
dtype0"¿