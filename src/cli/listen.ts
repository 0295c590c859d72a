import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { trackSockets } from '../transports/connections.ts'
import { refuseDeliveriesTo } from '../transports/deliver.ts'
import { UsageError } from '../validation/usage-error.ts'
import { describeSystemError, systemErrorCode } from './system-error.ts'

/** Starts to listen, and returns the origin of the server, such as `http://127.0.0.1:4010`. Port 0 is any free port. `portOption` is named in errors. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  portOption = '--port',
): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw cannotListen(host, port, portOption, cause)
  }
  refuseDeliveriesTo(server)
  const address = server.address()
  return toOrigin(host, isAddressInfo(address) ? address.port : port)
}

function toOrigin(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function cannotListen(host: string, port: number, portOption: string, cause: unknown): UsageError {
  const [reason, help] = reasonsOf(portOption)[systemErrorCode(cause)] ?? [
    describeSystemError(cause),
    `Choose another --host or ${portOption}.`,
  ]

  return new UsageError({
    code: 'cannot_listen',
    task: `listen on ${host}:${port}`,
    reason,
    help,
    cause,
  })
}

function reasonsOf(
  portOption: string,
): Readonly<Record<string, readonly [reason: string, help: string]>> {
  return {
    EADDRINUSE: [
      'another program uses this port',
      `Stop it, or choose another port with ${portOption} (0: any free one).`,
    ],
    EACCES: ['permission denied', `Choose a port ≥ 1024 with ${portOption}.`],
    EADDRNOTAVAIL: [
      'this machine does not have this address',
      'Choose one of its addresses with --host.',
    ],
    ENOTFOUND: ['the host is unknown', 'Choose an address of this machine with --host.'],
  }
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}

/** How long requests in progress may take after the server has closed, in milliseconds. */
const GRACE_PERIOD_MS = 10_000
/** How often the server closes idle connections while it stops, in milliseconds. */
const CLOSE_IDLE_MS = 50

/** The longest interval of a timer, in milliseconds. */
const LONG_MS = 2 ** 31 - 1

/** How a server stops. */
interface Stop {
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

/**
 * Resolves at SIGINT or SIGTERM. Handles only one signal: a second signal ends the process at once. `keepsAlive`: nothing else keeps the
 * process alive until then.
 */
export function stopSignal({
  keepsAlive = false,
}: {
  readonly keepsAlive?: boolean
} = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = keepsAlive ? setInterval(() => undefined, LONG_MS) : undefined
    const onSignal = (): void => {
      clearInterval(timer)
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      resolve()
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}
