import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { createSandbox } from '../index.ts'
import { createFrozenSandbox, entriesOf, post, sendRequest } from '../testing/report-inputs.ts'
import { contractOf, operation } from '../testing/routed-sandbox.ts'
import { loadNotes } from '../testing/security-document.ts'
import { readHar } from './read-har.ts'
import { report } from './report.ts'
import { toReportEntry } from './report-entry.ts'

interface Sent {
  readonly at?: number
  readonly method?: string
  readonly url?: string
  readonly key?: string | null
  readonly status?: number
  readonly responseHeaders?: Record<string, string>
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly content?: { readonly text: string; readonly encoding?: string }
  readonly sent?: object
}

function pairs(headers: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

/** An archive as a browser writes it. */
function archive(...requests: Sent[]): unknown {
  const entries = requests.map(
    ({
      at = 0,
      method = 'GET',
      url = '/pets',
      key = 'secret_key_1234',
      status = 200,
      ...more
    }) => ({
      startedDateTime: new Date(Date.UTC(2027, 2, 1, 12) + at).toISOString(),
      time: 20,
      request: {
        method,
        url: url.startsWith('http') ? url : `https://petstore.test/v1${url}`,
        headers: pairs({
          'Content-Type': 'application/json',
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
          ...more.headers,
        }),
        ...(more.body && { postData: { mimeType: 'application/json', text: more.body } }),
      },
      response: { status, headers: pairs(more.responseHeaders ?? {}), content: more.content ?? {} },
      ...(more.sent && { _sent: more.sent }),
    }),
  )
  return { log: { version: '1.2', entries } }
}

describe('the archive of a sandbox', () => {
  it('has the same entries as the journal', async () => {
    const sandbox = createFrozenSandbox({ plans: { free: { minute: 4, day: 100 } } })
    await Promise.all([
      sendRequest(sandbox, '/pets?limit=1&page=1'),
      sendRequest(sandbox, '/pets/1'),
    ])
    await sendRequest(sandbox, '/pets', post({ name: 'Rex' }))
    await sendRequest(sandbox, '/pets', { key: null })
    await sendRequest(sandbox, '/unknown/place?x=1')
    sandbox.force('banned', { times: 1 })
    await sendRequest(sandbox, '/pets')

    const har = JSON.parse(JSON.stringify(await sandbox.journal.toHar()))
    const { entries } = await readHar(har, contract)

    // The dates of an archive and of a journal are in integer milliseconds.
    expect(entries).toEqual(entriesOf(sandbox))
  })
})

describe('an archive of a browser', () => {
  it('tells keys with the same last characters apart', async () => {
    const keys = ['alice-key-test', 'bobby-key-test', 'alice-key-test', '…test']
    const { entries } = await readHar(archive(...keys.map((key) => ({ key }))), contract)

    const { conduct } = report([entries], contract)

    expect(entries.map(({ key, client }) => [key, client])).toEqual([
      ['…test', '1'],
      ['…test', '2'],
      ['…test', '1'],
      ['…test', undefined],
    ])
    expect(conduct.map(({ key, requests }) => [key, requests])).toEqual([
      ['…test', 2],
      ['…test (2)', 1],
      ['…test (3)', 1],
    ])
  })
})

describe('the archive of a sandbox with a key in a header', () => {
  it('has the end of the key, as the journal has it', async () => {
    const notes = await loadNotes(['header'], [{ header: [] }])
    const sandbox = createSandbox({ contract: notes })
    await sandbox.fetch(
      new Request('http://localhost/notes', { headers: { 'X-Api-Key': 'sk_sandbox_free' } }),
    )

    const har = JSON.parse(JSON.stringify(await sandbox.journal.toHar()))
    const { entries } = await readHar(har, notes)

    expect(entries).toMatchObject([{ key: '…free' }])
    expect(entries).toEqual(sandbox.journal.exchanges.map((one) => toReportEntry(one, notes)))
  })
})

describe('an archive of an API with several base paths', () => {
  const routed = contractOf(['/v1', ''], [operation('GET /a'), operation('GET /files', ['/cdn'])])
  const targetsOf = async (har: unknown): Promise<readonly unknown[]> => {
    const { entries, ignored } = await readHar(har, routed)
    return [...entries.map(({ target, operation }) => [target, operation]), ignored]
  }

  it('has the requests below each of them, also behind a prefix', async () => {
    const har = archive(
      { url: 'https://a.test/v1/a' },
      { url: 'https://a.test/a?x=1' },
      { url: 'https://a.test/proxy/v1/a' },
      { url: 'https://a.test/cdn/files' },
      { url: 'https://a.test/v1/files' },
      { url: 'https://a.test/style.css' },
    )

    expect(await targetsOf(har)).toEqual([
      ['/a', 'GET /a'],
      ['/a?x=1', 'GET /a'],
      ['/a', 'GET /a'],
      ['/files', 'GET /files'],
      2,
    ])
  })

  it('has no requests of what a sandbox has sent to receivers of events, also at a path of the API', async () => {
    const har = archive(
      { url: 'https://a.test/v1/a' },
      { url: 'https://a.test/v1/a', sent: { id: 1 } },
    )

    expect(await targetsOf(har)).toEqual([['/a', 'GET /a'], 0])
  })

  it('has all requests of a sandbox', async () => {
    const sandbox = createSandbox({ contract: routed })
    for (const path of ['/v1/a', '/cdn/files', '/v1/v1/a', '/worlds/v1/v1/a', '/none']) {
      await sandbox.fetch(new Request(`http://localhost${path}`))
    }

    const own = JSON.parse(JSON.stringify(await sandbox.journal.toHar()))
    const other = JSON.parse(JSON.stringify(await sandbox.world('v1').journal.toHar()))

    expect(await targetsOf(own)).toEqual([
      ['/a', 'GET /a'],
      ['/files', 'GET /files'],
      ['/v1/a', undefined],
      ['/none', undefined],
      0,
    ])
    expect(await targetsOf(other)).toEqual([['/a', 'GET /a'], 0])
  })
})

describe('the archive of a browser', () => {
  it('is checked against the contract: operations, and unknown, deprecated or invalid input', async () => {
    const har = archive(
      { url: '/pets?limit=500&page=2', status: 400 },
      { url: '/pets/7' },
      { method: 'POST', status: 201, body: '{"name":"Rex","categoryId":1,"color":"red"}' },
      { method: 'POST', status: 400, body: '{"name":7}' },
    )

    const { entries } = await readHar(har, contract)

    expect(entries).toMatchObject([
      { operation: 'listPets', target: '/pets?limit=500&page=2', faults: ['query.limit'] },
      { operation: 'getPet', notes: [{ kind: 'deprecated-operation', place: 'getPet' }] },
      { operation: 'createPet', notes: [{ kind: 'dropped-property', place: 'body.color' }] },
      { faults: expect.arrayContaining(['body.categoryId is required', 'body.name']) },
    ])
  })

  it('distinguishes keys by their last characters', async () => {
    const har = archive({}, { key: 'other_key_9876' }, { key: null, status: 401 }, { key: null })

    const { entries } = await readHar(har, contract)

    expect(entries.map(({ key, caller }) => [key, caller])).toEqual([
      ['…1234', 'valid'],
      ['…9876', 'valid'],
      ['no key', 'missing'],
      ['no key', 'valid'],
    ])
    expect(JSON.stringify(entries)).not.toContain('secret')
  })

  it.each<[place: string, sent: Sent]>([
    ['header', { headers: { 'x-api-key': 'secret_key_5678' } }],
    ['query', { url: 'https://notes.test/notes?api_key=secret_key_5678&page=1' }],
    ['cookie', { headers: { cookie: 'theme=dark; sid=secret_key_5678' } }],
    ['password', { headers: { authorization: `Basic ${btoa('secret_key_5678:x')}` } }],
  ] as const)('distinguishes keys by the %s that the document names', async (place, sent) => {
    const notes = await loadNotes([place as 'header'], [{ [place]: [] }])

    const { entries } = await readHar(
      archive({ url: 'https://notes.test/notes', key: null, ...sent }),
      notes,
    )

    expect(entries.map(({ key }) => key)).toEqual(['…5678'])
    expect(JSON.stringify(entries)).not.toContain('secret')
  })

  it('has the code of an error body in base64', async () => {
    const text = btoa('{"code":"api_key_banned"}')
    const har = archive(
      { status: 429, content: { text, encoding: 'base64' } },
      { status: 429, content: { text: '%', encoding: 'base64' } },
      { status: 429, content: { text, encoding: 'other' } },
    )

    const { entries } = await readHar(har, contract)

    expect(entries.map(({ refusal, code }) => [refusal, code])).toEqual([
      ['ban', 'api_key_banned'],
      ['limit', undefined],
      ['limit', undefined],
    ])
  })

  it('ignores requests to other servers and paths', async () => {
    const har = archive(
      { url: 'https://petstore.test/app.js' },
      { url: 'https://a.test/v1/horses' },
    )

    expect(await readHar(har, contract)).toEqual({
      entries: [],
      ignored: 2,
      hosts: ['petstore.test', 'a.test'],
    })
  })

  it('is sufficient to find early retries', async () => {
    const responseHeaders = { 'Retry-After': '40', 'X-RateLimit-Limit': '60' }
    const har = archive(
      { status: 429, responseHeaders },
      { at: 500, status: 429, responseHeaders },
      { at: 41_000 },
    )

    const { findings } = report([(await readHar(har, contract)).entries], contract)

    expect(findings).toMatchObject([{ rule: 'early-retry', key: '…1234', entries: ['2'] }])
  })

  it('can have a date in Retry-After', async () => {
    const responseHeaders = { 'retry-after': 'Mon, 01 Mar 2027 12:00:40 GMT' }
    const har = archive({ status: 429, responseHeaders }, { at: 39_000 })

    const { findings } = report([(await readHar(har, contract)).entries], contract)

    expect(findings).toMatchObject([{ rule: 'early-retry' }])
  })
})

it.each([[[]], [{ log: {} }], [{ log: { entries: [1] } }], ['text'], [null]])(
  '%j is not an archive',
  async (har) => {
    await expect(readHar(har, contract, 'ci.har')).rejects.toThrow(
      /^Cannot read ci.har: it is not an HTTP archive/,
    )
  },
)
