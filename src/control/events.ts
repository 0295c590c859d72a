import type { Exchange } from '../journal/exchange.ts'
import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import type { Call } from './call.ts'

/** Milliseconds between comments. They keep proxies from closing a stream without events. */
const HEARTBEAT_MS = 15_000

/** The most events that are buffered for a client that does not read. One more ends the stream, and the client may resume. */
const MAX_BUFFERED_EVENTS = 1000

/** Milliseconds that a client should wait before it reconnects. */
const RETRY_MS = 1000

/** The parts of a call that a stream of events needs. */
type StreamCall = Pick<Call, 'host' | 'world' | 'openJournal' | 'streams'>

/**
 * The exchanges of a world as server-sent events (HTML, section 9.2): first the recorded exchanges after the client's last
 * one, then each exchange when it ends.
 */
export function openEventStream(
  call: StreamCall,
  after: number | undefined,
): ReadableStream<Uint8Array> {
  const { streams } = call
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
      const heartbeat = setInterval(() => write(': heartbeat\n\n'), HEARTBEAT_MS)
      let unsubscribe = (): void => undefined
      let isStopped = false
      stop = () => {
        isStopped = true
        unsubscribe()
        clearInterval(heartbeat)
        streams.delete(end)
      }
      streams.add(end)
      write(`retry: ${RETRY_MS}\n\n`)
      return whenKnown(sendFrom(call, after, send), (ended) => {
        unsubscribe = ended
        if (isStopped) ended()
      })
    },
    cancel: () => stop(),
  })
}

/** Sends the exchanges that the client missed, and each later one when it ends. Returns a function that ends this. */
function sendFrom(
  call: StreamCall,
  after: number | undefined,
  send: (exchange: Exchange) => void,
): Awaitable<() => void> {
  const { host, world } = call
  // Exchanges that end while the missed ones are read follow them.
  const later: Exchange[] = []
  let listener = (exchange: Exchange): void => void later.push(exchange)
  const subscribed = host.subscribe(world.name, (exchange) => listener(exchange))

  return whenKnown(subscribed, (unsubscribe) =>
    whenKnown(missedExchanges(call, after), (missed) => {
      const isMissed = ({ id, time }: Exchange): boolean =>
        missed.some((one) => one.id === id && one.time === time)
      for (const exchange of [...missed, ...later.filter((one) => !isMissed(one))]) send(exchange)
      listener = send
      return unsubscribe
    }),
  )
}

/** The exchanges after the client's last one. After a reset that id is greater than all ids of the journal: then all exchanges. */
function missedExchanges(
  { openJournal }: StreamCall,
  after: number | undefined,
): Awaitable<readonly Exchange[]> {
  if (after === undefined) return []
  return whenKnown(openJournal({ after }), (opened) =>
    after > opened.last
      ? whenKnown(openJournal(), ({ exchanges }) => exchanges)
      : opened.find({ after }),
  )
}

function toEvent(exchange: Exchange): string {
  return `id: ${exchange.id}\nevent: exchange\ndata: ${JSON.stringify(exchange)}\n\n`
}
