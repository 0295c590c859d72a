import { expect, it } from 'vitest'
import type { Schema } from '../contract.ts'
import { textNode } from './text-node.ts'
import { typedValue } from './typed-value.ts'

it('reads a text by a list whose items are lists of the same schema', () => {
  const list: Record<string, unknown> = { type: 'array' }
  list.items = list
  const schema: Schema = list

  const value = typedValue(textNode(['a']), [schema], { preference: 'type', others: new Set() })

  expect(JSON.stringify(value)).toMatch(/^\[+"a"\]+$/)
})
