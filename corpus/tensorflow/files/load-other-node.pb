X
"serve*2.11.0'

xPlaceholder

aAbort^x"¿"
saved_model_main_op

x