import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startCommand, stopCommands } from '../testing/command.ts'

afterEach(stopCommands)

/** Whether something listens there. */
async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('it listens on this machine alone', async () => {
  const { base } = await startCommand()
  const port = Number(new URL(base).port)

  expect(await answers('127.0.0.1', port)).toBe(true)
  // A server that listens everywhere answers at these, too.
  expect(await answers('127.0.0.2', port)).toBe(false)
  expect(await answers('::1', port)).toBe(false)
})
