import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import {
  createEntry,
  createFrozenSandbox,
  findingsOf,
  post,
  reportOn,
  sendRequest,
} from '../testing/report-inputs.ts'
import { report } from './report.ts'

describe('a report finds', () => {
  it('the use of a deprecated operation, with the date of its removal and its replacement', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets/1')
    await sendRequest(sandbox, '/pets/2')

    expect(findingsOf(reportOn(sandbox), 'deprecated')).toMatchObject([
      {
        operation: 'getPet',
        message:
          '2 requests were sent to the deprecated operation getPet (removal on 2030-12-05; use /pets?status=available instead).',
        clause: 'RFC 9745 (Deprecation header)',
        entries: ['1', '2'],
      },
    ])
  })

  it('unknown parameters and dropped properties, by name', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets?page=2')
    await sendRequest(sandbox, '/pets?page=3&sort=name')
    await sendRequest(sandbox, '/pets', post({ name: 'Rex', categoryId: 1, color: 'red' }))

    const all = reportOn(sandbox)

    expect(findingsOf(all, 'unknown-parameter')).toMatchObject([
      { message: expect.stringContaining('query.page (2 times), query.sort.'), count: 3 },
    ])
    expect(findingsOf(all, 'dropped-property')).toMatchObject([
      { operation: 'createPet', message: expect.stringContaining('body.color'), entries: ['3'] },
    ])
  })

  it('requests without a key, and with an invalid key', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', { key: null })
    await sendRequest(sandbox, '/pets', { key: 'not_a_key' })

    expect(findingsOf(reportOn(sandbox), 'unauthorized')).toMatchObject([
      { key: 'no key', message: '1 request was sent without an API key.' },
      { key: '…_key', message: '1 request was sent with an invalid API key.' },
    ])
  })

  it('an invalid request that is sent again unchanged', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', post({ name: 'Rex' }))
    await sendRequest(sandbox, '/pets', post({ name: 'Max' }))
    await sendRequest(sandbox, '/pets', post({ name: 'Rex' }))

    expect(findingsOf(reportOn(sandbox), 'repeated-invalid')).toMatchObject([
      {
        message:
          '1 request was sent again unchanged, although the service had rejected it as invalid: body.categoryId is required.',
        entries: ['3'],
      },
    ])
  })

  it('a page that is fetched twice, but not when two responses linked to it', async () => {
    const sandbox = createFrozenSandbox()
    const next = async (target: string): Promise<string> => {
      const headers = { Authorization: 'Bearer sk_sandbox_free' }
      const response = await sandbox.fetch(new Request(`http://localhost/v1${target}`, { headers }))
      const [, address = ''] =
        /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
      return address.replace('http://localhost/v1', '')
    }
    const second = await next('/pets?limit=20')
    await next(second)
    await next('/pets?limit=20')
    await next(second)
    expect(findingsOf(reportOn(sandbox), 'page-twice')).toEqual([])

    await next(second)

    expect(findingsOf(reportOn(sandbox), 'page-twice')).toMatchObject([
      { entries: ['5'], count: 1 },
    ])
  })

  it('a storm of retries after server errors', () => {
    const failing = [0, 5, 10, 15, 20].map((time) =>
      createEntry({ status: 500, time, end: time + 1 }),
    )

    const { findings } = report([failing], contract)

    expect(findings).toMatchObject([{ rule: 'retry-storm', count: 2 }])
  })
})

describe('a report does not count as a violation', () => {
  it('uploads that the client aborts and repeats', () => {
    const brokenOff = [0, 5, 10, 15, 20].map((time) =>
      createEntry({ status: 0, code: 'incomplete_body', time, end: time + 1 }),
    )

    expect(report([brokenOff], contract).findings).toEqual([])
  })

  it('retries after a server error that wait, or are few', () => {
    const patient = [0, 1000, 3000].map((time) => createEntry({ status: 500, time }))
    const few = [10_000, 10_010, 10_020].map((time) => createEntry({ status: 500, time }))

    expect(report([[...patient, ...few]], contract).findings).toEqual([])
  })

  it('requests whose errors were forced', async () => {
    const sandbox = createFrozenSandbox()
    for (const outcome of ['unauthorized', 'bad-request', 'server-error'] as const) {
      sandbox.force(outcome, { times: 2 })
      await sendRequest(sandbox, '/pets')
      await sendRequest(sandbox, '/pets')
    }

    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('CORS preflights', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', { method: 'OPTIONS', key: null })

    expect(reportOn(sandbox)).toMatchObject({ requests: 0, findings: [] })
  })
})
