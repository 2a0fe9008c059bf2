O
"serve*2.11.0<
5
wConst*
valueBÿÿÿÿÿÿÿÿÿ*
dtype0"¿