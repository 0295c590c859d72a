import type { Exchange } from '../journal/exchange.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
import type { Call } from './call.ts'

/** Milliseconds between comments. Proxies close a stream that is silent. */
const HEARTBEAT_MS = 15_000

/** The most events that are buffered for a client that does not read. One more ends the stream, and the client may resume. */
const MAX_BUFFERED_EVENTS = 1000

/** Milliseconds that a client should wait before it reconnects. */
const RETRY_MS = 1000

/**
 * The exchanges of a world as server-sent events (HTML, section 9.2): first the recorded exchanges after the client's last
 * one, then each exchange when it ends.
 */
export function follow(
  { sandbox, world, streams }: Pick<Call, 'sandbox' | 'world' | 'streams'>,
  after: number | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = (): void => undefined

  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (text: string): void => controller.enqueue(encoder.encode(text))
      const end = (): void => {
        stop()
        controller.close()
      }
      const send = (exchange: Exchange): void => {
        write(toEvent(exchange))
        if ((controller.desiredSize ?? 0) < -MAX_BUFFERED_EVENTS) end()
      }
      const unsubscribe = onExchange(sandbox, world, send)
      const heartbeat = setInterval(() => write(': the sandbox is there\n\n'), HEARTBEAT_MS)
      stop = () => {
        unsubscribe()
        clearInterval(heartbeat)
        streams.delete(end)
      }
      streams.add(end)
      write(`retry: ${RETRY_MS}\n\n`)
      for (const exchange of missed(world, after)) send(exchange)
    },
    cancel: () => stop(),
  })
}

/**
 * Listens to a world by its name. A world that is dropped or restored comes back as another object, and the stream continues
 * with that one.
 */
export function onExchange(
  { worlds }: Sandbox,
  { name }: World,
  listener: (exchange: Exchange) => void,
): () => void {
  return worlds.onExchange((exchange, world) => {
    if (world === name) listener(exchange)
  })
}

/** The exchanges that a client missed: all of them when its last id is greater than the journal's, as after a reset. */
function missed({ journal }: World, after: number | undefined): readonly Exchange[] {
  if (after === undefined) return []
  return journal.find({ after: after > journal.last ? 0 : after })
}

function toEvent(exchange: Exchange): string {
  return `id: ${exchange.id}\nevent: exchange\ndata: ${JSON.stringify(exchange)}\n\n`
}
