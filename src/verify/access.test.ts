import { describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { type DocumentTexts, NO_TEXTS } from '../document/document-texts.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { VerifyOptions } from './session/options.ts'
import type { CheckResult } from './verification.ts'
import { verify } from './verify.ts'

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const response = (status: number, schema?: object): object => ({
  [status]: { description: 'A response', ...(schema && json(schema)) },
})
const note = {
  type: 'object',
  required: ['text'],
  properties: { id: { type: 'integer', readOnly: true }, text: { type: 'string' } },
}
const hidden = { ...response(401), ...response(404) }
const inPath = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }

/** Notes, which may have a tag that only some may send. */
function notes(refusals: object = hidden, tag?: object): Promise<Contract> {
  const shown = { ...note, properties: { ...note.properties, ...(tag && { tag }) } }
  const body = { required: true, ...json(shown) }
  const created = { ...response(201, shown), ...response(401), ...(tag && response(403)) }
  return loadDocumentOf(
    {
      '/notes': {
        get: { responses: { ...response(200, { type: 'array', items: shown }), ...response(401) } },
        post: { requestBody: body, responses: created },
      },
      '/notes/{id}': {
        parameters: [inPath],
        get: { responses: { ...response(200, note), ...refusals } },
        put: { requestBody: body, responses: { ...response(200, note), ...refusals } },
        delete: { responses: { ...response(204), ...refusals } },
      },
    },
    {
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      security: [{ key: [] }],
    },
  )
}

/** What a service forgets to check. */
type Fault = 'read' | 'list' | 'change' | 'remove' | 'silent-change' | 'no-key'

interface Note {
  readonly owner: string
  readonly text: string
}

const none = (status = 404): Response => new Response(null, { status })

/** A service whose notes belong to the key that created them. */
function service(faults: readonly Fault[]): (request: Request) => Promise<Response> {
  const kept = new Map<number, Note>()
  let lastId = 0
  const shown = (id: number): object => ({ id, text: kept.get(id)?.text })
  const isKnown = (owner: string): boolean =>
    /^key-of-(anna|ben)$/.test(owner) || faults.includes('no-key')

  return async (request) => {
    const owner = request.headers.get('X-Key') ?? ''
    const [, , id] = new URL(request.url).pathname.split('/')
    if (!isKnown(owner)) return none(401)
    if (id === undefined) return onNotes(request, owner)
    return onNote(request, owner, Number(id))
  }

  async function onNotes(request: Request, owner: string): Promise<Response> {
    if (request.method === 'GET') {
      const seen = [...kept].filter(([, one]) => one.owner === owner || faults.includes('list'))
      return Response.json(seen.map(([id]) => shown(id)))
    }
    const { text } = await request.json()
    if (typeof text !== 'string') return none(400)
    lastId += 1
    kept.set(lastId, { owner, text })
    return Response.json(shown(lastId), { status: 201 })
  }

  async function onNote(request: Request, owner: string, id: number): Promise<Response> {
    const found = kept.get(id)
    const { [request.method]: fault = 'read' } = FAULTS
    const isAllowed = found?.owner === owner || faults.includes(fault)
    if (request.method === 'PUT' && found) return change(request, id, found, isAllowed)
    if (!found || !isAllowed) return none()
    if (request.method === 'GET') return Response.json(shown(id))
    kept.delete(id)
    return none(204)
  }

  async function change(
    request: Request,
    id: number,
    { owner }: Note,
    isAllowed: boolean,
  ): Promise<Response> {
    const { text } = await request.json()
    if (typeof text !== 'string') return none(400)
    if (isAllowed || faults.includes('silent-change')) kept.set(id, { owner, text })
    return isAllowed ? Response.json(shown(id)) : none()
  }
}

/** What is forgotten for each method. */
const FAULTS: Readonly<Record<string, Fault>> = { GET: 'read', PUT: 'change', DELETE: 'remove' }

async function failures(
  faults: readonly Fault[],
  contract: Contract,
  options: VerifyOptions = {},
): Promise<readonly CheckResult[]> {
  const { checks } = await verify('http://notes.test', contract, {
    key: 'key-of-anna',
    otherKey: 'key-of-ben',
    writes: true,
    fetch: service(faults),
    ...options,
  })
  return checks.filter(({ status }) => status === 'failed')
}

async function failed(...given: Parameters<typeof failures>): Promise<readonly string[]> {
  return (await failures(...given)).map(({ id }) => id)
}

