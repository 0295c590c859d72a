import { expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const MAIL = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$/

test.each<[how: string, schema: Schema]>([
  ['the format date-time-rfc-2822', { type: 'string', format: 'date-time-rfc-2822' }],
  ['the format rfc2822', { type: 'string', format: 'rfc2822' }],
  ['the description', { type: ['string', 'null'], description: 'In RFC 2822 format.' }],
])('a date is written as in mails by %s, and now in a new record', async (_, schema) => {
  const call = {
    ...objectOf({ id: { type: 'integer' }, to: { type: 'string' }, date_created: schema }),
    required: ['id', 'date_created'],
  }
  const { ask, sandbox } = await openApi({
    'GET /calls': { shown: listOf(call) },
    'POST /calls': { sent: objectOf(['to']), shown: call, status: [201] },
    'GET /calls/{id}': { shown: call, path: { id: { type: 'integer' } } },
  })
  sandbox.clock.set('2026-05-04T03:02:01Z')

  const { body: first } = await ask<{ date_created: string }[]>('GET /calls')
  const { body: created } = await ask('POST /calls', { to: 'ann' })

  for (const { date_created } of first) if (date_created) expect(date_created).toMatch(MAIL)
  expect(created.date_created).toBe('Mon, 04 May 2026 03:02:01 +0000')
})
