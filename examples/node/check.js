#!/usr/bin/env node
// usage: check.js SOCKET FILE [POLICY]
//
// Ask weighlockd about a file, with the package `weighlock` (clients/node), and end with
//
//     0 accept    1 reject    2 no verdict    3 review, or a verdict this program does not know    4 usage
//
// Publish FILE on 0 and on nothing else.
'use strict';
const weighlock = require('weighlock');

const [socket, file, policy, ...more] = process.argv.slice(2);
if (file === undefined || more.length > 0) {
  console.error('usage: check.js SOCKET FILE [POLICY]');
  process.exit(4);
}
weighlock.scan(file, { socket, policy }).then((verdict) => {
  console.log(JSON.stringify(verdict.raw));
  process.exit(verdict.accepted ? 0 : verdict.verdict === 'reject' ? 1 : 3);
}, (e) => {
  console.error('check:', e.message);
  process.exit(e instanceof weighlock.WeighlockError ? 2 : 4);
});
