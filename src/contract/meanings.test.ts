import { expect, it } from 'vitest'
import { ValueLimit } from '../http/body-limits.ts'
import type { Schema } from './contract.ts'
import { textNode, typedValue } from './meanings.ts'

it('reads a text by a list whose items are lists of the same schema', () => {
  const list: Record<string, unknown> = { type: 'array' }
  list.items = list
  const schema: Schema = list

  const typing = {
    preference: 'type',
    others: new Set<never>(),
    limit: ValueLimit.ofBody(100),
  } as const

  const value = typedValue(textNode(['a']), [schema], typing)

  expect(JSON.stringify(value)).toMatch(/^\[+"a"\]+$/)
})
