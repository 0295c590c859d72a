import { describesEvent } from '../../contract/event-stream.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import { isObject } from '../../validation/objects.ts'

/** Milliseconds between comments. They keep proxies from closing a stream without events. */
const HEARTBEAT_MS = 15_000

/** The most events that are buffered for a client that does not read. One more ends the stream, and the client may open another one. */
const MAX_BUFFERED_EVENTS = 1000

/** Milliseconds that a client should wait before it reconnects. */
const RETRY_MS = 1000

/** One server-sent event. */
export interface StreamEvent {
  /** The name of the event. Without one, clients call it `message`. */
  readonly event?: string | undefined
  /** What a client that reconnects names as the last event that it got. */
  readonly id?: number | string | undefined
  /** Milliseconds after which a client should reconnect. */
  readonly retry?: number | string | undefined
  readonly data: string
}

/** What a stream does with its source of events. */
export interface StreamSink {
  readonly send: (event: StreamEvent) => void
  /** Ends the stream. */
  readonly end: () => void
}

/** Functions that end open streams. */
export type Streams = Set<() => void>

/** Begins to send events, and returns a function that ends this. */
export type StreamSource = (sink: StreamSink) => Awaitable<() => void>

/**
 * A stream of server-sent events (HTML, section 9.2). `start` is called at once. What it returns is called when the client disconnects, does not
 * read, or one of `streams` is ended.
 */
export function openEventStream(streams: Streams, start: StreamSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = (): void => undefined

  return new ReadableStream<Uint8Array>({
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
        write(writeEvent(event))
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
}

/** The headers of a stream of events. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
}

/** The text of an event. Line breaks would end a field, so that data has a line for each of its own. */
function writeEvent({ data, ...fields }: StreamEvent): string {
  const named = (['id', 'event', 'retry'] as const).flatMap((name) => {
    const text = String(fields[name] ?? '').replace(/[\r\n\0]/g, ' ')
    return text === '' ? [] : [`${name}: ${text}`]
  })
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)

  return `${[...named, ...lines].join('\n')}\n\n`
}

/** The text of values: an object that describes an event, or the data of one. */
export function writeValues(values: readonly unknown[]): string {
  return values.map(toEvent).join('')
}

function toEvent(value: unknown): string {
  if (!isObject(value) || !describesEvent(Object.keys(value)))
    return writeEvent({ data: toText(value) })
  const { data, ...fields } = value
  const named = Object.entries(fields).map(([name, one]) => [name, String(one)])

  return writeEvent({ ...Object.fromEntries(named), data: toText(data) })
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
