import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startCommand, stopCommands } from '../testing/command.ts'

afterEach(stopCommands)

/** Whether a server accepts connections at this address. */
async function isListening(host: string, port: number): Promise<boolean> {
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

test('the server listens on the loopback address only', async () => {
  const { base } = await startCommand()
  const port = Number(new URL(base).port)

  expect(await isListening('127.0.0.1', port)).toBe(true)
  // A server that listens on all interfaces also accepts these.
  expect(await isListening('127.0.0.2', port)).toBe(false)
  expect(await isListening('::1', port)).toBe(false)
})
