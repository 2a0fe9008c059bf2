R
"serve*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿I
"x*2.11.0:

xPlaceholder*
dtype0

w	WriteFilexx"¿