e
"serve*2.11.04

xPlaceholder*
dtype0

aAbort^x"¿"
saved_model_main_op

x