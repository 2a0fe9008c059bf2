q
"servef

xPlaceholder*
dtype0

eExitx*
T0
)
iEnterx*
T0*

frame_namef"¿