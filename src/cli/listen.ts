import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trackSockets } from '../transports/unanswered-sockets.ts'
import { UsageError } from '../validation/usage-error.ts'

/** How long requests under way may take to end once the server was told to stop, in milliseconds. */
const GRACE = 5000
/** How often connections that have become idle are closed meanwhile, in milliseconds. */
const SWEEP = 50

/** Listens, and gives the server's origin, as `http://127.0.0.1:4010`. Port 0 is any free one. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw cannotListen(host, port, cause)
  }
  const address = server.address()
  return toOrigin(host, isAddressInfo(address) ? address.port : port)
}

/**
 * Ends the server on SIGINT and SIGTERM: no new requests, those under way end first, and what has no end of its own is
 * ended by `control`. Resolves once it has ended.
 */
export async function stopOnSignal(
  server: Server,
  control?: { readonly close: () => void },
): Promise<void> {
  const sockets = trackSockets(server)
  await told()
  control?.close()
  const closed = once(server, 'close')
  server.close()
  const sweep = setInterval(() => {
    // Clients keep the connection of an answered request, which need not be waited for.
    server.closeIdleConnections()
    // Browsers connect ahead of requests that they may never send. To Node, such a connection is not idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, SWEEP)
  setTimeout(() => server.closeAllConnections(), GRACE).unref()
  await closed
  clearInterval(sweep)
}

/** Listens for one signal only: whoever asks twice does not want to wait, and ends the process. */
function told(): Promise<void> {
  return new Promise((resolve) => {
    const tell = (): void => {
      process.off('SIGINT', tell).off('SIGTERM', tell)
      resolve()
    }
    process.on('SIGINT', tell).on('SIGTERM', tell)
  })
}

function toOrigin(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function cannotListen(host: string, port: number, cause: unknown): UsageError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const [why, advice] = REASONS[code] ?? [
    `the system says ${code}`,
    'Choose another --host or --port.',
  ]

  return new UsageError({
    code: 'cannot_listen',
    task: `listen on ${host}:${port}`,
    reason: why,
    help: advice,
    cause,
  })
}

const REASONS: Readonly<Record<string, readonly [why: string, advice: string]>> = {
  EADDRINUSE: [
    'another program uses this port',
    'Stop it, or choose another port with --port (0: any free one).',
  ],
  EACCES: ['permission denied', 'Choose a port ≥ 1024 with --port.'],
  EADDRNOTAVAIL: [
    'this machine does not have this address',
    'Choose one of its addresses with --host.',
  ],
  ENOTFOUND: ['the host is unknown', 'Choose an address of this machine with --host.'],
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}
