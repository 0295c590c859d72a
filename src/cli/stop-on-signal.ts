import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { trackSockets } from '../transports/write-response.ts'

/** How long requests in progress may take after the server has closed, in milliseconds. */
const GRACE_PERIOD_MS = 10_000
/** How often the server closes idle connections while it stops, in milliseconds. */
const CLOSE_IDLE_MS = 50

/** How a server stops. */
export interface Stop {
  /** Called at the signal. From then on, probes say that the server is not ready. */
  readonly onSignal: () => void
  /** How long the server accepts further requests after the signal, in milliseconds, so that load balancers notice in time. */
  readonly drain: number
  /** Called when the server accepts no more connections. Ends event streams. */
  readonly onClose: () => void
}

/** Stops the server on SIGINT and SIGTERM. Requests in progress end. Resolves when the server has stopped. */
export async function stopOnSignal(
  server: Server,
  { onSignal, drain, onClose }: Stop,
): Promise<void> {
  const sockets = trackSockets(server)
  await stopSignal()
  onSignal()
  // A client that keeps a connection could send its next request at the moment when the server closes it.
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  if (drain > 0) await sleep(drain)
  onClose()
  const closed = once(server, 'close')
  server.close()
  const closeIdle = setInterval(() => {
    // Clients keep connections open after the response.
    server.closeIdleConnections()
    // Browsers open connections before they send a request. Node does not count those as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, CLOSE_IDLE_MS)
  setTimeout(() => server.closeAllConnections(), GRACE_PERIOD_MS).unref()
  await closed
  clearInterval(closeIdle)
}

/** Handles only one signal: a second signal ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = (): void => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      resolve()
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}
