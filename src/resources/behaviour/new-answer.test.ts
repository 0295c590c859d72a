import { describe, expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' } as const
const MOMENT = { type: 'string', format: 'date-time' } as const
const OLD = '2020-01-01T00:00:00Z'
const NOW = '2026-06-01T10:00:00.000Z'

const JOB = objectOf({
  id: TEXT,
  kind: TEXT,
  state: { enum: ['done', 'pending'] },
  createdAt: MOMENT,
  finishedAt: { type: ['string', 'null'], format: 'date-time' },
})
const DONE = { id: 'job_1', kind: 'csv', state: 'done', createdAt: OLD, finishedAt: OLD }

async function opened(api: DocumentedApi): ReturnType<typeof openApi> {
  const own = await openApi(api)
  own.sandbox.clock.set(NOW)
  return own
}

describe('a creation whose records nothing reads', () => {
  test.each<[title: string, shown: object, example: object, place: 'job' | undefined]>([
    ['itself', JOB, DONE, undefined],
    ['in an envelope', objectOf({ job: JOB }), { job: DONE }, 'job'],
  ])('shows something new %s', async (_title, shown, example, place) => {
    const api = { sent: objectOf(['kind']), shown, example, status: [202] }
    const { ask } = await opened({ 'POST /jobs': api })

    const [first, second] = [
      await ask('POST /jobs', { kind: 'pdf' }),
      await ask('POST /jobs', { kind: 'xls' }),
    ].map(({ body }) => (place ? body[place] : body) as Record<string, unknown>)

    expect(first).toEqual({
      id: expect.stringMatching(/^job_\d+$/),
      ...{ kind: 'pdf', state: 'pending', createdAt: NOW, finishedAt: null },
    })
    expect(second?.id).not.toBe(first?.id)
  })

  test('keeps what the client sends', async () => {
    const sent = objectOf({ id: TEXT, createdAt: MOMENT })
    const { ask } = await opened({ 'POST /jobs': { sent, shown: JOB, example: DONE } })

    const { body } = await ask('POST /jobs', { id: 'mine', createdAt: OLD })

    expect(body).toMatchObject({ id: 'mine', createdAt: OLD })
  })

  test('has the id of what it sends', async () => {
    const shown = objectOf({ message_id: TEXT, date: MOMENT })
    const example = { message_id: 'm_12ab', date: OLD }
    const { ask } = await opened({
      'POST /messages/send': { sent: objectOf(['to']), shown, example },
    })

    const { body } = await ask('POST /messages/send', { to: 'ann' })

    expect(body).toEqual({ message_id: expect.stringMatching(/^m_\d\d[a-f]{2}$/), date: NOW })
    expect(body.message_id).not.toBe('m_12ab')
  })
})

test('an action shows what was there before', async () => {
  const { ask } = await opened({ 'POST /jobs/{id}/capture': { shown: JOB, example: DONE } })

  expect((await ask('POST /jobs/7/capture')).body).toEqual({ ...DONE, id: '7' })
})

test.each<[name: string, value: string | number, expected: string | number]>([
  ['expires_at', OLD, '2026-06-01T11:00:00.000Z'],
  ['valid_until', '2020-01-01', '2026-06-01'],
  ['expiry', 1_577_836_800, Date.parse(NOW) / 1000 + 3600],
  ['expires_at', '2099-01-01T00:00:00Z', '2099-01-01T00:00:00Z'],
])('what expires (%s: %s) does so later', async (name, value, expected) => {
  const kind = { type: typeof value === 'string' ? 'string' : 'integer' }
  const shown = objectOf({ key: TEXT, expires_in: { type: 'integer' }, [name]: kind })
  const example = { key: 'k', expires_in: 3600, [name]: value }
  const { ask } = await opened({ 'POST /login': { sent: objectOf(['name']), shown, example } })

  expect((await ask('POST /login', { name: 'ann' })).body[name]).toBe(expected)
})
