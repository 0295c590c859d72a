import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract, Operation } from '../contract/contract.ts'
import { contentOf, documentedResponse } from '../contract/documented-response.ts'
import { isJson } from '../contract/json.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import { defineHandlers } from '../handlers/define-handlers.ts'
import { sampleOperation } from '../sandbox/sample-request.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { loadStory, STORIES } from '../testing/places/documents.ts'

let contract: Contract
let sandbox: Sandbox
const [STORY] = STORIES.filter(({ name }) => name === 'answers that rules force')
beforeAll(async () => {
  if (STORY) contract = await loadStory(STORY)
  sandbox = createSandbox({ contract, records: 2 })
})

/** Sends a request such as `POST /tags`, on which a rule is forced. */
async function ask(
  rule: ForceRule,
  target = 'POST /tags',
  {
    body = { label: 'one' },
    headers = {},
  }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<{ response: Response; text: string; body: unknown; notes: readonly object[] }> {
  sandbox.unforce()
  sandbox.force({ ...rule, times: 1 })
  const [method = '', path] = target.split(' ')
  const content = method === 'POST' && {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  }
  const request = new Request(`http://localhost/api${path}`, { method, headers, ...content })
  const response = await sandbox.fetch(request)
  const text = await response.text()
  const isText = isJson((response.headers.get('content-type') ?? '').split(';')[0] ?? '')
  const notes = sandbox.journal.exchanges.at(-1)?.notes ?? []

  return { response, text, body: isText ? JSON.parse(text) : undefined, notes }
}

describe('a forced error', () => {
  it('has an example of the document for its status', async () => {
    const { response, body, notes } = await ask({ operation: 'createTag', status: 409 })

    expect(response.status).toBe(409)
    expect(response.headers.get('X-Sandbox-Reason')).toBe('forced:409')
    expect(body).toEqual({
      message: 'The label is taken.',
      errors: [{ field: 'label', code: 'already_exists' }],
    })
    expect(notes).toEqual([])
  })

  it('has the example that it names, and the status of the response with it', async () => {
    const { response, body } = await ask({ operation: 'createTag', example: 'full' })

    expect(response.status).toBe(409)
    expect(body).toEqual({ message: 'There are too many.', errors: [] })
  })

  it('has the given part of the body, merged into the example', async () => {
    const rule = { operation: 'createTag', example: 'taken', body: { message: 'Mine.' } }

    expect((await ask(rule)).body).toEqual({
      message: 'Mine.',
      errors: [{ field: 'label', code: 'already_exists' }],
    })
  })

  it('says what is wrong with fields in the validation error of the document', async () => {
    const { response, body } = await ask({ operation: 'createTag', fields: { label: 'is taken' } })

    expect(response.status).toBe(422)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(body).toMatchObject({
      status: 422,
      detail: 'body.label is taken',
      errors: [{ pointer: '#/label', detail: 'body.label is taken' }],
    })
  })

  it('says it in the form of another status, with the codes of its example', async () => {
    const { response, body } = await ask({
      operation: 'createTag',
      status: 409,
      fields: { label: 'is taken', 'tags[0].name': 'is too long' },
    })

    expect(response.status).toBe(409)
    expect(body).toEqual({
      message: 'body.label is taken; body.tags[0].name is too long',
      errors: [
        { field: 'label', code: 'already_exists' },
        { field: 'tags[0].name', code: 'already_exists' },
      ],
    })
  })

  it('is about parameters, where the operation has no body', async () => {
    const { text } = await ask(
      { operation: 'listTags', fields: { colour: 'is unknown' } },
      'GET /tags',
    )

    expect(text).toContain('query.colour is unknown')
  })

  it('is XML, where the document says so', async () => {
    const rule = { operation: 'getTag', status: 404, body: { code: 'gone' } }
    const { response, text } = await ask(rule, 'GET /tags/1')

    expect(response.headers.get('Content-Type')).toBe('application/xml')
    expect(text).toContain('<failure><message>No resource was found at /tags/1.</message>')
    expect(text).toContain('<code>gone</code>')
  })

  it('is a text, where the document says so', async () => {
    const rule = { operation: 'getTag', status: 503, body: 'Come back later.' }
    const { response, text } = await ask(rule, 'GET /tags/1')

    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('Retry-After')).toBe('30')
    expect(text).toBe('Come back later.')
  })

  it('can be the page of a proxy', async () => {
    const { response, text } = await ask({
      status: 502,
      body: '<h1>Bad Gateway</h1>',
      headers: { 'content-type': 'text/html' },
    })

    expect(response.status).toBe(502)
    expect(response.headers.get('Content-Type')).toBe('text/html')
    expect(text).toBe('<h1>Bad Gateway</h1>')
  })

  it('may have a status that the document does not have, which a note tells', async () => {
    const { response, body, notes } = await ask({ status: 418, body: { teapot: true } })
    const { body: plain } = await ask({ operation: 'createTag', status: 418 })

    expect(plain).toMatchObject({ message: "418 I'm a Teapot. This is a forced status." })
    expect(response.status).toBe(418)
    expect(body).toMatchObject({ teapot: true })
    expect(notes).toEqual([{ kind: 'invalid-answer', place: 'the document has no response 418' }])
  })

  it('may have a body that the document does not allow, which a note tells', async () => {
    const { body, notes } = await ask({ operation: 'createTag', status: 409, body: { errors: 7 } })

    expect(body).toMatchObject({ errors: 7 })
    expect(notes).toEqual([
      { kind: 'invalid-answer', place: 'response 409: body.errors must be array' },
    ])
  })

  it('changes nothing', async () => {
    const before = await sandbox.collection('tags').list()
    await ask({ operation: 'createTag', status: 409 })
    await ask({ operation: 'removeTag', status: 403 }, 'DELETE /tags/1')

    expect(await sandbox.collection('tags').list()).toEqual(before)
  })

  it('can break off', async () => {
    const own = createSandbox({ contract })
    own.force({ status: 409, fault: 'truncated', times: 1 })
    const response = await own.fetch(new Request('http://localhost/api/tags'))

    expect(response.status).toBe(409)
    await expect(response.text()).rejects.toThrow('The connection was closed')
  })

  it('with the status of a real refusal is the real one', async () => {
    const { response, body } = await ask({ status: 429, retryAfter: 7 })

    expect(response.headers.get('Retry-After')).toBe('7')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('X-Sandbox-Reason')).toBe('forced:rate-limited')
    expect(body).toMatchObject({ message: expect.stringContaining('Retry in 7 seconds.') })
  })
})

