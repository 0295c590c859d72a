import { describe, expect, it } from 'vitest'
import { keyNumbers } from './keys.ts'

const schema = {
  type: 'object',
  properties: { number: { type: 'integer' }, ref: { type: 'integer' } },
}

describe('numbers by which paths name records besides their ids', () => {
  it('count with the ids where they number the records', () => {
    const numbersOf = (id: unknown) => keyNumbers({ keys: ['number'], schema }, 'issues', id)

    expect([1, 2, 3].map(numbersOf)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })

  it('are others for each record elsewhere', () => {
    const numbers = ['a', 'b', 3].map((id) => keyNumbers({ keys: ['ref'], schema }, 'issues', id))

    expect(new Set(numbers.map(({ ref }) => ref)).size).toBe(3)
  })
})
