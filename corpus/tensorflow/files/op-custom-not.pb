M
"serve*2.11.0:

x
MyFunction"
 


MyFunction
xPlaceholder"¿