describe('with the key of somebody else', () => {
  test('verify finds nothing in a service that keeps records apart', async () => {
    expect(await failed([], await notes())).toEqual([])
  })

  test.each([
    ['read', 'GET /notes/{id}/other-key'],
    ['list', 'GET /notes/other-key-list'],
    ['change', 'PUT /notes/{id}/other-key'],
    ['remove', 'DELETE /notes/{id}/other-key'],
    ['silent-change', 'PUT /notes/{id}/other-key-kept'],
  ] as const)('verify finds that it can %s a record of the run', async (fault, check) => {
    expect(await failed([fault], await notes(), { check })).toContain(check)
  })

  test('verify has one finding for a collection that everybody shares', async () => {
    const found = await failures(['read', 'list', 'change', 'remove'], await notes())

    const causes = found.filter(({ consequenceOf }) => consequenceOf === undefined)
    expect(found.length).toBeGreaterThan(3)
    expect(causes.map(({ id }) => id)).toEqual(['GET /notes/other-key-list'])
  })

  test('verify asks for nothing that the document does not promise', async () => {
    const contract = await notes(response(401))

    expect(await failed(['read', 'list', 'change', 'remove'], contract)).toEqual([])
  })

  test('verify sends nothing without the permission to write', async () => {
    const keys = new Set<string | null>()
    const answer = service([])

    await verify('http://notes.test', await notes(), {
      key: 'key-of-anna',
      otherKey: 'key-of-ben',
      fetch: (request) => {
        keys.add(request.headers.get('X-Key'))
        return answer(request)
      },
    })

    expect(keys).not.toContain('key-of-ben')
  })

  test('its commands hide both keys', async () => {
    const all = await failures(['read'], await notes())
    const found = all.find(({ id }) => id.endsWith('/other-key'))

    expect(found?.exchange?.curl).toContain('-H "X-Key: $PET_SANDBOX_OTHER_KEY"')
    expect(JSON.stringify(found)).not.toContain('key-of-')
  })
})

describe('operations for a role', () => {
  const texts: DocumentTexts = {
    ...NO_TEXTS,
    api: 'There are two roles. An *editor* may do everything; notes of others are answered with 404.',
    operation: (id) => (/^(PUT|DELETE)/.test(id) ? 'For editors.' : ''),
  }
  const refusals = { ...response(401), ...response(403), ...response(404) }
  /** Ben is no editor. */
  function answering(method: string, status?: number): (request: Request) => Promise<Response> {
    const answer = service([])
    return async (request) => {
      const isForRole = /^(PUT|DELETE)$/.test(request.method)
      if (request.headers.get('X-Key') !== 'key-of-ben' || !isForRole) return answer(request)
      if (request.method !== method) return none(403)
      return status === undefined ? answer(request) : none(status)
    }
  }
  const rolesFailed = async (
    ...given: Parameters<typeof answering>
  ): Promise<readonly string[]> => {
    const fetch = answering(...given)
    const found = await failed([], await notes(refusals), { texts, fetch })
    return found.filter((id) => id.includes('other-key'))
  }

  test('are refused by a 403', async () => {
    expect(await rolesFailed('none')).toEqual([])
  })

  test.each([
    ['lets a key without it do what it is for', undefined],
    ['does not know a key without it', 401],
  ])('verify finds that a service %s', async (_, status) => {
    expect(await rolesFailed('DELETE', status)).toContain('DELETE /notes/{id}/other-key-role')
  })

  test.each([
    'Always null for readers.',
    'Readers never see it.',
    'Only shown to an editor; readers do not see it.',
    'Only present in answers to editors.',
  ])('verify finds that a service shows what is for another role: %s', async (sentence) => {
    const ofRole = 'The role of the key does not allow it.'
    const said: DocumentTexts = {
      ...texts,
      api: 'Roles:\n\n- **editor**: may do everything.\n- **reader**: may read everything.',
      property: (_id, name) => (name === 'text' ? sentence : ''),
      anyResponse: (_id, status) => (status === 403 ? ofRole : ''),
    }
    const contract = await notes(refusals)

    const found = await failed([], contract, { texts: said, fetch: answering('none') })

    expect(found).toContain('GET /notes/other-key-role/text')
  })

  test.each(['ben', 'nobody'])(
    'verify finds that a service takes what only a role may send, from %s',
    async (taken) => {
      const said: DocumentTexts = {
        ...texts,
        operation: (id) =>
          id.startsWith('DELETE') ? 'For editors.' : 'Only an editor may send `tag` (403).',
        anyResponse: (_id, status) =>
          status === 403 ? 'The role of the key does not allow it.' : '',
      }
      const answer = answering('PUT')
      const fetch = async (request: Request): Promise<Response> => {
        const isOfBen = request.headers.get('X-Key') === 'key-of-ben'
        const sent = await request.clone().text()
        const isRefused = taken === 'nobody' && isOfBen && sent.includes('"tag"')
        return isRefused ? none(403) : await answer(request)
      }

      const found = await failed(
        [],
        await notes(refusals, { type: 'string', enum: ['red', 'green'] }),
        {
          texts: said,
          fetch,
        },
      )

      expect(found.filter((id) => id.includes('/sent/'))).toEqual(
        taken === 'nobody' ? [] : ['POST /notes/other-key-role/sent/tag'],
      )
    },
  )

  test('verify tries to remove another record where something keeps the first one', async () => {
    const kept = new Set<string>()
    const answer = answering('DELETE')
    const fetch = async (request: Request): Promise<Response> => {
      const isOfBen = request.headers.get('X-Key') === 'key-of-ben'
      if (request.method !== 'DELETE' || !isOfBen) return await answer(request)
      if (kept.size < 2) kept.add(request.url)
      return kept.has(request.url) ? none(409) : await answer(request)
    }

    const found = await failed([], await notes(refusals), { texts, fetch })

    expect(found).toContain('DELETE /notes/{id}/other-key-role')
  })
})

