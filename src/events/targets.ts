/** Why nothing is sent to an address, and what to do. */
export interface AddressRefusal {
  readonly reason: string
  readonly help: string
}

/** Thrown by what sends deliveries for an address to which nothing may be sent: no later attempt would change that. */
export class RefusedAddressError extends Error implements AddressRefusal {
  override readonly name = 'RefusedAddress'
  readonly reason: string
  readonly help: string

  constructor({ reason, help }: AddressRefusal) {
    super(reason)
    this.reason = reason
    this.help = help
  }
}

/** The header of every delivery. The control interface refuses requests that have it. */
export const DELIVERY_HEADER = 'X-Sandbox-Delivery'

/** The header of the deliveries of servers that share a store, with the mark of the store. They refuse their own deliveries. */
export const SENDER_HEADER = 'X-Sandbox-Sender'

const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/

/** Whether a host name is one of this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase())
}

/**
 * Why nothing is sent to an address, and what to do; `undefined` when it is allowed: on this machine, or in `allow`, whose texts are hosts with
 * or without a port, or `*` for all.
 */
export function refusalOf(
  address: string,
  { allow, thisMachine }: { readonly allow: readonly string[]; readonly thisMachine: boolean },
): AddressRefusal | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url) return { reason: `"${address}" is no URL`, help: WRITE_URL }
  const { protocol, hostname, username } = url
  if (!/^https?:$/.test(protocol))
    return { reason: `${protocol} is not http: or https:`, help: WRITE_URL }
  if (username !== '') return { reason: 'the address contains a user name', help: WRITE_URL }
  if (isAllowed(url, allow) || (thisMachine && isLoopback(hostname))) return undefined
  const where = isLoopback(hostname) ? '' : ' is not on this machine, and'
  const host = hostWithPort(url)

  return { reason: `${host}${where} is not allowed`, help: allowing(host) }
}

const WRITE_URL = 'Use the address of a receiver, such as http://127.0.0.1:3000/hooks.'

/** How deliveries to a host are allowed. */
export function allowing(host: string): string {
  return `Allow it with --webhook-allow ${host} (in process: events.allow), or name a receiver with --webhook (events.to).`
}

/** Whether a list names the host of a URL. */
export function isAllowed(url: URL, allow: readonly string[]): boolean {
  return ['*', url.hostname, hostWithPort(url)].some((one) => allow.includes(one))
}

/** Host and port of a URL, also when the port is the default one. */
export function hostWithPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
