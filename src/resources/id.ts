import type { Schema } from '../contract/contract.ts'
import { Random } from '../generate/random.ts'
import { getOwn } from '../validation/own-property.ts'

/** What tells one record of a collection from another. */
export type Id = number | string

/** The id among the values of a record; `undefined` where there is none. */
export function idIn(values: Readonly<Record<string, unknown>>, name: string): Id | undefined {
  const id = getOwn(values, name)
  return typeof id === 'number' || typeof id === 'string' ? id : undefined
}

/** An id, and the state of its maker after it. */
export interface MadeId {
  readonly id: Id
  readonly state: number
}

/**
 * Makes the ids of new records, the same ones for the same seed. It keeps no state: whoever asks brings it along. After the
 * last id it starts over, with ids that may be taken.
 */
export interface IdMaker {
  /** The state before the first id. */
  readonly start: number
  /** The id that follows. */
  next(state: number): MadeId
  /** The state after a record came with an id of its own. */
  taken(state: number, id: Id): number
}

/** How ids are made for a schema; `undefined` where they cannot be. */
export function idMakerFor(schema: Schema, seed: number): IdMaker | undefined {
  const types = [schema.type].flat()
  if (types.includes('integer') || types.includes('number')) return counter((count) => count)
  if (!types.includes('string') || schema.pattern !== undefined) return undefined
  if (schema.format === 'uuid') return uuids(seed)

  return schema.format === undefined ? counter(padded(schema)) : undefined
}

function counter(toId: (count: number) => Id): IdMaker {
  return {
    start: 0,
    next: (last) => {
      const count = last < Number.MAX_SAFE_INTEGER ? last + 1 : 1
      return { id: toId(count), state: count }
    },
    taken: (last, id) => {
      const count = Number(id)
      return Number.isSafeInteger(count) ? Math.max(last, count) : last
    },
  }
}

/** A count with leading zeros, so that texts sort in the order of their creation. */
function padded({ minLength = 0, maxLength = 9 }: Schema): (count: number) => Id {
  const width = Math.max(minLength, Math.min(6, maxLength))
  return (count) => String(count).padStart(width, '0')
}

function uuids(seed: number): IdMaker {
  return {
    start: new Random(seed).state,
    next: (state) => {
      const random = new Random(state)
      const digit = (): string => Math.floor(random.next() * 16).toString(16)
      const id = 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit)
      return { id, state: random.state }
    },
    taken: (state) => state,
  }
}
