import type { ForwardedDelivery } from '../control/outputs.ts'
import type { SentEvent } from '../events/delivery.ts'
import { type RemoteWorld, send } from './connection.ts'
import { followStream, readData } from './follow.ts'

/** Sends a delivery of an event to a receiver. */
export type Deliver = (request: Request, event: SentEvent) => Promise<Response>

/** Somebody who receives the events of a sandbox in another process. */
export interface Receiving {
  /** The secret with which the deliveries are signed. */
  readonly secret: string
  /** Ends this. */
  stop(): void
}

/** So much of a receiver's response is told, in characters. */
const MAX_RESPONSE = 16_384

/**
 * Receives every event of a world: `deliver` sends each to the receiver at `url`, and the sandbox learns what it has answered. Resolves when the
 * sandbox begins to send.
 */
export async function receive(
  remote: RemoteWorld,
  url: string,
  deliver: Deliver,
): Promise<Receiving> {
  let begin = (_secret: string): void => undefined
  const begun = new Promise<string>((resolve) => {
    begin = resolve
  })
  const { connection, world } = remote
  const stop = await followStream(
    (stopping) => connection.open(world, 'receiveDeliveries', stopping, { body: { url } }),
    ({ event, data }) => {
      const content = readData(data)
      if (event !== 'delivery') return () => begin(String(content.secret))
      return () => void forward(content, url, deliver, remote)
    },
  )
  return { secret: await begun, stop }
}

/** Sends a delivery to the receiver, and tells the sandbox what it has answered. */
async function forward(
  { ticket, event, method, headers, body }: ForwardedDelivery,
  url: string,
  deliver: Deliver,
  remote: RemoteWorld,
): Promise<void> {
  const content = body === '' ? {} : { body }
  const request = new Request(url, { method, headers, ...content, redirect: 'manual' })
  const answer = await Promise.resolve()
    .then(() => deliver(request, event))
    .then(async (response) => {
      const text = await response.text()
      return { status: response.status, body: text.slice(0, MAX_RESPONSE) }
    })
    .catch((error: unknown) => {
      const { code, message } = Object(Object(error).cause ?? error)
      return { error: String(code ?? message) }
    })
  // The sandbox may have given up, or started anew.
  await send(remote, 'answerForwarded', { path: [ticket], body: answer }).catch(() => undefined)
}
