import { describe, expect, test } from 'vitest'
import { BodyTooLongError, excessOf, hasLargerObject, readBodyText } from './body-limits.ts'

describe('the excess of JSON text', () => {
  test.each([
    ['[[1]]', undefined],
    ['[[[1]]]', 'levels'],
    ['{"a":{"b":[]}}', 'levels'],
    ['[[],[],[],[]]', 'values'],
    ['["[[[[", "\\"[[[", "\\\\"]', undefined],
    ['"[[[', undefined],
    ['', undefined],
  ])('of %s is %s', (text, excess) => {
    expect(excessOf(text, { levels: 2, values: 5 })).toBe(excess)
  })

  test('is found at the first level too many', () => {
    expect(excessOf('['.repeat(8_000_000), { levels: 100 })).toBe('levels')
  })

  test('counts any number of values where only the levels are limited', () => {
    expect(excessOf(`[${'1,'.repeat(100_000)}1]`, { levels: 1 })).toBeUndefined()
  })
})

describe('an object of JSON text with more than two members', () => {
  test.each([
    ['{"a":1,"b":2}', false],
    ['{"a":1,"b":2,"c":3}', true],
    ['{"a":[1,2,3,4],"b":{"c":[5,6]}}', false],
    ['[{"a":{"b":[1,2,3]},"c":2,"d":4}]', true],
    ['[{},{},{},{"a":",,,,"}]', false],
    ['', false],
  ])('in %s is found: %s', (text, found) => {
    expect(hasLargerObject(text, 2)).toBe(found)
  })
})

/** A body that never ends, and what was taken of it. */
function endless() {
  const taken = { chunks: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      taken.chunks += 1
      controller.enqueue(new Uint8Array(1000).fill(0x61))
    },
    cancel: () => {
      taken.isCancelled = true
    },
  })
  return { body, taken }
}

describe('a body', () => {
  test('is read to its end, with characters that two chunks share', async () => {
    const bytes = new TextEncoder().encode('price: 5 €')
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(bytes.slice(0, -1))
        controller.enqueue(bytes.slice(-1))
        controller.close()
      },
    })

    expect(await readBodyText({ body }, bytes.length)).toBe('price: 5 €')
    expect(await readBodyText({ body: null }, 0)).toBe('')
  })

  test('that is longer than its limit is cancelled there', async () => {
    const { body, taken } = endless()

    await expect(readBodyText({ body }, 5000)).rejects.toThrow(BodyTooLongError)

    expect(taken.chunks).toBeLessThan(10)
    expect(taken.isCancelled).toBe(true)
  })
})
