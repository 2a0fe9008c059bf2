G
"serve*2.11.04
-
wConst*
valueB	È*
dtype0"¿