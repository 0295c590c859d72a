import type { Inputs } from '../generated/control-types.ts'
import { json } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { toPlain } from '../journal/exchange.ts'
import type { ExchangeQuery } from '../journal/exchange-query.ts'
import type { JournalRange, OpenedJournal } from '../sandbox/world-host.ts'
import type { Handlers } from './call.ts'
import { openEventStream } from './events.ts'
import { waitFor } from './wait.ts'

/** Handlers for the journal. */
export const journal: Handlers<
  'findExchanges' | 'getExchange' | 'waitForExchange' | 'exportHar' | 'streamExchanges'
> = {
  findExchanges: async ({ openJournal, input: { query } }) => {
    const opened = await openJournal(rangeOf(query))
    const exchanges = opened.find(toQuery(query)).map(toPlain)
    const { last, dropped } = opened

    return json(200, { exchanges, last, dropped })
  },

  getExchange: async ({ openJournal, input: { path } }) => {
    const range = { after: path.id - 1, limit: 1 }
    const opened = await openJournal(range)
    const [found] = opened.find(range)
    if (found?.id !== path.id) throw unknownExchange(opened, path.id)

    return json(200, toPlain(found))
  },

  waitForExchange: async (call) => {
    const { timeout, ...query } = call.input.query

    return json(200, toPlain(await waitFor(call, toQuery(query), timeout)))
  },

  exportHar: async ({ openJournal, input: { query } }) => {
    const opened = await openJournal(rangeOf(query))

    return json(200, await opened.toHar(toQuery(query)))
  },

  streamExchanges: (call) => {
    const { request } = call
    const headers = { 'Content-Type': 'text/event-stream' }
    if (request.method === 'HEAD') return { status: 200, headers, body: '' }
    const after = readEventId(request.header('last-event-id'))

    return new Response(openEventStream(call, after), { headers })
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
