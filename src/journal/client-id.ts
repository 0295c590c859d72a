/** The key of the hash, of 128 bits. */
type SipKey = readonly [bigint, bigint]

/** The number of ids that are kept, because clients repeat their credentials. */
const MAX_KEPT = 1000

/** A salt that nobody outside of the sandbox knows. Its hexadecimal digits count. */
export function randomSalt(): string {
  // Pages that are not secure contexts have no `crypto.randomUUID`.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/**
 * Returns a function that gives each credential an id. The id tells callers apart whose keys have the same end. It is a keyed
 * hash, because a plain one would let everyone who reads it try out short keys and passwords.
 */
export function createClientIds(salt: string): (credential: string) => string {
  const digits = salt.replace(/[^0-9a-f]/g, '').padEnd(32, '0')
  const key = [BigInt(`0x${digits.slice(0, 16)}`), BigInt(`0x${digits.slice(16, 32)}`)] as const
  const kept = new Map<string, string>()
  return (credential) => {
    const known = kept.get(credential)
    if (known !== undefined) return known
    const id = sipHash(new TextEncoder().encode(credential), key).toString(36).padStart(13, '0')
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(credential, id)

    return id
  }
}

/** SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash for short texts. Web Crypto has only asynchronous ones. */
export function sipHash(bytes: Uint8Array, [k0, k1]: SipKey): bigint {
  let v0 = k0 ^ 0x736f6d6570736575n
  let v1 = k1 ^ 0x646f72616e646f6dn
  let v2 = k0 ^ 0x6c7967656e657261n
  let v3 = k1 ^ 0x7465646279746573n
  const round = (): void => {
    v0 = sum(v0, v1)
    v1 = rotated(v1, 13n) ^ v0
    v0 = rotated(v0, 32n)
    v2 = sum(v2, v3)
    v3 = rotated(v3, 16n) ^ v2
    v0 = sum(v0, v3)
    v3 = rotated(v3, 21n) ^ v0
    v2 = sum(v2, v1)
    v1 = rotated(v1, 17n) ^ v2
    v2 = rotated(v2, 32n)
  }
  for (const word of wordsOf(bytes)) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }
  v2 ^= 0xffn
  for (let count = 0; count < 4; count += 1) round()

  return v0 ^ v1 ^ v2 ^ v3
}

/** The bytes as words of 64 bits, little-endian. The last byte of the last word is the length. */
function wordsOf(bytes: Uint8Array): BigUint64Array {
  const padded = new Uint8Array((Math.floor(bytes.length / 8) + 1) * 8)
  padded.set(bytes)
  padded[padded.length - 1] = bytes.length
  const view = new DataView(padded.buffer)

  return BigUint64Array.from({ length: padded.length / 8 }, (_, at) =>
    view.getBigUint64(at * 8, true),
  )
}

function sum(one: bigint, other: bigint): bigint {
  return BigInt.asUintN(64, one + other)
}

function rotated(word: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, word << bits) | (word >> (64n - bits))
}

/** Names for API keys that are shown by their last characters, where several keys have the same ones. */
export class DistinctKeys {
  /** The clients with each of these ends, in the order of their first requests. */
  readonly #clients = new Map<string, Map<string, number>>()

  /**
   * `…test` for the first client of a recording whose key ends like this, `…test (2)` for the second. `client` is the id of the key; the
   * empty text when it is unknown.
   */
  nameOf(key: string, client: string, recording = 1): string {
    const end = `${recording} ${key}`
    const clients = this.#clients.get(end) ?? new Map<string, number>()
    this.#clients.set(end, clients)
    const number = clients.get(client) ?? clients.size + 1
    clients.set(client, number)

    return number === 1 ? key : `${key} (${number})`
  }
}
