G
"serve*2.11.04

xPlaceholder*
dtype0

aAbort^x"¿]
"x*2.11.0/

xPlaceholder*
dtype0
	
aNoOp"¿"
table_initializer

init