import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the system gives to outgoing connections, so that a server can stop and start again on its port. */
const FIRST = 20_000
const LAST = 32_000

/** Finds a port of 127.0.0.1 that is free. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const failed = once(server, 'error').then(() => false)
  server.listen(port, '127.0.0.1')
  const isListening = await Promise.race([once(server, 'listening').then(() => true), failed])
  if (isListening) await new Promise((resolve) => server.close(resolve))

  return isListening
}
