X
"serve*2.11.0E

xPlaceholder*
dtype0

zIdentitynowhere*
T0"¿