import { describe, expect, test } from 'vitest'
import { BodyTooLongError, readBodyText } from './read-body.ts'

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
