import { type Exchange, toPlain } from '../exchange.ts'
import type { ExchangeQuery } from '../exchange-query.ts'
import type { Inputs } from '../generated/control-types.ts'
import { json } from '../message.ts'
import { problems } from '../problem.ts'
import type { Handlers } from './call.ts'
import { follow } from './events.ts'

export const journal: Handlers<
  'findExchanges' | 'waitForExchange' | 'exportHar' | 'streamExchanges'
> = {
  findExchanges: ({ world, input: { query } }) => {
    const exchanges = world.journal.find(toQuery(query)).map(toPlain)
    const { last, dropped } = world.journal

    return json(200, { exchanges, last, dropped })
  },

  waitForExchange: async ({ world, input }) => {
    const { timeout, ...query } = input.query
    const found = await world.journal.waitFor(toQuery(query), { timeout }).catch(asTimeout)

    return json(200, toPlain(found))
  },

  exportHar: async ({ world, input: { query } }) =>
    json(200, await world.journal.toHar(toQuery(query))),

  streamExchanges: (call) => {
    const { ask } = call
    const headers = { 'Content-Type': 'text/event-stream' }
    if (ask.method === 'HEAD') return { status: 200, headers, body: '' }
    const after = readEventId(ask.header('last-event-id'))

    return new Response(follow(call, after), { headers })
  },
}

type Query = Inputs['findExchanges']['query']

/** A status is a number, or a class of them, as `4xx`. */
function toQuery({ status, ...query }: Query): ExchangeQuery {
  if (status === undefined) return query
  return { ...query, status: isClass(status) ? status : Number(status) }
}

function isClass(status: string): status is Extract<ExchangeQuery['status'], string> {
  return status.endsWith('xx')
}

/** The journal says so in a plain error; a query that cannot be is a UsageError. */
function asTimeout(error: unknown): Exchange {
  const isTimeout = error instanceof Error && error.message.startsWith('Waited ')
  throw isTimeout ? problems.requestTimeout(error.message) : error
}

function readEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw problems.invalidRequest(
    'header.Last-Event-ID must be the id of an exchange, a whole number',
  )
}
