[
"serve*2.11.0H

xPlaceholder/
-

f
xPlaceholder
w	WriteFilexx"¿