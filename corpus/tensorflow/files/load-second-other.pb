:
"serve*2.11.0'

xPlaceholder

aAbort^x"¿P
"x*2.11.0"

xPlaceholder
	
aNoOp"¿"
table_initializer

init