import type { Exchange } from '../journal/exchange.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
import type { Call } from './call.ts'

/** Milliseconds between comments: proxies end a stream that is silent. */
const BEAT = 15_000

/** How many events wait for a client that does not read. At one more its stream ends, and it may resume. */
const MOST_WAITING = 1000

/** Milliseconds that a client should wait before it connects again. */
const RETRY = 1000

/**
 * The exchanges of a world as server-sent events (HTML, section 9.2): first those after the last that the client has, as far
 * as the journal goes back, then each as it ends.
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
      const tell = (exchange: Exchange): void => {
        write(toEvent(exchange))
        if ((controller.desiredSize ?? 0) < -MOST_WAITING) end()
      }
      const unsubscribe = onExchange(sandbox, world, tell)
      const beat = setInterval(() => write(': the sandbox is there\n\n'), BEAT)
      stop = () => {
        unsubscribe()
        clearInterval(beat)
        streams.delete(end)
      }
      streams.add(end)
      write(`retry: ${RETRY}\n\n`)
      for (const exchange of missed(world, after)) tell(exchange)
    },
    cancel: () => stop(),
  })
}

/**
 * Listens to a world by its name: one that is dropped or restored comes back as another, and the stream goes on with
 * that.
 */
export function onExchange(
  { worlds }: Sandbox,
  { name }: World,
  tell: (exchange: Exchange) => void,
): () => void {
  return worlds.onExchange((exchange, world) => {
    if (world === name) tell(exchange)
  })
}

/** What a client has missed. One that has seen more than there is comes from before a reset: all is new to it. */
function missed({ journal }: World, after: number | undefined): readonly Exchange[] {
  if (after === undefined) return []
  return journal.find({ after: after > journal.last ? 0 : after })
}

function toEvent(exchange: Exchange): string {
  return `id: ${exchange.id}\nevent: exchange\ndata: ${JSON.stringify(exchange)}\n\n`
}
