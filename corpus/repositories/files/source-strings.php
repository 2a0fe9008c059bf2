<?php
# Made by the compiler of protocols.  Do not edit it at all.

$a = "
ëname";