describe('a forced success', () => {
  const records = async (): Promise<number> => (await sandbox.collection('tags').list()).length

  it('changes the records and shows its part of the body', async () => {
    const before = await records()
    const rule = { operation: 'createTag', body: { colour: 'teal' }, headers: { ETag: '"1"' } }
    const { response, body, notes } = await ask(rule)

    expect(response.status).toBe(201)
    expect(response.headers.get('ETag')).toBe('"1"')
    expect(response.headers.get('Location')).toMatch(/\/api\/tags\/\d+$/)
    expect(body).toEqual({ id: expect.any(Number), label: 'one', colour: 'teal' })
    expect(notes).toEqual([])
    expect(await records()).toBe(before + 1)
  })

  it('has the body that the document describes for another status', async () => {
    const before = await records()
    const { response, body } = await ask({ operation: 'createTag', status: 202 })

    expect(response.status).toBe(202)
    expect(body).toEqual({ job: expect.any(String) })
    expect(await records()).toBe(before + 1)
  })

  it('may have a status that the document does not have, which a note tells', async () => {
    const { response, body, notes } = await ask({ operation: 'createTag', status: 200 })

    expect(response.status).toBe(200)
    expect(body).toEqual({ id: expect.any(Number), label: 'one' })
    expect(notes).toEqual([{ kind: 'invalid-answer', place: 'the document has no response 200' }])
  })

  it('has no body with the status 204', async () => {
    const { response, text } = await ask({ operation: 'createTag', status: 204 })

    expect(response.status).toBe(204)
    expect(text).toBe('')
  })

  it('has the example that it names', async () => {
    const { response, body } = await ask({ operation: 'createTag', example: 'blue' })

    expect(response.status).toBe(201)
    expect(response.headers.get('X-Sandbox-Source')).toBe('example')
    expect(body).toEqual({ id: 77, label: 'blue', colour: 'blue' })
  })

  it('replaces a list', async () => {
    const { body } = await ask({ operation: 'listTags', body: [] }, 'GET /tags')

    expect(body).toEqual([])
  })

  it('is answered although no such record exists', async () => {
    const rule = { operation: 'getTag', status: 200, body: { label: 'mine' } }
    const { response, body } = await ask(rule, 'GET /tags/999')

    expect(response.status).toBe(200)
    expect(body).toMatchObject({ id: 999, label: 'mine' })
  })

  it('without a status says nothing about a request that is refused', async () => {
    const { response, text } = await ask({ body: { label: 'mine' } }, 'GET /tags/999')

    expect(response.status).toBe(404)
    expect(text).not.toContain('mine')
    expect(sandbox.journal.exchanges.at(-1)).not.toHaveProperty('forced')
  })

  it('does not make an invalid request valid', async () => {
    const { response } = await ask({ status: 201 }, 'POST /tags', { body: {} })

    expect(response.status).toBe(422)
  })

  it('is answered from the document with the status of a redirect, and changes nothing', async () => {
    const before = await records()
    const { response } = await ask({ status: 303, headers: { Location: '/api/tags/7' } })

    expect(response.status).toBe(303)
    expect(response.headers.get('Location')).toBe('/api/tags/7')
    expect(await records()).toBe(before)
  })

  it('shows what a handler has answered', async () => {
    const handlers = defineHandlers({
      createTag: ({ reply }) => reply(201, { id: 5, label: 'from a handler' }),
    })
    const own = createSandbox({ contract, handlers })
    own.force({ operation: 'createTag', status: 200, body: { colour: 'red' } })
    const response = await own.fetch(
      new Request('http://localhost/api/tags', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"label":"one"}',
      }),
    )

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ id: 5, label: 'from a handler', colour: 'red' })
  })

  it('can be forced by a handler, in the same form', async () => {
    const handlers = defineHandlers({
      createTag: ({ force, next }) => {
        force({ operation: 'listTags', status: 503 }, { times: 1 })
        return next()
      },
    })
    const own = createSandbox({ contract, handlers })
    await own.fetch(
      new Request('http://localhost/api/tags', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"label":"one"}',
      }),
    )

    expect(own.forced()).toMatchObject([{ operation: 'listTags', status: 503, times: 1 }])
  })
})

