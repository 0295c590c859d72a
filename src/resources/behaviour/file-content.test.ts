import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

const BYTES = new Uint8Array([0, 1, 255, 195, 40, 10])
const BINARY = { schema: { type: 'string', format: 'binary' } }
const SCAN = objectOf({
  id: { type: 'integer' },
  title: { type: 'string' },
  size: { type: 'integer' },
  mime_type: { type: 'string' },
})
const SHOWN = { description: '', content: { 'application/json': { schema: SCAN } } }
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const FORM = { schema: objectOf({ title: { type: 'string' }, file: BINARY.schema }) }

function download(): object {
  const content = { 'application/octet-stream': BINARY }
  return { responses: { 200: { description: '', content }, 404: { description: '' } } }
}

async function openScans(): Promise<Sandbox> {
  const contract = await loadDocumentOf({
    '/scans': {
      post: {
        requestBody: { content: { 'multipart/form-data': FORM } },
        responses: { 201: SHOWN },
      },
    },
    '/scans/{id}': {
      parameters: [ID],
      get: { responses: { 200: SHOWN, 404: { description: '' } } },
    },
    '/scans/{id}/download': { parameters: [ID], get: download() },
    '/scans/{id}/content': {
      parameters: [ID],
      get: download(),
      put: {
        requestBody: { content: { 'image/*': BINARY } },
        responses: { 200: SHOWN, 404: { description: '' } },
      },
    },
  })
  return createSandbox({ contract })
}

function ask(sandbox: Sandbox, path: string, init?: RequestInit): Promise<Response> {
  return sandbox.fetch(new Request(`http://localhost${path}`, init))
}

async function addScan(sandbox: Sandbox): Promise<Record<string, unknown>> {
  const body = new FormData()
  body.set('title', 'One')
  body.set('file', new Blob([BYTES], { type: 'application/pdf' }), 'one.pdf')
  const response = await ask(sandbox, '/scans', { method: 'POST', body })

  return (await response.json()) as Record<string, unknown>
}

test('a download has the bytes and the media type that a creation has sent', async () => {
  const sandbox = await openScans()
  const scan = await addScan(sandbox)

  const response = await ask(sandbox, `/scans/${scan.id}/download`)

  expect(scan).toMatchObject({ title: 'One', size: 6, mime_type: 'application/pdf' })
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(BYTES)
  expect(response.headers.get('content-type')).toBe('application/pdf')
  expect(response.headers.get('x-sandbox-source')).toBe('record')
})

test('a download has what was sent last, of which the record shows no more than it did', async () => {
  const sandbox = await openScans()
  const scan = await addScan(sandbox)
  const headers = { 'content-type': 'image/png' }
  const sent = { method: 'PUT', headers, body: BYTES.slice(1) }
  const changed = await (await ask(sandbox, `/scans/${scan.id}/content`, sent)).json()

  const response = await ask(sandbox, `/scans/${scan.id}/content`)

  expect(changed).toEqual({ ...scan, size: 5, mime_type: 'image/png' })
  expect(await (await ask(sandbox, `/scans/${scan.id}`)).json()).toEqual(changed)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(BYTES.slice(1))
})

test('a download of a record without a file is generated', async () => {
  const response = await ask(await openScans(), '/scans/1/content')

  expect([response.status, response.headers.get('x-sandbox-source')]).toEqual([200, 'generated'])
})
