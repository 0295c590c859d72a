/** Thrown by what sends deliveries for an address to which nothing may be sent: no later attempt would change that. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddress'
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
 * Why nothing is sent to an address; `undefined` when it is allowed: on this machine, or in `allow`, whose texts are hosts with or without
 * a port, or `*` for all.
 */
export function refusalOf(
  address: string,
  { allow, thisMachine }: { readonly allow: readonly string[]; readonly thisMachine: boolean },
): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url) return `"${address}" is no URL`
  const { protocol, hostname, username } = url
  if (!/^https?:$/.test(protocol)) return `${protocol} is not http: or https:`
  if (username !== '') return 'the address contains a user name'
  if (isAllowed(url, allow)) return undefined
  if (!isLoopback(hostname))
    return `${hostWithPort(url)} is not on this machine, and is not allowed`

  return thisMachine ? undefined : `${hostWithPort(url)} is not allowed`
}

/** Whether a list names the host of a URL. */
export function isAllowed(url: URL, allow: readonly string[]): boolean {
  return ['*', url.hostname, hostWithPort(url)].some((one) => allow.includes(one))
}

/** Host and port of a URL, also when the port is the default one. */
export function hostWithPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
