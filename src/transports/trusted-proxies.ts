import { isIP } from 'node:net'
import { shortened, UsageError } from '../validation/usage-error.ts'

/** Names of address ranges that Express knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, subnets and ranges of trusted proxies. Throws a UsageError for a text that is none of them. */
export function toTrustedProxies(texts: readonly string[], name = 'trustProxy'): string[] {
  for (const text of texts) {
    if (RANGES.includes(text) || isSubnet(text)) continue
    throw new UsageError(
      'invalid_trust_proxy',
      `Cannot use ${name} "${shortened(text)}": it is not an address, a subnet or a known range. Write ${RANGES.join(', ')}, 10.0.0.1 or 10.0.0.0/8.`,
    )
  }
  return [...texts]
}

function isSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (bits === undefined) return true

  return /^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128)
}
