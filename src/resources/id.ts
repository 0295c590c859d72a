import type { Schema } from '../contract/contract.ts'
import { Random } from '../random.ts'

/** What tells one record of a collection from another. */
export type Id = number | string

/** Makes the ids of new records, the same ones for the same seed. Past the last one it begins anew, with ids that may be taken. */
export interface IdMaker {
  /** How far it is. */
  readonly state: number
  /** Another maker, that goes on from a state. */
  at(state: number): IdMaker
  next(): Id
  /** Tells of an id that somebody else chose. */
  taken(id: Id): void
}

/** How ids are made for a schema; `undefined` where they cannot be. */
export function idMakerFor(schema: Schema, seed: number): IdMaker | undefined {
  const types = [schema.type].flat()
  if (types.includes('integer') || types.includes('number')) return counter((count) => count)
  if (!types.includes('string') || schema.pattern !== undefined) return undefined
  if (schema.format === 'uuid') return uuids(seed)

  return schema.format === undefined ? counter(padded(schema)) : undefined
}

function counter(toId: (count: number) => Id, state = 0): IdMaker {
  let last = state
  return {
    get state() {
      return last
    },
    at: (other) => counter(toId, other),
    next: () => {
      last = last < Number.MAX_SAFE_INTEGER ? last + 1 : 1
      return toId(last)
    },
    taken: (id) => {
      const count = Number(id)
      if (Number.isSafeInteger(count)) last = Math.max(last, count)
    },
  }
}

/** Padded, so that the order of the texts is the order of creation. */
function padded({ minLength = 0, maxLength = 9 }: Schema): (count: number) => Id {
  const width = Math.max(minLength, Math.min(6, maxLength))
  return (count) => String(count).padStart(width, '0')
}

function uuids(seed: number): IdMaker {
  const random = new Random(seed)
  const digit = (): string => Math.floor(random.next() * 16).toString(16)

  return {
    get state() {
      return random.state
    },
    at: uuids,
    next: () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit),
    taken: () => undefined,
  }
}
