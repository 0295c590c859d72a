/** Factors of two independent 32-bit hashes. */
const FACTORS = [0x9e3779b1, 0x85ebca6b] as const

/**
 * An id for a credential that does not contain it, so that it can be in addresses and on screens. The same credential always has
 * the same id.
 */
export function accountId(credential: string): string {
  const hashes = FACTORS.map((factor) => {
    let hash: number = factor
    for (let index = 0; index < credential.length; index += 1) {
      hash = Math.imul(hash ^ credential.charCodeAt(index), factor)
      hash ^= hash >>> 15
    }
    return (hash >>> 0).toString(36).padStart(7, '0')
  })
  return `unlisted-${hashes.join('')}`
}
