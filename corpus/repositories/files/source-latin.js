// café
var a = 1;
