import { isIP } from 'node:net'
import { shortened, UsageError } from '../validation/usage-error.ts'

/** Names of address ranges that Express knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, subnets and ranges of trusted proxies. Throws a UsageError for a text that is none of them. */
export function toTrustedProxies(texts: readonly string[], name = 'trustProxy'): string[] {
  for (const text of texts) {
    if (RANGES.includes(text) || isSubnet(text)) continue
    throw new UsageError({
      code: 'invalid_trust_proxy',
      task: `use ${name} "${shortened(text)}"`,
      reason: 'it is not an IP address, a subnet or a known range',
      help: `Write ${RANGES.join(', ')}, 10.0.0.1 or 10.0.0.0/8.`,
      allowed: RANGES,
    })
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
