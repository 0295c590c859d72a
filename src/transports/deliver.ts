import { lookup } from 'node:dns'
import type { Server } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { hostWithPort, isAllowed, isLoopback } from '../events/targets.ts'
import { http } from './node-http.ts'

/** To which addresses deliveries may go. */
export interface DeliveryTargets {
  /** Hosts besides this machine, with or without a port, whose names may lead to any address. */
  readonly allow: readonly string[]
  /** Hosts with a port to which nothing is sent, such as that of the store. */
  readonly refuse?: readonly string[]
}

/** The ports on which this process listens. A delivery to itself would cause the next one. */
const ownPorts = new Set<number>()

/** Notes that a server of this process listens, so that nothing is delivered to it. */
export function refuseDeliveriesTo(server: Server): void {
  const address = server.address()
  if (typeof address !== 'object' || address === null) return
  const { port } = address
  ownPorts.add(port)
  server.once('close', () => ownPorts.delete(port))
}

/**
 * Creates what sends deliveries from a server. A name that is not allowed by itself must lead to this machine when the connection is made,
 * so that a name server cannot lead it elsewhere. Redirects are not followed.
 */
export function createDeliver({
  allow,
  refuse = [],
}: DeliveryTargets): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url)
    const target = hostWithPort(url)
    const isOwn = isLoopback(url.hostname) && ownPorts.has(Number(target.split(':').at(-1)))
    if (isOwn || refuse.includes(target))
      throw new Error('the address is one of the sandbox itself')
    if (isAllowed(url, allow)) return send(request, await request.text(), lookup)
    // Nothing is looked up for an address.
    const address = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(address) !== 0 && !isOfThisMachine(address)) throw elsewhere(address, address)

    return send(request, await request.text(), lookupOnThisMachine)
  }
}

async function send(
  { url, method, headers, signal }: Request,
  body: string,
  find: LookupFunction,
): Promise<Response> {
  const { request: begin } = url.startsWith('https:') ? await import('node:https') : http
  return new Promise((resolve, reject) => {
    const sent = begin(
      url,
      {
        method,
        headers: { ...Object.fromEntries(headers), 'Content-Length': Buffer.byteLength(body) },
        lookup: find,
        signal,
        agent: false,
      },
      (answer) => {
        const { statusCode: status = 502 } = answer
        const content = [204, 205, 304].includes(status) ? null : Readable.toWeb(answer)
        resolve(new Response(content as ReadableStream | null, { status }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Finds the addresses of a name, and fails unless all of them are those of this machine. */
const lookupOnThisMachine: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    const foreign = addresses.find(({ address }) => !isOfThisMachine(address))
    if (foreign) return callback(elsewhere(hostname, foreign.address), [])
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  })
}

function elsewhere(hostname: string, address: string): Error {
  return new Error(`${hostname} leads to ${address}, not to this machine`)
}

function isOfThisMachine(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
