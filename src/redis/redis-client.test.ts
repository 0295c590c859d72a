import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { gatherWrites } from './redis-client.ts'

/** A stream that notes how many chunks are written at once. */
function openStream(): { stream: Writable; writes: number[] } {
  const writes: number[] = []
  const note = (count: number, done: () => void): void => {
    writes.push(count)
    done()
  }
  const stream = new Writable({
    write: (_chunk, _encoding, done) => note(1, done),
    writev: (chunks, done) => note(chunks.length, done),
  })
  return { stream, writes }
}

describe('gathered writes', () => {
  it('send the commands of one turn of the event loop at once', async () => {
    const { stream, writes } = openStream()
    const gather = gatherWrites(() => [{ stream }])
    const send = (): void => {
      gather()
      stream.write('command')
    }

    send()
    await Promise.resolve()
    send()
    await nextTurn()
    send()
    await nextTurn()

    expect(writes).toEqual([2, 1])
  })

  it('send commands when a node is not connected yet', async () => {
    const { stream, writes } = openStream()
    const gather = gatherWrites(() => [{}, { stream }])

    gather()
    stream.write('command')
    await nextTurn()

    expect(writes).toEqual([1])
  })
})
