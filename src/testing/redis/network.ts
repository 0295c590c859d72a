import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../free-port.ts'

/** The network between servers and a store, which a test can cut and measure. */
export interface StoreNetwork {
  readonly port: number
  /** Such as `redis://127.0.0.1:20002`. */
  readonly address: string
  /** Waits so many milliseconds before answers are passed on: those that come meanwhile are passed on together. */
  delay(milliseconds: number): void
  /** Closes all connections, and refuses new ones. */
  cut(): void
  /**
   * Passes on so many more pieces of answers, and closes the connection instead of the next one: the store did what nobody learns
   * of. Default: 0.
   */
  loseAnswers(after?: number): void
  /** Lets everything through again. */
  mend(): void
  /** What went through since the network was opened. */
  readonly traffic: Traffic
  /** Whether commands went through whose answers were not passed on. */
  readonly isBusy: () => boolean
  close(): Promise<void>
}

/** What went through the network. */
export interface Traffic {
  /**
   * How often commands were sent after answers were passed on. With a delay, commands that do not wait for the answers to each other
   * share a trip.
   */
  trips: number
  sent: number
  received: number
}

/** Opens a network: a free port from which all goes to a port of this machine. */
export async function openNetwork(target: number): Promise<StoreNetwork> {
  const port = await findFreePort()
  const traffic: Traffic = { trips: 0, sent: 0, received: 0 }
  const sockets = new Set<Socket>()
  /** The connections whose clients wait. */
  const busy = new Set<Socket>()
  let isClosed = false
  /** How many more pieces of answers are passed on. */
  let remaining = Number.POSITIVE_INFINITY
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
    if (isClosed) end()
    client.on('close', () => busy.delete(client))
    client.on('data', (bytes) => {
      if (!busy.has(client)) traffic.trips += 1
      busy.add(client)
      traffic.sent += bytes.length
      store.write(bytes)
    })
    let answers: Buffer[] = []
    const passOn = (): void => {
      busy.delete(client)
      remaining -= 1
      if (remaining < 0) end()
      else client.write(Buffer.concat(answers))
      answers = []
    }
    store.on('data', async (bytes) => {
      traffic.received += bytes.length
      answers.push(bytes)
      if (answers.length > 1) return
      if (delay > 0) await sleep(delay)
      passOn()
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
    isBusy: () => busy.size > 0,
    delay: (milliseconds) => {
      delay = milliseconds
    },
    cut: () => {
      isClosed = true
      drop()
    },
    loseAnswers: (after = 0) => {
      remaining = after
    },
    mend: () => {
      isClosed = false
      remaining = Number.POSITIVE_INFINITY
    },
    close: async () => {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
