'
"serve*2.11.0

xMatMulV9"¿