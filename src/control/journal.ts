import type { Inputs } from '../generated/control-types.ts'
import { json } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { toPlain } from '../journal/exchange.ts'
import type { ExchangeQuery } from '../journal/exchange-query.ts'
import type { World } from '../sandbox/world.ts'
import type { Handlers } from './call.ts'
import { openEventStream } from './events.ts'
import { waitFor } from './wait.ts'

/** Handlers for the journal. */
export const journal: Handlers<
  'findExchanges' | 'getExchange' | 'waitForExchange' | 'exportHar' | 'streamExchanges'
> = {
  findExchanges: ({ world, input: { query } }) => {
    const exchanges = world.journal.find(toQuery(query)).map(toPlain)
    const { last, dropped } = world.journal

    return json(200, { exchanges, last, dropped })
  },

  getExchange: ({ world, input: { path } }) => {
    const [found] = world.journal.find({ after: path.id - 1, limit: 1 })
    if (found?.id !== path.id) throw unknownExchange(world, path.id)

    return json(200, toPlain(found))
  },

  waitForExchange: async (call) => {
    const { timeout, ...query } = call.input.query

    return json(200, toPlain(await waitFor(call, toQuery(query), timeout)))
  },

  exportHar: async ({ world, input: { query } }) =>
    json(200, await world.journal.toHar(toQuery(query))),

  streamExchanges: (call) => {
    const { request } = call
    const headers = { 'Content-Type': 'text/event-stream' }
    if (request.method === 'HEAD') return { status: 200, headers, body: '' }
    const after = readEventId(request.header('last-event-id'))

    return new Response(openEventStream(call, after), { headers })
  },
}

function unknownExchange({ journal: { last, dropped } }: World, id: number): Problem {
  const reason =
    id <= dropped ? 'The full journal has dropped it.' : `The latest exchange is ${last}.`
  return problems.notFound(`There is no exchange ${id}. ${reason}`)
}

type Query = Inputs['findExchanges']['query']

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
