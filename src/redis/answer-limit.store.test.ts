import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { AnswerLimit } from './answer-limit.ts'

/** A node that is to answer a command. */
function openNode(): {
  stream: { bytesRead: number; destroy: (error: Error) => void }
  commandQueue: { length: number }
  dropped: number
} {
  const node = {
    stream: {
      bytesRead: 0,
      destroy: () => {
        node.dropped += 1
        node.commandQueue.length = 0
      },
    },
    commandQueue: { length: 1 },
    dropped: 0,
  }
  return node
}

test('a command fails when nothing answers it', async () => {
  const limit = new AnswerLimit({ command: 200, silence: 10_000 }, () => [])

  const answer = limit.apply(new Promise(() => undefined))

  await expect(answer).rejects.toThrow('Command timed out')
})

test('a command does not fail while the process is busy for longer than the limit', async () => {
  const limit = new AnswerLimit({ command: 200, silence: 10_000 }, () => [])
  let settle = (_text: string): void => undefined
  const answer = limit.apply(
    new Promise<string>((resolve) => {
      settle = resolve
    }),
  )

  for (const _turn of [1, 2]) {
    beBusy(1000)
    await nextTurn()
  }
  settle('late')

  await expect(answer).resolves.toBe('late')
})

test('the error of a command is passed on', async () => {
  const limit = new AnswerLimit({ command: 200, silence: 10_000 }, () => [])

  const answer = limit.apply(Promise.reject(new Error('OOM')))

  await expect(answer).rejects.toThrow('OOM')
})

test('a connection is dropped when it is to answer and receives nothing, and no other one', async () => {
  const [silent, speaking, idle] = [openNode(), openNode(), openNode()]
  idle.commandQueue.length = 0
  const nodes = [silent, speaking, idle]
  const limit = new AnswerLimit({ command: 100, silence: 300 }, () => nodes)
  const speak = setInterval(() => {
    speaking.stream.bytesRead += 1
  }, 20)

  limit.watch()
  await vi.waitFor(() => expect(silent.dropped).toBe(1), 20_000)
  clearInterval(speak)

  expect([speaking.dropped, idle.dropped]).toEqual([0, 0])
  speaking.commandQueue.length = 0
})

/** Blocks the event loop. */
function beBusy(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
