import { describe, expect, it } from 'vitest'
import { exampleResource } from '../testing/example-resource.ts'
import { mergeValues, replaceValues } from './change-values.ts'

describe('a replaced record', () => {
  it('has the new values, and keeps the read-only properties', () => {
    const resource = exampleResource({
      title: { type: 'string' },
      note: { type: 'string' },
      created: { type: 'string', readOnly: true },
    })
    const before = { id: 1, title: 'Dune', note: 'old', created: 'then' }

    expect(replaceValues(resource, before, { id: 2, title: 'Emma', created: 'now' })).toEqual({
      title: 'Emma',
      created: 'then',
    })
  })
})

describe('an updated record', () => {
  const resource = exampleResource({ title: { type: 'string' } })

  it('has the values sent instead of its own, also in nested objects', () => {
    const before = { id: 1, title: 'Dune', author: { name: 'Frank', born: 1920 }, tags: ['a', 'b'] }

    const after = mergeValues(resource, before, { id: 2, author: { born: 1921 }, tags: ['c'] })

    expect(after).toEqual({
      id: 1,
      title: 'Dune',
      author: { name: 'Frank', born: 1921 },
      tags: ['c'],
    })
  })

  it('leaves the record before it as it was', () => {
    const before = { id: 1, author: { name: 'Frank' } }

    mergeValues(resource, before, { author: { name: 'Jane' } })

    expect(before).toEqual({ id: 1, author: { name: 'Frank' } })
  })
})
