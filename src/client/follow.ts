import { createParser, type EventSourceParser } from 'eventsource-parser'
import { excessOf } from '../http/json-limits.ts'
import type { ExchangeSummary } from '../journal/exchange.ts'
import { notify } from '../journal/notify.ts'
import { LIMITS } from './answer.ts'
import { createLineLimit } from './line-limit.ts'
import type { RemoteWorld } from './remote-world.ts'

/** Fake timers of a page or a test must not keep a client from connecting again. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Milliseconds before a client connects again, unless the sandbox asks for another wait. */
const RETRY = 1000
/** The waits that a sandbox may ask for, in milliseconds. */
const [SHORTEST_RETRY, LONGEST_RETRY] = [100, 60_000]

/** Characters that an event may have: an exchange has 16 KiB of either body, and escaped six times as much. */
const LONGEST_EVENT = 4 * 1024 * 1024

/** Lines that an event may have: a sandbox writes few, and the parser needs far more memory for a line than it has characters. */
const MOST_LINES = 1000

/** Called with each exchange as it ends. */
export type ToldExchangeListener = (exchange: ExchangeSummary) => void

/**
 * Calls the listener with each exchange after `last`, as it ends. A connection that breaks is made anew, and what was missed
 * comes then. Resolves with what stops that, once the first connection stands.
 */
export async function follow(
  { line, world }: RemoteWorld,
  last: number,
  listener: ToldExchangeListener,
): Promise<() => void> {
  // A connection has a signal of its own: listeners of a `fetch` stay on its signal after it has ended.
  let connection = new AbortController()
  let isStopped = false
  let wake = (): void => undefined
  let latest = last
  let retry = RETRY
  const open = (): Promise<ReadableStream<Uint8Array>> => {
    connection = new AbortController()
    return line.open(world, 'GET /journal/events', connection, latest)
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
      maxBufferSize: LONGEST_EVENT,
      // What the parser cannot take ends the connection, which is made anew.
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error
      },
      onRetry: (milliseconds) => {
        retry = Math.max(SHORTEST_RETRY, Math.min(milliseconds, LONGEST_RETRY))
      },
      onEvent: ({ data }) => {
        const exchange = readExchange(data)
        latest = exchange.id
        if (!isStopped) notify(listener, exchange)
      },
    })
  const goOn = async (first: ReadableStream<Uint8Array>): Promise<void> => {
    let stream: ReadableStream<Uint8Array> | undefined = first
    while (!isStopped) {
      // A connection that broke is tried again, as is one that could not be made.
      if (stream) await read(stream, listen()).catch(() => undefined)
      else await pause()
      stream = stream || isStopped ? undefined : await open().catch(() => undefined)
    }
  }
  void goOn(await open())

  return () => {
    isStopped = true
    connection.abort()
    wake()
  }
}

/** The exchange of an event. Throws for what is none, and so ends the connection. */
function readExchange(data: string): ExchangeSummary {
  if (excessOf(data, LIMITS)) throw new RangeError('An event is nested too deeply')
  const exchange: ExchangeSummary = JSON.parse(data)
  if (Number.isSafeInteger(exchange.id)) return exchange
  throw new TypeError('An event is no exchange')
}

async function read(stream: ReadableStream<Uint8Array>, parser: EventSourceParser): Promise<void> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const limitLines = createLineLimit(MOST_LINES)
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
