import { CREATOR } from '../engine/world-state.ts'
import { withDeliveries } from '../events/delivery-har.ts'
import type { Inputs } from '../generated/control-types.ts'
import type { CoreResponse } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { CONTENT_SECURITY_POLICY } from '../http/response-headers.ts'
import { type Exchange, toPlain } from '../journal/exchange.ts'
import { type ExchangeQuery, isEverything, listing, toFilter } from '../journal/exchange-query.ts'
import { toHar } from '../journal/har.ts'
import { MAX_LISTED } from '../journal/journal.ts'
import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import type { Report } from '../report/report.ts'
import { checkRuleNames } from '../report/rules.ts'
import { STREAM_HEADERS } from '../responses/content/event-stream.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import type { JournalRange, OpenedJournal } from '../sandbox/world-host.ts'
import { type Call, eventStream, type Handlers, Reply, stateOf } from './call.ts'

/** The handlers for the journal, and for the report on its exchanges. */
export const journalHandlers: Handlers<
  | 'findExchanges'
  | 'getExchange'
  | 'waitForExchange'
  | 'exportHar'
  | 'streamExchanges'
  | 'getReport'
> = {
  findExchanges: async ({ openJournal, input: { query } }) => {
    const opened = await openJournal(rangeOf(query))
    const exchanges = opened.find(toQuery(query)).map(toPlain)
    const { last, dropped } = opened

    return { exchanges, last, dropped }
  },

  getExchange: async ({ openJournal, input: { path } }) => {
    const range = { after: path.id - 1, limit: 1 }
    const opened = await openJournal(range)
    const [found] = opened.find(range)
    if (found?.id !== path.id) throw unknownExchange(opened, path.id)

    return toPlain(found)
  },

  waitForExchange: async (call) => {
    const { timeout, ...query } = call.input.query

    return toPlain(await waitFor(call, toQuery(query), timeout))
  },

  exportHar: async ({ openEvents, openJournal, input: { query } }) => {
    const { deliveries = isEverything(query), ...exchanges } = query
    const opened = await openJournal(rangeOf(exchanges))
    const har = toHar(opened.find(toQuery(exchanges)), CREATOR)
    if (!deliveries) return har
    return withDeliveries(har, (await openEvents()).deliveries)
  },

  streamExchanges: (call) => {
    const { request, streams } = call
    if (request.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS })
    const after = readEventId(request.header('last-event-id'))

    return eventStream(streams, ({ send }) =>
      sendFrom(call, after, (exchange) =>
        send({ id: exchange.id, event: 'exchange', data: exchange }),
      ),
    )
  },

  getReport: async ({ world, openJournal, openEvents, input: { query } }) => {
    const { format, ...options } = query
    const { service } = stateOf(world)
    const { contract, plans } = world
    const source = {
      ...{ contract, plans, journal: await openJournal() },
      events: await openEvents(),
    }
    const { reportOnWorld } = await import('../report/report.ts')
    const report = reportOnWorld(source, service.settings.ban, toReportOptions(options))

    return format === 'json' ? report : new Reply(await formatReport(report, format))
  },
}

function unknownExchange({ last, dropped }: OpenedJournal, id: number): Problem {
  const reason =
    id <= dropped ? 'The full journal has dropped it.' : `The latest exchange is ${last}.`
  return problems.notFound(`There is no exchange ${id}. ${reason}`)
}

type Query = Inputs['findExchanges']['query']

/** The exchanges that a query can find. Unless all of them match, and the oldest are wanted, its limit is not theirs. */
function rangeOf({ after, limit, from, ...filters }: Query): JournalRange {
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const isFromStart = (from ?? (after === undefined ? 'end' : 'start')) === 'start'
  return { after, ...(!isFiltered && isFromStart && { limit }) }
}

/** The query as the journal takes it: a status is a number, or a class such as `4xx`. */
function toQuery({ status, ...query }: Query): ExchangeQuery {
  if (status === undefined) return query
  return { ...query, status: isClass(status) ? status : Number(status) }
}

function isClass(status: string): status is Extract<ExchangeQuery['status'], string> {
  return status.endsWith('xx')
}

function readEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const message = 'must be the id of an exchange, an integer'
  throw problems.invalidInput([{ location: 'header.Last-Event-ID', message }])
}

/** The parts of a call that a stream of exchanges needs. */
type StreamCall = Pick<Call, 'host' | 'world' | 'openJournal'>

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

/** Longer targets in the error are truncated to this many characters. */
const MAX_TARGET_LENGTH = 200

