import type { Exchange } from '../journal/exchange.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
import type { Call } from './call.ts'

/** Milliseconds between comments. They keep proxies from closing a stream without events. */
const HEARTBEAT_MS = 15_000

/** The most events that are buffered for a client that does not read. One more ends the stream, and the client may resume. */
const MAX_BUFFERED_EVENTS = 1000

/** Milliseconds that a client should wait before it reconnects. */
const RETRY_MS = 1000

/**
 * The exchanges of a world as server-sent events (HTML, section 9.2): first the recorded exchanges after the client's last
 * one, then each exchange when it ends.
 */
export function openEventStream(
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
      const heartbeat = setInterval(() => write(': heartbeat\n\n'), HEARTBEAT_MS)
      stop = () => {
        unsubscribe()
        clearInterval(heartbeat)
        streams.delete(end)
      }
      streams.add(end)
      write(`retry: ${RETRY_MS}\n\n`)
      for (const exchange of missedExchanges(world, after)) send(exchange)
    },
    cancel: () => stop(),
  })
}

/**
 * Calls the listener with each exchange of the world of this name. A world that is dropped or restored comes back as another
 * object with the same name, and the listener gets its exchanges, too.
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

/** The exchanges after the client's last one. After a reset that id is greater than all ids of the journal: then all exchanges. */
function missedExchanges({ journal }: World, after: number | undefined): readonly Exchange[] {
  if (after === undefined) return []
  return journal.find({ after: after > journal.last ? 0 : after })
}

function toEvent(exchange: Exchange): string {
  return `id: ${exchange.id}\nevent: exchange\ndata: ${JSON.stringify(exchange)}\n\n`
}
