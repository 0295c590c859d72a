import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedOptions } from '../../redis/shared-sandbox.ts'
import type { SharedSandbox } from '../../redis/world-choice.ts'
import type { JsonResponse } from '../responses.ts'
import { openNetwork, type StoreNetwork, type Traffic } from './network.ts'
import { SharedPair } from './shared-pair.ts'

/** A request of a test, and the status of its response. */
export interface CountedRequest {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Counts what requests send to a store. */
export interface TripCounter {
  readonly sandbox: SharedSandbox
  readonly send: (request: Omit<CountedRequest, 'status'>) => Promise<JsonResponse>
  /** Sends a request, and resolves with what it sent to the store and received from it. */
  readonly count: (request: CountedRequest) => Promise<Traffic>
  readonly close: () => Promise<void>
}

/** How long answers wait for each other, in milliseconds. */
const DELAY_MS = 10

/** Opens a sandbox on a store, with a network between them. */
export async function openTripCounter(
  port: number,
  options?: Omit<SharedOptions, 'store'>,
): Promise<TripCounter> {
  const network = await openNetwork(port)
  const pair = await SharedPair.open(network.address, options)
  const send: TripCounter['send'] = ({ method, path, body, headers }) =>
    pair.send(0, method, path, body, headers)

  return {
    sandbox: pair.sandboxes[0],
    send,
    count: async ({ status, ...request }) => {
      network.delay(DELAY_MS)
      const before = await settled(network)
      const answer = await send(request)
      const after = await settled(network)
      network.delay(0)
      if (answer.status !== status) throw new Error(`The response was a ${answer.status}.`)
      return {
        trips: after.trips - before.trips,
        sent: after.sent - before.sent,
        received: after.received - before.received,
      }
    },
    close: async () => {
      await pair.close()
      await network.close()
    },
  }
}

/** How often nothing may happen until nothing is expected to happen any more. */
const QUIET_TURNS = 3

/** What went through the network, when nothing does any more. */
async function settled({ traffic, isBusy }: StoreNetwork): Promise<Traffic> {
  let before = { ...traffic }
  // Several short waits instead of a long one: a process that was paused reads what has arrived between two of them.
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    await sleep(DELAY_MS)
    if (isBusy() || before.trips !== traffic.trips || before.received !== traffic.received) {
      quiet = -1
      before = { ...traffic }
    }
  }
  return before
}