test('a collection of its own accepts the key in another scheme', async () => {
  const list = { get: { responses: { ...response(200, note), ...response(401) } } }
  const contract = await loadDocumentOf(
    { '/notes': list, '/notes/latest': list, '/tags': list },
    {
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
  )
  const { checks } = await verify('http://api.test', contract, {
    key: 'key-of-anna',
    fetch: async ({ url, headers }) => {
      const [scheme, key] = (headers.get('Authorization') ?? '').split(' ')
      const isKnown = key === 'key-of-anna' && (scheme === 'Bearer' || url.endsWith('/tags'))
      return isKnown ? Response.json({ id: 1, text: 'a' }) : none(401)
    },
  })

  const found = checks.filter(({ id }) => id.endsWith('/wrong-scheme'))
  expect(found.map(({ id, status }) => [id, status])).toEqual([
    ['GET /notes/wrong-scheme', 'passed'],
    ['GET /tags/wrong-scheme', 'failed'],
  ])
})

test('a service that accepts every key breaks the promise of a documented 401', async () => {
  const found = await failures(['no-key'], await notes())

  const ofKeys = found.filter(({ id }) => /\/(wrong-key|short-key|wrong-case)$/.test(id))
  const [first, ...others] = ofKeys
  expect([first?.id, first?.consequenceOf]).toEqual(['GET /notes/wrong-key', undefined])
  expect(others).toHaveLength(14)
  expect(new Set(others.map(({ consequenceOf }) => consequenceOf))).toEqual(
    new Set(['GET /notes/wrong-key']),
  )
})

describe('a run sends', () => {
  async function sentHeaders(options: VerifyOptions): Promise<readonly Headers[]> {
    const sent: Headers[] = []
    const answer = service([])
    await verify('http://notes.test', await notes(), {
      key: 'key-of-anna',
      fetch: (request) => {
        sent.push(request.headers)
        return answer(request)
      },
      ...options,
    })
    return sent
  }

  test('the headers that each request shall have', async () => {
    const sent = await sentHeaders({ headers: { 'X-Tenant': 'acme' } })

    expect(sent.length).toBeGreaterThan(3)
    expect(sent.every((headers) => headers.get('X-Tenant') === 'acme')).toBe(true)
  })

  test('the key of each security scheme', async () => {
    const sent = await sentHeaders({ key: { key: 'key-of-anna', '': 'unused' } })

    expect(sent.map((headers) => headers.get('X-Key'))).toContain('key-of-anna')
  })
})

test('a token that has replaced the key is hidden where the service repeats it', async () => {
  const token = 'token-after-the-first-one'
  const verification = await verify('http://api.test', await notes(), {
    key: 'key-of-anna',
    secrets: [token],
    fetch: async () => Response.json({ used: token }, { status: 500 }),
  })

  const text = JSON.stringify(verification)
  expect(text).toContain('$PET_SANDBOX_KEY')
  expect(text).not.toContain(token)
})
