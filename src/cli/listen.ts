import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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
