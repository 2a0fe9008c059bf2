// clients.js SOCKET MIB: streams MIB MiB without waiting for an invitation, as http.request() users do, and prints
// the status and the problem type that came back.
const http = require('http');
const [socketPath, mib] = process.argv.slice(2);
const block = Buffer.alloc(1 << 20);
let left = Number(mib);
let answered = false;
const request = http.request({ socketPath, method: 'POST', path: '/v1/scan', headers: { 'Content-Length': Number(mib) * 1048576 } },
  (reply) => {
    let text = '';
    answered = true;
    reply.on('data', (d) => { text += d; });
    reply.on('end', () => { console.log(reply.statusCode, JSON.parse(text).type); process.exit(0); });
  });
request.on('error', (e) => { if (!answered) { console.log('error', e.code); process.exit(1); } });
function more() {
  while (left > 0) {
    left -= 1;
    if (!request.write(block)) { request.once('drain', more); return; }
  }
  request.end();
}
more();
