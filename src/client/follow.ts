import { createParser, type EventSourceParser } from 'eventsource-parser'
import { excessOf } from '../http/body-limits.ts'
import type { ExchangeSummary } from '../journal/exchange.ts'
import { notify } from '../journal/exchange.ts'
import type { RemoteWorld } from './connection.ts'
import { LIMITS } from './read-response.ts'

/** The original timers. Fake timers of a page or a test must not prevent the client from reconnecting. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Milliseconds before a client connects again, unless the sandbox asks for another wait. */
const DEFAULT_RETRY_DELAY = 1000
/** The waits that a sandbox may ask for, in milliseconds. */
const [MIN_RETRY_DELAY, MAX_RETRY_DELAY] = [100, 60_000]

/** The most characters of an event. An exchange has at most 16 KiB of each body, which JSON can escape to six times the length. */
const MAX_EVENT_LENGTH = 4 * 1024 * 1024

/** The most lines of an event. A sandbox writes few. The parser needs much more memory for a line than for its characters. */
const MAX_EVENT_LINES = 1000

/** Called with each exchange as it ends. */
export type ExchangeSummaryListener = (exchange: ExchangeSummary) => void

/**
 * Calls the listener with each exchange after `last`, as it ends. A broken stream is opened again, and continues with the
 * exchanges that were missed. Resolves with a function that stops it, once the first stream is open.
 */
export function follow(
  { connection, world }: RemoteWorld,
  last: number,
  listener: ExchangeSummaryListener,
): Promise<() => void> {
  let latest = last
  return followStream(
    (stop) =>
      connection.open(world, 'streamExchanges', stop, {
        headers: { 'Last-Event-ID': String(latest) },
      }),
    ({ data }) => {
      const exchange = readExchange(data)
      latest = exchange.id
      return () => notify(listener, exchange)
    },
  )
}

/** An event of a stream. */
interface StreamEvent {
  readonly data: string
  /** Its name; absent when it has none. */
  readonly event?: string | undefined
}

/**
 * Opens a stream of events, and opens it again when it breaks. `take` reads an event, and returns what is to be done with it; what it throws
 * breaks the stream. Resolves with a function that stops it, once the first stream is open.
 */
export async function followStream(
  openStream: (stop: AbortController) => Promise<ReadableStream<Uint8Array>>,
  take: (event: StreamEvent) => () => void,
): Promise<() => void> {
  // Each stream has its own signal, because the listeners of `fetch` stay on a signal after the stream has ended.
  let streaming = new AbortController()
  let isStopped = false
  let wake = (): void => undefined
  let retry = DEFAULT_RETRY_DELAY
  const open = (): Promise<ReadableStream<Uint8Array>> => {
    streaming = new AbortController()
    return openStream(streaming)
  }
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = startTimer(resolve, retry)
      wake = () => {
        stopTimer(timer)
        resolve()
      }
    })
  const listen = (): EventSourceParser =>
    createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      // An event that is too long ends the stream, which is opened again.
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error
      },
      onRetry: (milliseconds) => {
        retry = Math.max(MIN_RETRY_DELAY, Math.min(milliseconds, MAX_RETRY_DELAY))
      },
      onEvent: (event) => {
        const act = take(event)
        if (!isStopped) act()
      },
    })
  const run = async (first: ReadableStream<Uint8Array>): Promise<void> => {
    let stream: ReadableStream<Uint8Array> | undefined = first
    while (!isStopped) {
      // A stream that broke or could not be opened is opened again after a pause.
      if (stream) await read(stream, listen()).catch(() => undefined)
      else await pause()
      stream = stream || isStopped ? undefined : await open().catch(() => undefined)
    }
  }
  void run(await open())

  return () => {
    isStopped = true
    streaming.abort()
    wake()
  }
}

/** The exchange of an event. Throws for anything else, which ends the stream. */
function readExchange(data: string): ExchangeSummary {
  const exchange: ExchangeSummary = readData(data)
  if (Number.isSafeInteger(exchange.id)) return exchange
  throw new TypeError('An event is not an exchange')
}

/** The data of an event. Throws for what is no JSON, and for what is nested too deeply. */
export function readData(data: string): ReturnType<typeof JSON.parse> {
  if (excessOf(data, LIMITS)) throw new RangeError('An event is nested too deeply')
  return JSON.parse(data)
}

async function read(stream: ReadableStream<Uint8Array>, parser: EventSourceParser): Promise<void> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const limitLines = createLineLimit(MAX_EVENT_LINES)
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const text = decoder.decode(read.value, { stream: true })
      limitLines(text)
      parser.feed(text)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

const [CR, LF] = [0x0d, 0x0a]

/**
 * Creates a function that takes the text of an event stream piece by piece and counts the lines of each event. It throws a
 * RangeError when an event has more than `maxLines` lines. A blank line ends an event.
 */
export function createLineLimit(maxLines: number): (text: string) => void {
  let lines = 0
  let isBlank = true
  let previous = 0
  const endLine = (): void => {
    lines = isBlank ? 0 : lines + 1
    isBlank = true
    if (lines > maxLines) throw new RangeError('An event has too many lines')
  }
  const take = (code: number): void => {
    if (code !== CR && code !== LF) isBlank = false
    // CR LF is one end of a line.
    else if (code === CR || previous !== CR) endLine()
    previous = code
  }

  return (text) => {
    for (let index = 0; index < text.length; index += 1) take(text.charCodeAt(index))
  }
}
