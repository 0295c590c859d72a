import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { subschemasOf } from './subschemas.ts'
import { groupedKeywords } from './write-schema.ts'

/** How many schemas one function validates. Ajv's time for a function is quadratic in its size. */
const MAX_SIZE = 200

/** Finds the parts of large schemas that get a function of their own, in time that is linear in the number of schemas. */
export class LargeSchemas {
  readonly #isShared: (schema: Schema) => boolean
  readonly #sizes = new Map<Schema, number>()
  readonly #parts = new Set<Schema>()

  constructor(isShared: (schema: Schema) => boolean) {
    this.#isShared = isShared
  }

  /** Whether a schema is a part of a large one that was split. */
  isPart(schema: Schema): boolean {
    return this.#parts.has(schema)
  }

  /** Splits a schema and those in it, where they are too large. Returns how many schemas its own function validates. */
  split(schema: Schema): number {
    return this.#sizeOf(schema)
  }

  /** The number of schemas in the function of a schema. One with a function of its own counts as one. */
  #sizeOf(schema: Schema): number {
    const known = this.#sizes.get(schema)
    if (known !== undefined) return known
    this.#sizes.set(schema, 1)
    const grouped = new Set(groupedKeywords(schema))
    const inner = subschemasOf(schema).flatMap(([one, [keyword = '']]) =>
      isObject(one) ? [{ one, isGrouped: grouped.has(keyword) }] : [],
    )
    const sizes = inner.map(({ one }) => (this.#isShared(one) ? 1 : this.#sizeOf(one)))
    let size = sizes.reduce((sum, one) => sum + one, 1)
    if (size > MAX_SIZE) {
      for (const { one } of inner) this.#parts.add(one)
      size = 1 + inner.filter(({ isGrouped }) => !isGrouped).length
    }
    this.#sizes.set(schema, size)

    return size
  }
}
