import { createConnection, type Socket } from 'node:net'
import { connect } from 'node:tls'
import type { StoreAddress } from './store-address.ts'
import type { StoreRefusal } from './store-refusal.ts'

/** How long a server may take to show whether it uses TLS, in milliseconds. */
const LIMIT = 1000

const PING = '*1\r\n$4\r\nPING\r\n'

/** Every reply of a server without TLS begins with one of these: a text, an error, or a request for the password. */
const REPLY = /^[+\-$]/

/**
 * Whether a server that cannot be used speaks TLS where the address says that it does not, or the other way round. It gets neither a
 * password nor data. Resolves with `undefined` when that is not the reason.
 */
export async function tlsMismatch({
  nodes: [node],
  isEncrypted,
}: StoreAddress): Promise<StoreRefusal | undefined> {
  if (!node) return undefined
  if (isEncrypted) {
    return (await speaksPlainly(node))
      ? { reason: 'it does not use TLS at this port', help: 'Use redis:// instead of rediss://.' }
      : undefined
  }
  return (await speaksTls(node))
    ? { reason: 'it uses TLS at this port', help: 'Use rediss:// instead of redis://.' }
    : undefined
}

type Node = StoreAddress['nodes'][number]

function speaksPlainly({ host, port }: Node): Promise<boolean> {
  const socket = createConnection({ host, port })
  return seenAt(socket, (found) => {
    socket.once('connect', () => socket.write(PING))
    socket.once('data', (bytes) => found(REPLY.test(bytes.toString('latin1'))))
  })
}

function speaksTls({ host, port }: Node): Promise<boolean> {
  // Whether the certificate is trusted does not matter here: nothing is sent.
  const socket = connect({ host, port, rejectUnauthorized: false })
  return seenAt(socket, (found) => socket.once('secureConnect', () => found(true)))
}

/** Resolves with what was seen at a connection, or with `false` when it failed or took too long. */
async function seenAt(
  socket: Socket,
  watch: (found: (is: boolean) => void) => void,
): Promise<boolean> {
  try {
    return await new Promise<boolean>((resolve) => {
      watch(resolve)
      socket.setTimeout(LIMIT, () => resolve(false))
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}
