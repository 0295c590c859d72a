import { describe, expect, test } from 'vitest'
import { createControl } from '../../control.ts'
import { createSandbox, type Sandbox } from '../../index.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'

const THING = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } }
const CONTENT = { content: { 'application/json': { schema: THING } } }

/** A sandbox whose clients choose the ids of records. */
async function openThings(): Promise<Sandbox> {
  const contract = await loadDocumentOf({
    '/things': {
      post: {
        operationId: 'createThing',
        requestBody: CONTENT,
        responses: { '201': { description: 'The thing', ...CONTENT } },
      },
    },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getThing',
        responses: { '200': { description: 'The thing', ...CONTENT } },
      },
    },
  })
  return createSandbox({ contract })
}

function post(path: string): Request {
  const body = '{"id":"a\\ud800"}'
  const headers = { 'Content-Type': 'application/json' }
  return new Request(`http://localhost${path}`, { method: 'POST', headers, body })
}

describe('an id with half of a character, which no URL can contain', () => {
  test('is replaced by one that URLs can contain when a client creates a record', async () => {
    const sandbox = await openThings()

    const response = await sandbox.fetch(post('/things'))
    const address = response.headers.get('Location') ?? ''
    const found = await sandbox.fetch(new Request(new URL(address, 'http://localhost')))

    expect(response.status).toBe(201)
    expect(found.status).toBe(200)
    expect(await found.json()).toEqual(await response.json())
  })

  test('is kept by the control interface, with a Location that URLs can contain', async () => {
    const control = createControl(await openThings())

    const response = await control.fetch(post('/__sandbox/records/things'), {
      address: '127.0.0.1',
    })

    expect(response.status).toBe(201)
    expect(response.headers.get('Location')).toBe('/__sandbox/records/things/a%EF%BF%BD')
    expect(await response.json()).toEqual({ id: 'a\uD800' })
  })
})
