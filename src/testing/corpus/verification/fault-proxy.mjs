// A proxy that puts one fault between a client and a server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { send } from '../requests/send.mjs'
import { basePathOf } from '../servers.mjs'

/** Headers that belong to one connection. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']

/**
 * Starts the proxy on `port`, in front of a server on `target`. `fault` changes responses, see faults.mjs. Returns
 * `{ applied, close }`; `applied()` counts the changed responses.
 */
export async function startFaultProxy({ port, target, operations, validator, fault }) {
  let applied = 0
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path } = incoming
    const body = await text(incoming)
    const headers = withoutConnection(incoming.headers)
    const request = { method, path, headers, ...(body !== '' && { body }) }
    const response = await send(target, request)
    if (response.failure) return outgoing.destroy()

    const operation = operationOf(operations, method, path)
    const resend = (credentials) => send(target, withCredentials(request, credentials))
    const changed = operation && (await fault({ operation, response, validator, resend }))
    if (changed) applied += 1
    respond(outgoing, changed || response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { applied: () => applied, close }
}

function respond(outgoing, { status, headers, body }) {
  outgoing.writeHead(status, withoutConnection(headers))
  outgoing.end(status === 204 || status === 304 ? undefined : body)
}

function withoutConnection(headers) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)),
  )
}

function withCredentials(request, { headers, query, cookies }) {
  const more = new URLSearchParams(query).toString()
  const separator = request.path.includes('?') ? '&' : '?'
  return {
    ...request,
    path: more === '' ? request.path : request.path + separator + more,
    headers: {
      ...request.headers,
      ...headers,
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
    },
  }
}

/** The operation of a request; one with fewer parameters in its path comes first. */
function operationOf(operations, method, url) {
  const segments = url.split('?')[0].split('/')
  return operations
    .filter((operation) => operation.method === method && fits(operation, segments))
    .sort((one, two) => one.path.split('{').length - two.path.split('{').length)[0]
}

function fits(operation, segments) {
  const template = (basePathOf(operation) + operation.path).split('/')
  return (
    template.length === segments.length &&
    template.every((segment, at) => segment.includes('{') || segment === segments[at])
  )
}
