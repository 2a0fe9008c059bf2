:
"serve*2.11.0'
 
wConst*
valueB	È"¿