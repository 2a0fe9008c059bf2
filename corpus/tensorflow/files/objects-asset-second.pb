g
"serve*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿2	vocab.txt:
*