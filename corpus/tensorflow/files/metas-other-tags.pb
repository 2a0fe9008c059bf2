Q
"a"b*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿N
"a*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