import type { Exchange } from '../journal/exchange.ts'

/** An exchange of a journal, with some other members. */
export function exampleExchange(more: Partial<Exchange> = {}): Exchange {
  return {
    id: 1,
    time: Date.parse('2027-03-01T12:34:56.789Z'),
    method: 'GET',
    target: '/pets?limit=5',
    operation: 'listPets',
    caller: 'valid',
    key: '…free',
    plan: 'free',
    status: 200,
    quota: { before: { minute: 60, day: 1000 }, after: { minute: 59, day: 999 } },
    notes: [],
    milliseconds: 1.25,
    request: { url: 'http://127.0.0.1:4010/v1/pets?limit=5', headers: [] },
    response: { headers: [], body: '[]' },
    ...more,
  }
}
