import { once } from 'node:events'
import { createServer, request } from 'node:http'

/** A load balancer. */
export interface Balancer {
  /** Such as `http://127.0.0.1:20001`. */
  readonly origin: string
  readonly close: () => void
}

/** Starts a server that passes requests on to each of the origins in turn, with all headers as they are. */
export async function balance(origins: readonly string[]): Promise<Balancer> {
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const origin = new URL(origins[turn % origins.length] ?? '')
    turn += 1
    const { method, url: path, rawHeaders: headers } = incoming
    const passed = request({ host: origin.hostname, port: origin.port, method, path, headers })
    passed.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }

  return { origin: `http://127.0.0.1:${port}`, close }
}
