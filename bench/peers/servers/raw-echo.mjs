/** The floor: plain node:http that parses the request as JSON and answers with an object of a read's size. */
import { createServer } from 'node:http';

const answer = JSON.parse(process.argv[2]);
const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.once('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const bytes = Buffer.from(JSON.stringify({ ...answer, id }));
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    res.end(bytes);
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  process.stdout.write(`${server.address().port}\n`),
);
