import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { Server } from 'node:http'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import { allowing, hostWithPort, isAllowed, RefusedAddressError } from '../events/targets.ts'
import { http } from './node-http.ts'

/** To which addresses deliveries may go. */
export interface DeliveryTargets {
  /** Hosts besides this machine, with or without a port, whose names may lead to any address. */
  readonly allow: readonly string[]
  /** Servers to which nothing is sent, such as the store. */
  readonly refuse?: readonly ListeningServer[]
}

interface ListeningServer {
  readonly host: string
  readonly port: number
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

/** What finds servers that this process uses. */
type FindServers = () => Promise<readonly ListeningServer[]>

const usedServers = new Set<FindServers>()

/**
 * Notes that this process uses servers, such as those of a store, so that nothing is delivered to them. They are looked for at each delivery, because
 * others may join later. Returns a function that ends this.
 */
export function refuseDeliveriesToUsed(find: FindServers): () => void {
  usedServers.add(find)
  return () => usedServers.delete(find)
}

/** The servers that are used now. One that does not answer does not tell of others. */
async function findUsed(): Promise<readonly ListeningServer[]> {
  const found = await Promise.all([...usedServers].map((find) => find().catch(() => [])))
  return found.flat()
}

/**
 * Creates what sends deliveries from a server. The name of a host is looked up once, and the connection is made to the addresses that were
 * found and checked, so that a name server cannot lead it elsewhere. Redirects are not followed.
 */
export function createDeliver({
  allow,
  refuse = [],
}: DeliveryTargets): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url)
    const found = await addressesOf(url.hostname)
    if (await isOfSandbox(found, portOf(url), [...refuse, ...(await findUsed())]))
      throw new RefusedAddressError(OWN_ADDRESS)
    const foreign = found.find((one) => !isLoopbackAddress(one))
    if (foreign && !isAllowed(url, allow))
      throw new RefusedAddressError({
        reason: `${url.hostname} leads to ${foreign.address}, not to this machine`,
        help: allowing(hostWithPort(url)),
      })

    return send(request, await request.text(), found)
  }
}

const OWN_ADDRESS = {
  reason: 'the address is one of the sandbox itself or of its store',
  help: 'Use the address of a receiver, such as http://127.0.0.1:3000/hooks.',
}

/** Whether the sandbox or what it uses listens at a port of one of these addresses. */
async function isOfSandbox(
  found: readonly LookupAddress[],
  port: number,
  refuse: readonly ListeningServer[],
): Promise<boolean> {
  const servers = refuse.filter((one) => one.port === port)
  if (servers.length === 0 && !ownPorts.has(port)) return false
  const own = ownAddresses()
  const isOwn = ({ address, family }: LookupAddress): boolean =>
    own.check(address, family === 6 ? 'ipv6' : 'ipv4')
  if (ownPorts.has(port) && found.some(isOwn)) return true
  for (const { host } of servers) {
    // A name that leads nowhere leads to no server.
    const refused = await addressesOf(host).catch(() => [])
    const isRefused = ({ address }: LookupAddress): boolean =>
      refused.some((one) => one.address === address)
    if (found.some(isRefused) || (found.some(isOwn) && refused.some(isOwn))) return true
  }
  return false
}

async function send(
  { url, method, headers, signal }: Request,
  body: string,
  found: readonly LookupAddress[],
): Promise<Response> {
  const { request: begin } = url.startsWith('https:') ? await import('node:https') : http
  return new Promise((resolve, reject) => {
    const sent = begin(
      url,
      {
        method,
        headers: { ...Object.fromEntries(headers), 'Content-Length': Buffer.byteLength(body) },
        lookup: finding(found),
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

/** The addresses of a host. Nothing is looked up for one that is an address itself. */
async function addressesOf(host: string): Promise<readonly LookupAddress[]> {
  const address = host.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  return family === 0 ? lookup(address, { all: true }) : [{ address, family }]
}

/** Finds addresses that are known. */
function finding(found: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = found
    if (all) callback(null, [...found])
    else callback(null, first?.address ?? '', first?.family)
  }
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** The addresses that only this machine reaches. */
function loopbackAddresses(): BlockList {
  const addresses = new BlockList()
  addresses.addSubnet('127.0.0.0', 8)
  addresses.addAddress('::1', 'ipv6')
  return addresses
}

const LOOPBACK = loopbackAddresses()

function isLoopbackAddress({ address, family }: LookupAddress): boolean {
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** All addresses of this machine. A connection to an unspecified one is a connection to itself. */
function ownAddresses(): BlockList {
  const addresses = loopbackAddresses()
  const all = Object.values(networkInterfaces()).flatMap((one = []) => one)
  for (const address of ['0.0.0.0', '::', ...all.map((one) => one.address)])
    addresses.addAddress(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return addresses
}
