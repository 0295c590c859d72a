import type { Awaitable } from '../records/awaitable.ts'
import { whenKnown } from '../records/awaitable.ts'
import type { Streams } from './call.ts'

/** Milliseconds between comments. They keep proxies from closing a stream without events. */
const HEARTBEAT_MS = 15_000

/** The most events that are buffered for a client that does not read. One more ends the stream, and the client may open another one. */
const MAX_BUFFERED_EVENTS = 1000

/** Milliseconds that a client should wait before it reconnects. */
const RETRY_MS = 1000

/** One server-sent event. */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
  /** What a client that reconnects names as the last event that it got. */
  readonly id?: number
}

/** What a stream does with its source of events. */
export interface StreamSink {
  readonly send: (event: StreamEvent) => void
  /** Ends the stream. */
  readonly end: () => void
}

/**
 * Answers with a stream of server-sent events (HTML, section 9.2). `start` begins to send them, and returns a function that ends this: it is
 * called when the client disconnects, does not read, or the sandbox stops.
 */
export function eventStream(
  streams: Streams,
  start: (sink: StreamSink) => Awaitable<() => void>,
): Response {
  const encoder = new TextEncoder()
  let stop = (): void => undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let isStopped = false
      let stopSource = (): void => undefined
      const write = (text: string): void => controller.enqueue(encoder.encode(text))
      const heartbeat = setInterval(() => write(': heartbeat\n\n'), HEARTBEAT_MS)
      const end = (): void => {
        if (isStopped) return
        stop()
        controller.close()
      }
      const send = (event: StreamEvent): void => {
        if (isStopped) return
        write(toText(event))
        if ((controller.desiredSize ?? 0) < -MAX_BUFFERED_EVENTS) end()
      }
      stop = () => {
        isStopped = true
        stopSource()
        clearInterval(heartbeat)
        streams.delete(end)
      }
      streams.add(end)
      write(`retry: ${RETRY_MS}\n\n`)
      return whenKnown(start({ send, end }), (ended) => {
        stopSource = ended
        if (isStopped) ended()
      })
    },
    cancel: () => stop(),
  })
  return new Response(body, { headers: STREAM_HEADERS })
}

/** The headers of a stream of events. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
}

function toText({ id, event, data }: StreamEvent): string {
  const own = id === undefined ? '' : `id: ${id}\n`
  return `${own}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
