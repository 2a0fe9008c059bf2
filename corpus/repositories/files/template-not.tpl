{{ not "a".__class__ }}
