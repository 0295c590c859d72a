import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'

/** The network between servers and a store, which a test can cut and measure. */
export interface StoreNetwork {
  readonly port: number
  /** Such as `redis://127.0.0.1:20002`. */
  readonly address: string
  /** Waits so many milliseconds before each piece of an answer is passed on. */
  delay(milliseconds: number): void
  /**
   * Closes all connections, and refuses new ones. With `answers`, commands still reach the store for as long as the connections
   * exist, but the next answer of each closes its connection instead: the store did what nobody learns of.
   */
  cut(what?: 'all' | 'answers'): void
  /** Lets everything through again. */
  mend(): void
  /** What went through since the network was opened. */
  readonly traffic: Traffic
  close(): Promise<void>
}

/** What went through the network. */
export interface Traffic {
  /** How often a command was sent after the answers to all of those before it. */
  trips: number
  sent: number
  received: number
}

/** Opens a network: a free port from which all goes to a port of this machine. */
export async function openNetwork(target: number): Promise<StoreNetwork> {
  const port = await findFreePort()
  const traffic: Traffic = { trips: 0, sent: 0, received: 0 }
  const sockets = new Set<Socket>()
  let state: 'open' | 'closed' | 'answers' = 'open'
  let delay = 0
  const server = createServer({ noDelay: true }, (client) => {
    const store = connect({ port: target, host: '127.0.0.1', noDelay: true })
    const end = (): void => {
      client.destroy()
      store.destroy()
    }
    for (const socket of [client, store]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    if (state === 'closed') end()
    let isWaiting = false
    client.on('data', (bytes) => {
      if (!isWaiting) traffic.trips += 1
      isWaiting = true
      traffic.sent += bytes.length
      store.write(bytes)
    })
    store.on('data', async (bytes) => {
      isWaiting = false
      traffic.received += bytes.length
      if (delay > 0) await sleep(delay)
      if (state === 'answers') end()
      else client.write(bytes)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }

  return {
    port,
    address: `redis://127.0.0.1:${port}`,
    traffic,
    delay: (milliseconds) => {
      delay = milliseconds
    },
    cut: (what = 'all') => {
      state = what === 'all' ? 'closed' : 'answers'
      if (what === 'all') drop()
    },
    mend: () => {
      state = 'open'
    },
    close: async () => {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
