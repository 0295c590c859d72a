import type { Schema } from '../../contract/contract.ts'
import { asObject } from '../json-value.ts'
import { subschemasOf } from './subschemas.ts'
import { untimedLength } from './time-limit.ts'
import { isInPlace } from './write-schema.ts'

/** Up to which length of strings, and with how many schemas for one value, a validation needs no time limit. */
interface Limits {
  readonly length: number
  readonly applied: number
}

/** A validator whose schema contains more schemas than this has the limits of all schemas that were reached so far. */
const MAX_OWN_SCHEMAS = 2000

/** The limits of validators, found in time that is linear in the number of schemas. */
export class TimeLimits {
  readonly #known = new WeakMap<Schema, Limits>()
  /** The schemas with more than {@link MAX_OWN_SCHEMAS}. */
  readonly #large = new WeakSet<Schema>()
  readonly #visited = new Set<unknown>()
  readonly #applied = new Map<unknown, number>()
  #ofAll: Limits = { length: Number.POSITIVE_INFINITY, applied: 1 }

  of(schema: Schema): Limits {
    const known = this.#known.get(schema)
    if (known) return known
    const own = this.#large.has(schema)
      ? undefined
      : this.#visit(schema, new Set(), MAX_OWN_SCHEMAS)
    if (own) {
      this.#known.set(schema, own)
      return own
    }
    this.#large.add(schema)
    const { length, applied } = this.#visit(schema, this.#visited) ?? this.#ofAll
    this.#ofAll = {
      length: Math.min(this.#ofAll.length, length),
      applied: Math.max(this.#ofAll.applied, applied),
    }
    return this.#ofAll
  }

  /** The limits of a schema with all schemas inside it, except visited ones; `undefined` when there are more than `max`. */
  #visit(
    schema: Schema,
    visited: Set<unknown>,
    max = Number.POSITIVE_INFINITY,
  ): Limits | undefined {
    let length = Number.POSITIVE_INFINITY
    let applied = 1
    const open: unknown[] = [schema]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (typeof one !== 'object' || one === null || visited.has(one)) continue
      visited.add(one)
      if (visited.size > max) return undefined
      length = Math.min(length, untimedLength(one))
      applied = Math.max(applied, this.#appliedBy(one))
      for (const [inner] of subschemasOf(one as Schema)) open.push(inner)
    }
    return { length, applied }
  }

  /** How many schemas a schema applies to the same value. Schemas of a contract do not apply themselves. */
  #appliedBy(schema: unknown): number {
    const known = this.#applied.get(schema)
    if (known !== undefined) return known
    // A schema that was given by a program may apply itself.
    this.#applied.set(schema, 1)
    let applied = 1
    for (const [inner, [keyword = '']] of subschemasOf(asObject(schema))) {
      if (isInPlace(keyword)) applied += this.#appliedBy(inner)
    }
    this.#applied.set(schema, applied)

    return applied
  }
}
