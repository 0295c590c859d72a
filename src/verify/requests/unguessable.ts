import type { Schema, SchemaValidator } from '../../contract/contract.ts'
import { typeOf } from '../test-data/schema-keywords.ts'

const LENGTH = 12

/** So many numbers have to be possible, so that one of them is that of no record. */
const LEAST_RANGE = 1_000_000_000

const TOKEN: RegExp = /verify-?[a-z0-9]{12}/gi

/** A word that no record contains by chance. */
export function unguessableWord(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH))
  return `verify-${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`
}

/** Whether a text contains one of the unguessable words of another. */
export function sharesWord(one: string, other: string): boolean {
  const text = other.toLowerCase()
  return (one.match(TOKEN) ?? []).some((word) => text.includes(word.toLowerCase()))
}

/** An id that no record has by chance; `undefined` when the schema allows none. */
export function unguessableId(
  schema: Schema,
  ...validators: readonly SchemaValidator[]
): string | number | undefined {
  const word = unguessableWord()
  const plain = word.replace('-', '')
  const candidates =
    typeOf(schema) === 'integer' || typeOf(schema) === 'number'
      ? [numberIn(schema)]
      : [word, plain, plain.toUpperCase(), crypto.randomUUID(), `${word}.example.`]

  return candidates.find((one) => one !== undefined && validators.every((isValid) => isValid(one)))
}

/** A large integer in the range of a schema and of 32 bits, unless the range begins above. */
function numberIn({ minimum = 0, maximum, format }: Schema): number | undefined {
  const end = Math.min(maximum ?? Number.MAX_SAFE_INTEGER, limitOf(format))
  const start = Math.max(minimum, end - LEAST_RANGE)
  if (end - start < LEAST_RANGE) return undefined
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))

  return Math.floor(start + (random / 2 ** 32) * (end - start))
}

function limitOf(format: string | undefined): number {
  return format === 'int64' ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1
}
