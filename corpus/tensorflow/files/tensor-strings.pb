L
"serve*2.11.09
2
sConst*
valueBBaBb*
dtype0"¿