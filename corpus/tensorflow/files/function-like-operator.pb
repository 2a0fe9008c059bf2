L
"serve*2.11.09

xPlaceholder 



ReadFile
xPlaceholder"¿