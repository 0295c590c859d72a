import type { Schema } from '../contract/contract.ts'

/** What tells one record of a collection from another. */
export type Id = number | string

/** Makes the ids of new records, the same ones for the same seed, and none twice. */
export interface IdMaker {
  next(): Id
  /** Tells of an id that somebody else chose. */
  taken(id: Id): void
  /** How far it is; a maker that is told so goes on from there. */
  snapshot(): number
  restore(state: number): void
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
  let last = 0
  return {
    next: () => {
      last += 1
      return toId(last)
    },
    taken: (id) => {
      const count = Number(id)
      if (Number.isSafeInteger(count)) last = Math.max(last, count)
    },
    snapshot: () => last,
    restore: (state) => {
      last = state
    },
  }
}

/** Padded, so that the order of the texts is the order of creation. */
function padded({ minLength = 0, maxLength = 9 }: Schema): (count: number) => Id {
  const width = Math.max(minLength, Math.min(6, maxLength))
  return (count) => String(count).padStart(width, '0')
}

function uuids(seed: number): IdMaker {
  let random = randomFrom(seed)
  let made = 0
  const digit = (): string => Math.floor(random() * 16).toString(16)
  const next = (): string => {
    made += 1
    return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit)
  }

  return {
    next,
    taken: () => undefined,
    snapshot: () => made,
    restore: (state) => {
      random = randomFrom(seed)
      made = 0
      while (made < state) next()
    },
  }
}

/** Mulberry32: small, seeded, the same on every machine. Gives numbers from 0 up to 1. */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
