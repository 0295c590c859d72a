import { createServer } from 'node:http'
import { limited, page, pets, port, unauthorized } from './pets.mjs'

createServer((request, response) => {
  if (request.method === 'POST') return void create(request, response)
  if (request.url === '/v1/pets/7') return send(response, 200, pets[6])
  if (request.url === '/v1/unauthorized') return send(response, 401, unauthorized)
  if (request.url === '/v1/limited') return send(response, 429, limited)
  send(response, 200, page)
}).listen(port)

async function create(request, response) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  send(response, 201, { id: 51, ...JSON.parse(Buffer.concat(chunks)) })
}

function send(response, status, value) {
  const body = JSON.stringify(value)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(status, headers).end(body)
}
