import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** The addresses of this machine and of local networks. */
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6')
}

/** Whether the host of a URL is this machine, or is in a local network. A host without an address is not. */
export async function isPrivateHost({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) > 0) return isPrivateAddress(host)
  if (/(^|\.)localhost\.?$/.test(host)) return true
  const addresses = await lookup(host, { all: true }).catch(() => [])

  return addresses.some(({ address }) => isPrivateAddress(address))
}

/** Whether an IP address belongs to this machine or to a local network. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
