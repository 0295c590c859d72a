import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that the system gives to outgoing connections, so that a server can stop and start again on its port. */
const FIRST = 20_000
const LAST = 32_000

/** Workers of a test run look for ports side by side: each takes every sixteenth port, so that no two find the same one. */
const WORKERS = 16
const WORKER = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS

/** Ports that this worker found, and may not use yet. */
const found = new Set<number>()

/** Finds a port of 127.0.0.1 that is free, and that no other worker of this run finds. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Listens on a free port of 127.0.0.1: a port that another program took in the meantime is left to it. */
export async function listenOnFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = FIRST + WORKERS * Math.floor((Math.random() * (LAST - FIRST)) / WORKERS) + WORKER
    if (found.has(port)) continue
    found.add(port)
    server.listen(port, '127.0.0.1')
    if (await isListening(server)) return port
  }
}

async function isListening(server: Server): Promise<boolean> {
  try {
    await once(server, 'listening')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}