type WaitCall = Call<'waitForExchange'>

/** Why a wait ended without an exchange: the timeout, a server that stops, or a client that disconnected. */
type End = 'timeout' | 'stopped' | 'disconnected'

/**
 * The first exchange that matches, already recorded or later. Unlike the journal's own wait, it also ends when the client
 * disconnects or the server stops. Throws a 408 when none came within `timeout` milliseconds, and a 503 when the server stops.
 */
async function waitFor(call: WaitCall, query: ExchangeQuery, timeout: number): Promise<Exchange> {
  const { host, world, openJournal } = call
  // Later exchanges have greater ids than `after`, except after a reset, when the ids start again at 1.
  const matches = toFilter({ ...query, after: 0 })
  const ending = startEnding(call, timeout)
  let find = (_exchange: Exchange): void => undefined
  const later = new Promise<Exchange>((resolve) => {
    find = resolve
  })
  let unsubscribe = (): void => undefined
  try {
    unsubscribe = await host.subscribe(world.name, (exchange) => {
      if (matches(exchange)) find(exchange)
    })
    const opened = await openJournal({ after: query.after })
    const [found] = opened.find(query)
    const result = found ?? (await Promise.race([later, ending.ended]))
    if (typeof result === 'object') return result
    if (result === 'stopped') {
      throw problems.unavailable('The sandbox stopped before an exchange matched the query.', 1)
    }
    throw await noExchange(call, opened.last, timeout)
  } finally {
    unsubscribe()
    ending.release()
  }
}

/** The 408 of a wait, with the latest exchanges. `last` was the id of the latest one when the wait began. */
async function noExchange({ openJournal }: WaitCall, last: number, timeout: number) {
  const { exchanges } = await openJournal({ after: Math.max(0, last - MAX_LISTED) })
  const latest = exchanges.slice(-MAX_LISTED)

  return problems.noExchange(
    `No exchange matched the query within ${timeout} ms. Latest exchanges: ${listing(latest)}.`,
    latest.map(({ id, method, target, status, operation }) => {
      return { id, method, target: target.slice(0, MAX_TARGET_LENGTH), status, operation }
    }),
  )
}

/** Resolves when a wait ends without an exchange. `release` stops to watch for that. */
function startEnding(
  { streams, signal }: WaitCall,
  timeout: number,
): { readonly ended: Promise<End>; readonly release: () => void } {
  let end = (_end: End): void => undefined
  const ended = new Promise<End>((resolve) => {
    end = resolve
  })
  const stop = (): void => end('stopped')
  const abort = (): void => end('disconnected')
  const timer = setTimeout(() => end('timeout'), timeout)
  streams.add(stop)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)

  return {
    ended,
    release: () => {
      clearTimeout(timer)
      streams.delete(stop)
      signal.removeEventListener('abort', abort)
    },
  }
}

/** The page loads nothing and runs nothing, whatever the client of the API has sent. */
const HTML_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Disposition': 'attachment; filename="report.html"',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
}

const JUNIT_HEADERS = {
  'Content-Type': 'application/xml',
  'Content-Disposition': 'attachment; filename="report.xml"',
}

/** The report in another format than JSON, whose writer is loaded when it is first requested. */
async function formatReport(report: Report, format: 'html' | 'junit'): Promise<CoreResponse> {
  if (format === 'html') {
    const { toHtml } = await import('../report/html/page.tsx')
    return { status: 200, headers: HTML_HEADERS, body: toHtml(report) }
  }
  const { reportToJUnit } = await import('../report/junit.ts')
  return { status: 200, headers: JUNIT_HEADERS, body: reportToJUnit(report) }
}

function operationsIn(text: string): 'all' | 'used' | readonly string[] {
  return text === 'all' || text === 'used' ? text : text.split(',')
}

/** The query as `World.report` takes it. Throws a UsageError for an unknown rule. */
function toReportOptions(query: Omit<Inputs['getReport']['query'], 'format'>): WorldReportOptions {
  const { failOn, only, ignore, coverageOf, ...others } = query
  return {
    ...others,
    ...(failOn !== undefined && { failOn: checkRuleNames(failOn.split(',')) }),
    ...(only !== undefined && { only: checkRuleNames(only.split(',')) }),
    ...(ignore !== undefined && { ignore: checkRuleNames(ignore.split(',')) }),
    ...(coverageOf !== undefined && { coverageOf: operationsIn(coverageOf) }),
  }
}