describe('what a rule depends on', () => {
  it('may be in the body, which is read once', async () => {
    const rule = { where: { body: { label: 'two' } }, status: 409 }

    expect((await ask(rule)).response.status).toBe(201)
    expect((await ask(rule, 'POST /tags', { body: { label: 'two' } })).response.status).toBe(409)
    expect(sandbox.journal.exchanges.at(-1)?.request.body).toBe('{"label":"two"}')
  })

  it('is not in a body that cannot be read, which is refused as without the rule', async () => {
    sandbox.unforce()
    sandbox.force({ where: { body: { label: 'two' } }, status: 409 })
    const response = await sandbox.fetch(
      new Request('http://localhost/api/tags', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"label":',
      }),
    )

    expect(response.status).toBe(422)
  })
})

it('is part of a scenario', async () => {
  const rules = [{ operation: 'createTag', example: 'taken' }] as const
  const own = createSandbox({
    contract,
    scenarios: { taken: { description: 'All labels are taken.', rules } },
    scenario: 'taken',
  })
  const response = await own.fetch(
    new Request('http://localhost/api/tags', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"label":"one"}',
    }),
  )

  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({ message: 'The label is taken.' })
})

it('saves rules, their counts and the state of their flows in a snapshot', async () => {
  const first = createSandbox({ contract })
  first.force({ operation: 'listTags', series: [503, 500, 'next'] })
  first.force({ operation: 'getTag', flow: 'a', from: 'start', to: 'read', status: 200 })
  await first.fetch(new Request('http://localhost/api/tags'))
  await first.fetch(new Request('http://localhost/api/tags/1'))

  const second = createSandbox({ contract })
  await second.restore(JSON.parse(JSON.stringify(await first.snapshot())))

  expect(second.forced()).toEqual(first.forced())
  expect(second.forced()).toMatchObject([{ matched: 1 }, { state: 'read' }])
  expect((await second.fetch(new Request('http://localhost/api/tags'))).status).toBe(500)
})

describe.each(STORIES)('each documented status of $name', (story) => {
  it('can be forced, and its answer is valid by the document', async () => {
    const own = createSandbox({ contract: await loadStory(story), records: 3 })
    for (const operation of own.contract.operations) {
      for (const { status } of operation.responses) {
        own.force({ operation: operation.id, status, times: 1 })
        const sample = await sampleOperation(own, operation, 'sk_sandbox_enterprise')
        if (!sample) throw new Error(`There is no request for ${operation.id}`)
        const { method, path, query, headers, body, contentType } = sample
        const sent = Object.fromEntries([...headers, ...Object.entries(story.headers)])
        const response = await own.fetch(
          new Request(
            `http://localhost${path}?${new URLSearchParams([...query].map((p) => [...p]))}`,
            {
              method,
              headers: { ...sent, ...(contentType && { 'Content-Type': contentType }) },
              ...(body !== undefined && method !== 'GET' && { body }),
            },
          ),
        )
        const named = `${operation.id} ${status}`

        expect(`${operation.id} ${response.status}`).toBe(named)
        expect(await mistakeOf(response, operation), named).toBeUndefined()
      }
    }
  })
})

/** What the document does not allow in a response. */
async function mistakeOf(response: Response, operation: Operation): Promise<string | undefined> {
  const documented = documentedResponse(operation, response.status)
  const content = documented ? contentOf(documented) : []
  const text = await response.text()
  const type = response.headers.get('Content-Type')?.split(';')[0]
  const media = content.find(({ mediaType }) => mediaType === type)
  if (content.length === 0 || !media) return content.length > 0 ? `no ${type}` : undefined
  if (!isJson(media.mediaType) || !media.validate) return text === '' ? 'empty' : undefined

  return media.validate(JSON.parse(text)) ? undefined : JSON.stringify(media.validate.errors)
}
